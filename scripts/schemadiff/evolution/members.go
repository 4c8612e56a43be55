package evolution

import (
	"regexp"
	"slices"

	"melmastoon.ghasi.io/scripts/schemadiff/normal"
)

func object(s normal.Schema, keyword string) normal.Schema {
	o, _ := s[keyword].(normal.Schema)
	return o
}

func list(s normal.Schema, keyword string) []any {
	l, _ := s[keyword].([]any)
	return l
}

// members compares properties and required. A member has at most one finding besides those of its schema.
func (c *comparison) members(at string, older, newer normal.Schema) {
	was, is := object(older, "properties"), object(newer, "properties")
	before, after := list(older, "required"), list(newer, "required")
	names := keywords(was, is)
	for _, name := range slices.Concat(before, after) {
		names = append(names, name.(string))
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		place, declared, declares := below(at, "properties", name), was[name] != nil, is[name] != nil
		required, requires := has(before, name), has(after, name)
		if declared && declares {
			c.schema(place, was[name].(normal.Schema), is[name].(normal.Schema))
		}
		switch {
		case declared && !declares:
			c.findf(place, MemberRemoved, "")
		case required != requires:
			c.change(place, requires, NewlyRequired, NoLongerRequired, "")
		case declares && !declared:
			c.change(place, covered(older, name), ClosedModelExtended, MemberAdded, "")
		}
	}
}

// covered reports whether an older schema constrains a member that it does not declare.
func covered(s normal.Schema, name string) bool {
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties", "propertyNames", "maxProperties"} {
		if s[keyword] != nil {
			return true
		}
	}
	if object(s, "properties")[name] != nil || has(list(s, "required"), name) {
		return true
	}
	for pattern := range object(s, "patternProperties") {
		if expression, err := regexp.Compile(pattern); err != nil || expression.MatchString(name) {
			return true
		}
	}
	for dependent, needed := range object(s, "dependentRequired") {
		if dependent == name || has(needed.([]any), name) {
			return true
		}
	}
	return object(s, "dependentSchemas")[name] != nil ||
		slices.ContainsFunc(normal.InPlace(s), func(part any) bool { return covered(part.(normal.Schema), name) })
}
