package evolution

import (
	"strconv"

	"melmastoon.ghasi.io/scripts/schemadiff/normal"
)

// parts compares the schemas of items.
func (c *comparison) parts(at string, older, newer normal.Schema) {
	for _, keyword := range []string{"items", "contains"} {
		c.presence(at+"/"+keyword, older[keyword], newer[keyword])
	}
	was, is := list(older, "prefixItems"), list(newer, "prefixItems")
	for i := range max(len(was), len(is)) {
		c.presence(at+"/prefixItems/"+strconv.Itoa(i), element(was, i), element(is, i))
	}
}

func element(l []any, i int) any {
	if i < len(l) {
		return l[i]
	}
	return nil
}

// branches compares conjunctions, alternatives, conditions and negations.
func (c *comparison) branches(at string, older, newer normal.Schema) {
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		c.combination(at+"/"+keyword, list(older, keyword), list(newer, keyword))
	}
	if (older["if"] != nil || newer["if"] != nil) && !same(older["if"], newer["if"]) {
		c.findf(at, ConditionChanged, "if")
	} else {
		for _, branch := range []string{"then", "else"} {
			c.presence(at+"/"+branch, older[branch], newer[branch])
		}
	}
	if !same(older["not"], newer["not"]) {
		c.findf(at+"/not", NotChanged, "")
	}
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
