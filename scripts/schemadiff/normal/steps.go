package normal

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A step gives a group of keywords one spelling. It gets a copy whose inner schemas are canonical, and may change it.
type step struct {
	name  string
	apply func(Schema) Schema
}

var steps = []step{
	{"types", types},
	{"values", values},
	{"integers", integers},
	{"neutral", neutral},
	{"lists", lists},
	{"conditions", conditions},
	{"negations", negations},
	{"alternatives", alternatives},
}

// numbers replaces each number by its exact value in lowest terms, so that 1, 1.0 and 1e0 are equal.
func numbers(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case json.Number:
		if f, err := strconv.ParseFloat(string(v), 64); err != nil {
			return nil, fmt.Errorf("number %s: out of range", v)
		} else if f == 0 {
			return json.Number("0"), nil // also for an exponent that a fraction would take long to hold
		}
		exact, ok := new(big.Rat).SetString(string(v))
		if !ok {
			return nil, fmt.Errorf("number %s: not readable", v)
		}
		return json.Number(exact.RatString()), nil
	case map[string]any:
		for name := range v {
			if v[name], err = numbers(v[name]); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = numbers(v[i]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// Text returns a value as text: equal values have equal texts.
func Text(value any) string {
	text, err := json.Marshal(value) // sorts members
	if err != nil {
		return fmt.Sprintf("%#v", value) // a fraction is no JSON number
	}
	return string(text)
}

// types sorts lists of types. A list of one type is the type. A number may be an integer, so number covers it.
func types(s Schema) Schema {
	list, ok := s["type"].([]any)
	if !ok {
		return s
	}
	list = set(list)
	if slices.Contains(list, any("number")) {
		list = slices.DeleteFunc(list, func(name any) bool { return name == "integer" })
	}
	s["type"] = list
	if len(list) == 1 {
		s["type"] = list[0]
	}
	return s
}

// values writes const as enum, sorts enum, and drops a type that all values have.
func values(s Schema) Schema {
	if value, ok := s["const"]; ok && s["enum"] == nil {
		delete(s, "const")
		s["enum"] = []any{value}
	}
	list, ok := s["enum"].([]any)
	if !ok {
		return s
	}
	s["enum"] = set(list)
	name, _ := s["type"].(string)
	if !slices.ContainsFunc(list, func(value any) bool { return !is(value, name) }) {
		delete(s, "type")
	}
	return s
}

// is reports whether a value has a type.
func is(value any, name string) bool {
	switch v := value.(type) {
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case nil:
		return name == "null"
	case json.Number:
		return name == "number" || name == "integer" && !strings.Contains(string(v), "/")
	case []any:
		return name == "array"
	}
	return name == "object"
}

// integers writes exclusive bounds of integers as inclusive ones.
func integers(s Schema) Schema {
	if s["type"] != "integer" {
		return s
	}
	for exclusive, bound := range map[string]struct {
		keyword string
		delta   int64
	}{"exclusiveMinimum": {"minimum", 1}, "exclusiveMaximum": {"maximum", -1}} {
		value, ok := number(s[exclusive])
		if _, both := s[bound.keyword]; !ok || both || !value.IsInt() {
			continue
		}
		delete(s, exclusive)
		s[bound.keyword] = json.Number(value.Add(value, big.NewRat(bound.delta, 1)).RatString())
	}
	return s
}

// Number returns the exact value of a parsed number.
func number(value any) (*big.Rat, bool) {
	text, ok := value.(json.Number)
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetString(string(text))
}

// neutral drops keywords that allow everything.
func neutral(s Schema) Schema {
	for keyword, value := range s {
		switch keyword {
		case "minLength", "minItems", "minProperties":
			if value == json.Number("0") {
				delete(s, keyword)
			}
		case "minContains":
			if value == json.Number("1") {
				delete(s, keyword)
			}
		case "uniqueItems":
			if value == false {
				delete(s, keyword)
			}
		case "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "items", "propertyNames":
			if inner, ok := value.(Schema); ok && !constrains(inner) {
				delete(s, keyword)
			}
		case "properties", "patternProperties", "dependentSchemas", "dependentRequired", "required", "allOf", "prefixItems":
			if Text(value) == "{}" || Text(value) == "[]" {
				delete(s, keyword)
			}
		}
	}
	return s
}

// constrains reports whether a canonical schema rejects any value.
func constrains(s Schema) bool {
	for keyword := range s {
		if !Annotations(keyword) {
			return true
		}
	}
	return false
}

// lists sorts the lists whose order has no meaning, and drops repetitions.
func lists(s Schema) Schema {
	if list, ok := s["required"].([]any); ok {
		s["required"] = set(list)
	}
	dependent, ok := s["dependentRequired"].(Schema)
	if !ok {
		return s
	}
	sorted := Schema{}
	for name, value := range dependent {
		if list, ok := value.([]any); ok && len(list) > 0 {
			sorted[name] = set(list)
		}
	}
	s["dependentRequired"] = sorted
	return neutral(s)
}

// set returns a list without repetitions, sorted by text.
func set(list []any) []any {
	byText := map[string]any{}
	for _, value := range list {
		byText[Text(value)] = value
	}
	out := make([]any, 0, len(byText))
	for _, text := range slices.Sorted(maps.Keys(byText)) {
		out = append(out, byText[text])
	}
	return out
}

// conditions drops branches that constrain nothing, and conditions without branches.
func conditions(s Schema) Schema {
	for _, branch := range []string{"then", "else"} {
		if inner, ok := s[branch].(Schema); ok && (s["if"] == nil || !constrains(inner)) {
			delete(s, branch)
		}
	}
	if s["then"] == nil && s["else"] == nil {
		delete(s, "if")
	}
	return s
}

// negations drops not around Never, and unpacks a double not.
func negations(s Schema) Schema {
	inner, ok := s["not"].(Schema)
	if !ok {
		return s
	}
	twice, ok := inner["not"].(Schema)
	if !ok || len(inner) > 1 {
		return s
	}
	delete(s, "not")
	if constrains(twice) {
		list, _ := s["allOf"].([]any)
		s["allOf"] = append(slices.Clip(list), twice)
	}
	return s
}

// alternatives sorts them, drops impossible ones, and treats a single one as a conjunction.
func alternatives(s Schema) Schema {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		list, ok := s[keyword].([]any)
		if !ok {
			continue
		}
		list = slices.DeleteFunc(slices.Clone(list), func(part any) bool { return isNever(part.(Schema)) })
		if keyword == "anyOf" {
			list = set(list)
		}
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(Text(a), Text(b)) })
		s[keyword] = list
		switch {
		case keyword == "anyOf" && slices.ContainsFunc(list, func(part any) bool { return !constrains(part.(Schema)) }):
			delete(s, keyword)
		case len(list) == 1:
			delete(s, keyword)
			all, _ := s["allOf"].([]any)
			s["allOf"] = append(slices.Clip(all), list[0])
		case len(list) == 0:
			delete(s, keyword)
			maps.Copy(s, Never())
		}
	}
	return s
}
