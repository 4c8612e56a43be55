package evolution

import (
	"maps"
	"strconv"

	"melmastoon.ghasi.io/scripts/schemadiff/normal"
)

// part compares two schemas of which one may be missing.
func (c *comparison) part(at string, was, is any) {
	if was == nil || is == nil {
		c.change(at, was == nil, SchemaAdded, SchemaDropped, "")
		return
	}
	c.schema(at, was.(normal.Schema), is.(normal.Schema))
}

// combination pairs the parts of two lists, whose order has no meaning: equal ones, then conditions with the same if, then the only ones that
// are left.
func (c *comparison) combination(at string, was, is []any) {
	was, is = c.pair(at, was, is, func(a, b normal.Schema) bool { return same(a, b) })
	was, is = c.pair(at, was, is, func(a, b normal.Schema) bool { return a["if"] != nil && b["if"] != nil && same(a["if"], b["if"]) })
	if len(was) == 1 && len(is) == 1 {
		was, is = c.pair(at, was, is, func(normal.Schema, normal.Schema) bool { return true })
	}
	for _, part := range was {
		c.findf(at, AlternativeRemoved, "%s", normal.Text(bare(part)))
	}
	for _, part := range is {
		c.findf(at, AlternativeAdded, "%s", normal.Text(bare(part)))
	}
}

// pair compares the parts that belong together and returns the others.
func (c *comparison) pair(at string, was, is []any, together func(a, b normal.Schema) bool) (gone, left []any) {
	taken := map[int]bool{}
	for n, part := range was {
		found := false
		for i, other := range is {
			if taken[i] || !together(part.(normal.Schema), other.(normal.Schema)) {
				continue
			}
			taken[i], found = true, true
			c.schema(at+"/"+strconv.Itoa(n), part.(normal.Schema), other.(normal.Schema))
			break
		}
		if !found {
			gone = append(gone, part)
		}
	}
	for i, other := range is {
		if !taken[i] {
			left = append(left, other)
		}
	}
	return gone, left
}

// same reports whether two schemas differ in annotations only, at any depth.
func same(a, b any) bool { return normal.Text(bare(a)) == normal.Text(bare(b)) }

// bare returns a schema without annotations. Members are no keywords, so a member named title stays.
func bare(value any) any {
	s, ok := value.(normal.Schema)
	if !ok {
		return value
	}
	s = maps.Clone(s)
	maps.DeleteFunc(s, func(keyword string, _ any) bool { return normal.Annotations(keyword) && keyword != "x-enum" })
	return normal.Each(s, bare)
}
