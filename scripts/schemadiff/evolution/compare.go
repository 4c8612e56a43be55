package evolution

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
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

// change reports one of two opposite rules.
func (c *comparison) change(at string, first bool, yes, no Rule, detail string) {
	if first {
		c.findf(at, yes, "%s", detail)
	} else {
		c.findf(at, no, "%s", detail)
	}
}

func (c *comparison) schema(at string, older, newer normal.Schema) {
	if normal.Text(older) == normal.Text(newer) {
		return
	}
	c.members(at, older, newer)
	was, listed := older["enum"].([]any)
	is, lists := newer["enum"].([]any)
	if listed && lists {
		c.values(at, was, is, older["x-enum"] == "open", newer["x-enum"] == "open")
	}
	for _, keyword := range keywords(older, newer) {
		was, is := older[keyword], newer[keyword]
		switch {
		case normal.Text(was) == normal.Text(is), keyword == "properties", keyword == "required":
		case keyword == "enum" && listed && lists:
		case keyword == "type" && listed != lists: // values imply their type, so the canonical form has no type beside them
		case normal.Annotations(keyword) && (keyword != "x-ordering-key" || was == nil):
			c.annotation(at, keyword, was, is)
		default:
			c.keyword(at, keyword, was, is)
		}
	}
}

// annotation compares a text for readers. The other annotations may change.
func (c *comparison) annotation(at, keyword string, was, is any) {
	detail := keyword + " " + normal.Text(is)
	switch keyword {
	case "title", "description":
		c.change(at, was == nil, DescriptionAdded, DescriptionChanged, detail)
	case "deprecated", "deprecatedSince":
		c.change(at, was == nil, Deprecated, AnnotationChanged, detail)
	case "x-retention", "x-sampling", "x-publisher", "x-pii", "x-ordering-key", "readOnly", "writeOnly", "default":
		c.findf(at, AnnotationChanged, "%s", detail)
	}
}

// values compares the values of two enums.
func (c *comparison) values(at string, was, is []any, open, opens bool) {
	for _, value := range was {
		if !has(is, value) {
			c.findf(at, EnumValueRemoved, "%s", normal.Text(value))
		}
	}
	for _, value := range is {
		if !has(was, value) {
			c.change(at, open, EnumValueAdded, EnumExtended, normal.Text(value))
		}
	}
	if opens != open {
		c.change(at, opens, EnumOpened, EnumClosed, "")
	}
}

// keyword compares a keyword that constrains the value. One without schemas in it must be equal.
func (c *comparison) keyword(at, keyword string, was, is any) {
	switch keyword {
	case "items", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames", "then", "else":
		c.part(at+"/"+keyword, was, is)
	case "patternProperties", "dependentSchemas":
		older, _ := was.(normal.Schema)
		newer, _ := is.(normal.Schema)
		for _, name := range keywords(older, newer) {
			c.part(below(at, keyword, name), older[name], newer[name])
		}
	case "prefixItems":
		older, _ := was.([]any)
		newer, _ := is.([]any)
		for i := range max(len(older), len(newer)) {
			c.part(at+"/prefixItems/"+strconv.Itoa(i), element(older, i), element(newer, i))
		}
	case "allOf", "anyOf", "oneOf":
		older, _ := was.([]any)
		newer, _ := is.([]any)
		c.combination(at+"/"+keyword, older, newer)
	case "if", "not":
		if same(was, is) {
			return
		}
		fallthrough
	default:
		c.findf(at+"/"+keyword, KeywordChanged, "%s, was %s", normal.Text(is), normal.Text(was))
	}
}

// keywords returns the keywords of both schemas in order.
func keywords(older, newer normal.Schema) []string {
	both := normal.Schema{}
	maps.Copy(both, older)
	maps.Copy(both, newer)
	return slices.Sorted(maps.Keys(both))
}

func has(list []any, value any) bool {
	return slices.ContainsFunc(list, func(other any) bool { return normal.Text(other) == normal.Text(value) })
}

func below(at, keyword, name string) string {
	return at + "/" + keyword + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func element(l []any, i int) any {
	if i < len(l) {
		return l[i]
	}
	return nil
}
