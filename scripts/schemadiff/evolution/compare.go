package evolution

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"melmastoon.ghasi.io/scripts/schemadiff/normal"
)

// Compare returns the changes from an older schema to a newer one, both in canonical form, ordered by pointer.
func Compare(older, newer normal.Schema) []Finding {
	var c comparison
	c.schema("", older, newer)
	slices.SortStableFunc(c.found, func(a, b Finding) int {
		return strings.Compare(a.Pointer+" "+string(a.Rule), b.Pointer+" "+string(b.Rule))
	})
	return c.found
}

type comparison struct {
	found []Finding
}

func (c *comparison) findf(pointer string, rule Rule, format string, values ...any) {
	c.found = append(c.found, Finding{Pointer: pointer, Rule: rule, Detail: fmt.Sprintf(format, values...)})
}

// handled are the keywords that a method below compares. All others must be equal.
var handled = slices.Concat(normal.Lower, normal.Upper, []string{
	"type", "enum", "required", "properties", "additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames", "items",
	"prefixItems", "contains", "unevaluatedItems", "dependentRequired", "dependentSchemas", "allOf", "anyOf", "oneOf", "if", "then", "else", "not",
	"pattern", "format", "multipleOf", "uniqueItems", "$id",
})

func (c *comparison) schema(at string, older, newer normal.Schema) {
	c.annotations(at, older, newer)
	if normal.Text(older) == normal.Text(newer) {
		return
	}
	if normal.IsNever(older) != normal.IsNever(newer) {
		c.change(at, normal.IsNever(newer), Narrowed, Widened, "the schema false")
		return
	}
	c.values(at, older, newer)
	c.bounds(at, older, newer)
	c.texts(at, older, newer)
	c.members(at, older, newer)
	c.model(at, older, newer)
	c.dependencies(at, older, newer)
	c.parts(at, older, newer)
	c.branches(at, older, newer)
	for _, keyword := range keywords(older, newer) {
		if !slices.Contains(handled, keyword) && !normal.Annotations(keyword) && normal.Text(older[keyword]) != normal.Text(newer[keyword]) {
			c.findf(at, KeywordChanged, "%s", keyword)
		}
	}
}

// change reports one of two opposite rules.
func (c *comparison) change(at string, first bool, yes, no Rule, detail string) {
	if first {
		c.findf(at, yes, "%s", detail)
	} else {
		c.findf(at, no, "%s", detail)
	}
}

// annotations compares the texts for readers.
func (c *comparison) annotations(at string, older, newer normal.Schema) {
	for _, keyword := range keywords(older, newer) {
		was, is := older[keyword], newer[keyword]
		if normal.Text(was) == normal.Text(is) {
			continue
		}
		switch keyword {
		case "title", "description":
			c.change(at, was == nil, DescriptionAdded, DescriptionChanged, keyword+" "+normal.Text(is))
		case "deprecated", "deprecatedSince":
			c.change(at, was == nil, Deprecated, AnnotationChanged, keyword+" "+normal.Text(is))
		case "x-retention", "x-sampling", "x-publisher", "x-pii", "readOnly", "writeOnly", "default":
			c.findf(at, AnnotationChanged, "%s %s", keyword, normal.Text(is))
		case "x-ordering-key":
			rule := OrderingKeyChanged
			if was == nil {
				rule = AnnotationChanged
			}
			c.findf(at, rule, "%v, was %v", is, was)
		case "$id":
			c.findf(at, IdentityChanged, "%v, was %v", is, was)
		}
	}
}

// values compares type and enum.
func (c *comparison) values(at string, older, newer normal.Schema) {
	if normal.Text(older["type"]) != normal.Text(newer["type"]) && (older["enum"] == nil) == (newer["enum"] == nil) {
		c.findf(at, TypeChanged, "%s, was %s", normal.Text(newer["type"]), normal.Text(older["type"]))
	}
	was, listed := older["enum"].([]any)
	is, lists := newer["enum"].([]any)
	if !listed || !lists {
		if listed != lists {
			c.change(at, lists, EnumAdded, EnumDropped, "")
		}
		return
	}
	for _, value := range was {
		if !has(is, value) {
			c.findf(at, EnumValueRemoved, "%s", normal.Text(value))
		}
	}
	open := older["x-enum"] == "open"
	for _, value := range is {
		if !has(was, value) {
			c.change(at, open, EnumValueAdded, EnumExtended, normal.Text(value))
		}
	}
	if opens := newer["x-enum"] == "open"; opens != open {
		c.change(at, opens, EnumOpened, EnumClosed, "")
	}
}

func has(list []any, value any) bool {
	return slices.ContainsFunc(list, func(other any) bool { return normal.Text(other) == normal.Text(value) })
}

func (c *comparison) bounds(at string, older, newer normal.Schema) {
	for _, keyword := range slices.Concat(normal.Lower, normal.Upper) {
		was, bounded := normal.Number(older[keyword])
		is, bounds := normal.Number(newer[keyword])
		switch {
		case bounded != bounds:
			c.change(at, bounds, Narrowed, Widened, keyword)
		case bounded && was.Cmp(is) != 0:
			c.change(at, slices.Contains(normal.Lower, keyword) == (is.Cmp(was) > 0), Narrowed, Widened, keyword)
		}
	}
	for _, keyword := range []string{"multipleOf", "uniqueItems"} {
		if was, is := older[keyword], newer[keyword]; normal.Text(was) != normal.Text(is) {
			c.change(at, is != nil, Narrowed, Widened, keyword)
		}
	}
}

func (c *comparison) texts(at string, older, newer normal.Schema) {
	for keyword, rule := range map[string]Rule{"pattern": PatternChanged, "format": FormatChanged} {
		if was, is := older[keyword], newer[keyword]; was != is {
			c.findf(at, rule, "%s, was %s", normal.Text(is), normal.Text(was))
		}
	}
}

// keywords returns the keywords of both schemas in order.
func keywords(older, newer normal.Schema) []string {
	both := normal.Schema{}
	maps.Copy(both, older)
	maps.Copy(both, newer)
	return slices.Sorted(maps.Keys(both))
}

// same reports whether two schemas differ in annotations only, at any depth.
func same(a, b any) bool { return normal.Text(bare(a)) == normal.Text(bare(b)) }

// bare returns a schema without annotations. Members are no keywords, so a member named title stays.
func bare(value any) any {
	s, ok := value.(normal.Schema)
	if !ok {
		return value
	}
	out := normal.Schema{}
	for keyword, value := range s {
		if normal.Annotations(keyword) && keyword != "x-enum" {
			continue
		}
		out[keyword] = normal.Inside(keyword, value, bare)
	}
	return out
}
