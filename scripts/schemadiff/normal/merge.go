package normal

import (
	"maps"
	"slices"
)

// conjunction merges the parts of allOf into the schema, as far as that keeps its meaning; the rest stays, sorted. It reports whether the
// result needs another round. A condition beside other keywords becomes a part of its own, so that its place does not matter.
func conjunction(s Schema) (out Schema, again bool) {
	list, _ := s["allOf"].([]any)
	parts := slices.Clone(list)
	out = maps.Clone(s)
	delete(out, "allOf")
	if condition, rest := split(out); condition != nil && constrains(rest) {
		out, parts, again = rest, append(parts, condition), true
	}
	if len(parts) == 0 {
		return out, again
	}
	var left []any
	for _, part := range set(parts) {
		schema := part.(Schema)
		if condition, rest := split(schema); condition != nil && (constrains(out) || len(parts) > 1) {
			if both, fits := merge(out, rest); fits && constrains(rest) {
				out, schema, again = both, condition, true
			}
			left = append(left, schema)
			continue
		}
		both, fits := merge(out, schema)
		if !fits {
			left = append(left, schema)
			continue
		}
		out, again = both, true
	}
	if len(left) > 0 {
		both, _ := out["allOf"].([]any) // of a merged part
		out["allOf"] = set(append(slices.Clip(both), left...))
	}
	return out, again
}

// split returns the condition of a schema, or nil, and the other keywords.
func split(s Schema) (condition, rest Schema) {
	rest = maps.Clone(s)
	if s["if"] == nil {
		return nil, rest
	}
	condition = Schema{}
	for _, keyword := range []string{"if", "then", "else"} {
		if s[keyword] != nil {
			condition[keyword] = s[keyword]
			delete(rest, keyword)
		}
	}
	return condition, rest
}

// merge returns a schema that accepts what both accept, or false if their keywords would interfere.
func merge(a, b Schema) (Schema, bool) {
	if sees(a, b) || sees(b, a) {
		return nil, false
	}
	out := maps.Clone(a)
	for keyword, value := range b {
		present, both := a[keyword]
		switch {
		case !both:
			out[keyword] = value
		case Annotations(keyword), Text(present) == Text(value): // the outer annotation is the more specific one
		case keyword == "required":
			out[keyword] = set(append(slices.Clip(present.([]any)), value.([]any)...))
		case keyword == "allOf":
			out[keyword] = set(append(slices.Clip(present.([]any)), value.([]any)...))
		case keyword == "properties":
			out[keyword] = union(present.(Schema), value.(Schema))
		default:
			if out[keyword] = tighter(keyword, present, value); out[keyword] == nil {
				return nil, false
			}
		}
	}
	return out, true
}

// sees reports whether a keyword of one schema depends on others beside it that a merge would change.
func sees(a, b Schema) bool {
	for keyword, names := range map[string][]string{
		"additionalProperties":  {"properties", "patternProperties"},
		"unevaluatedProperties": {"properties", "patternProperties", "additionalProperties", "allOf", "anyOf", "oneOf", "if"},
		"items":                 {"prefixItems"},
		"unevaluatedItems":      {"prefixItems", "items", "contains", "allOf", "anyOf", "oneOf", "if"},
		"contains":              {"contains", "minContains", "maxContains"},
	} {
		if a[keyword] == nil {
			continue
		}
		for _, name := range names {
			if b[name] != nil {
				return true
			}
		}
	}
	return false
}

// union returns the members of both; a member of both must satisfy both.
func union(a, b Schema) Schema {
	out := maps.Clone(a)
	for name, schema := range b {
		if present, both := a[name]; both {
			schema = Schema{"allOf": []any{present, schema}}
		}
		out[name] = schema
	}
	return out
}

// tighter returns the narrower of two bounds, or nil if the keyword is no bound.
func tighter(keyword string, a, b any) any {
	x, isX := number(a)
	y, isY := number(b)
	if !isX || !isY || !slices.Contains(slices.Concat(lower, upper), keyword) {
		return nil
	}
	if slices.Contains(lower, keyword) == (x.Cmp(y) > 0) {
		return a
	}
	return b
}

// lower and upper are the keywords with bounds.
var (
	lower = []string{"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"}
	upper = []string{"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"}
)
