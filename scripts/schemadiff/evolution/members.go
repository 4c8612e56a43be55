package evolution

import (
	"maps"
	"regexp"
	"slices"
	"strings"

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

func below(at, keyword, name string) string {
	return at + "/" + keyword + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// members compares properties and required.
func (c *comparison) members(at string, older, newer normal.Schema) {
	was, is := object(older, "properties"), object(newer, "properties")
	added := map[string]bool{}
	for name := range is {
		added[name] = was[name] == nil
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if is[name] != nil {
			c.schema(below(at, "properties", name), was[name].(normal.Schema), is[name].(normal.Schema))
			continue
		}
		if to := successor(was[name], is, added); to != "" {
			c.findf(below(at, "properties", name), MemberRenamed, "to %s", to)
			continue
		}
		c.findf(below(at, "properties", name), MemberRemoved, "")
	}
	c.required(at, older, newer, added)
	for _, name := range slices.Sorted(maps.Keys(is)) {
		newlyRequired := has(list(newer, "required"), name) && !has(list(older, "required"), name)
		if added[name] && !newlyRequired {
			rule := MemberAdded
			if covered(older, name) {
				rule = ClosedModelExtended
			}
			c.findf(below(at, "properties", name), rule, "")
		}
	}
}

// successor returns the only added member with the schema of a removed one, or "".
func successor(removed any, members normal.Schema, added map[string]bool) (name string) {
	for candidate, schema := range members {
		if !added[candidate] || !same(schema, removed) {
			continue
		}
		if name != "" {
			return ""
		}
		name = candidate
	}
	return name
}

// required compares which members must be present. A member that was removed is reported once.
func (c *comparison) required(at string, older, newer normal.Schema, added map[string]bool) {
	was, is := list(older, "required"), list(newer, "required")
	for _, value := range is {
		name := value.(string)
		if has(was, name) {
			continue
		}
		rule := NewlyRequired
		if added[name] {
			rule = RequiredMemberAdded
		}
		c.findf(below(at, "properties", name), rule, "")
	}
	for _, value := range was {
		name := value.(string)
		removed := object(older, "properties")[name] != nil && object(newer, "properties")[name] == nil
		if !has(is, name) && !removed {
			c.findf(below(at, "properties", name), NoLongerRequired, "")
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

// model compares the keywords about undeclared members.
func (c *comparison) model(at string, older, newer normal.Schema) {
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames"} {
		was, is := object(older, keyword), object(newer, keyword)
		switch {
		case was != nil && is != nil:
			c.schema(at+"/"+keyword, was, is)
		case was != nil || is != nil:
			c.change(at, is != nil, ModelClosed, ModelOpened, keyword)
		}
	}
	for _, keyword := range []string{"patternProperties", "dependentSchemas"} {
		was, is := object(older, keyword), object(newer, keyword)
		for _, name := range keywords(was, is) {
			c.presence(below(at, keyword, name), was[name], is[name])
		}
	}
}

// presence compares two schemas of which one may be missing.
func (c *comparison) presence(at string, was, is any) {
	older, existed := was.(normal.Schema)
	newer, exists := is.(normal.Schema)
	switch {
	case existed && exists:
		c.schema(at, older, newer)
	case existed || exists:
		c.change(at, exists, SchemaAdded, SchemaDropped, "")
	}
}

func (c *comparison) dependencies(at string, older, newer normal.Schema) {
	was, is := object(older, "dependentRequired"), object(newer, "dependentRequired")
	for _, name := range keywords(was, is) {
		before, after := list(was, name), list(is, name)
		for _, needed := range after {
			if !has(before, needed) {
				c.findf(below(at, "dependentRequired", name), DependencyAdded, "%v", needed)
			}
		}
		for _, needed := range before {
			if !has(after, needed) {
				c.findf(below(at, "dependentRequired", name), DependencyRemoved, "%v", needed)
			}
		}
	}
}
