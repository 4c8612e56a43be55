// Package normal rewrites JSON Schemas into a canonical form, so that schemas that accept the same values for the same visible reason are
// equal: references are replaced by their targets, conjunctions are merged, and each keyword has one spelling.
package normal

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Schema is a JSON Schema as an object. The schema true is the empty object; the schema false is Never.
type Schema = map[string]any

// Never returns the schema that accepts no value.
func Never() Schema { return Schema{"not": Schema{}} }

// IsNever reports whether a canonical schema accepts no value.
func IsNever(s Schema) bool {
	inner, ok := s["not"].(Schema)
	return ok && len(inner) == 0
}

// Parse decodes a JSON Schema, or returns an error if it is not valid. Numbers of the same value are equal afterwards, however they were
// written.
func Parse(text []byte) (any, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(resource, document); err != nil {
		return nil, err
	}
	if _, err := compiler.Compile(resource); err != nil {
		return nil, err
	}
	return numbers(document)
}

// resource is the address of a schema that is being compiled.
const resource = "contract:schema"

// Of returns the canonical form of a parsed schema. The named steps are left out; tests use it to show that each is needed.
func Of(document any, without ...string) (Schema, error) {
	inlined, err := newResolver(document).inline(document, nil)
	if err != nil {
		return nil, err
	}
	return canonical{without}.schema(inlined), nil
}

// The keywords that contain schemas.
var (
	inObject = []string{"properties", "patternProperties", "dependentSchemas"}
	inList   = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	directly = []string{"items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "contains", "contentSchema", "propertyNames", "if", "then", "else",
		"not"}
)

// each returns a copy of a schema with f applied to the schemas directly in it.
func each(s Schema, f func(any) (Schema, error)) (Schema, error) {
	out := maps.Clone(s)
	for keyword, value := range s {
		var err error
		switch {
		case slices.Contains(inObject, keyword):
			out[keyword], err = eachMember(keyword, value, f)
		case slices.Contains(inList, keyword):
			out[keyword], err = eachElement(keyword, value, f)
		case slices.Contains(directly, keyword):
			out[keyword], err = f(value)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func eachMember(keyword string, value any, f func(any) (Schema, error)) (Schema, error) {
	object, ok := value.(Schema)
	if !ok {
		return nil, fmt.Errorf("%s is no object", keyword)
	}
	out := Schema{}
	for name, part := range object {
		var err error
		if out[name], err = f(part); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func eachElement(keyword string, value any, f func(any) (Schema, error)) ([]any, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("%s is no list", keyword)
	}
	out := make([]any, len(list))
	for i, part := range list {
		var err error
		if out[i], err = f(part); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// canonical applies the steps, the innermost schemas first.
type canonical struct {
	without []string
}

func (c canonical) schema(s Schema) Schema {
	out, err := each(s, func(part any) (Schema, error) { return c.schema(part.(Schema)), nil })
	if err != nil {
		panic(err) // inline has found its form correct
	}
	for _, step := range steps {
		if !slices.Contains(c.without, step.name) {
			out = step.apply(out)
		}
	}
	if slices.Contains(c.without, "conjunctions") {
		return out
	}
	out, again := conjunction(out)
	if again {
		return c.schema(out)
	}
	return out
}

// Steps returns the names of all steps.
func Steps() []string {
	names := []string{"conjunctions"}
	for _, step := range steps {
		names = append(names, step.name)
	}
	return names
}

// Inside returns the value of a keyword with f applied to the schemas directly in it.
func Inside(keyword string, value any, f func(any) any) any {
	out, err := each(Schema{keyword: value}, func(part any) (Schema, error) { return f(part).(Schema), nil })
	if err != nil {
		return value
	}
	return out[keyword]
}

// InPlace returns the schemas in a schema that apply to the same value.
func InPlace(s Schema) (parts []any) {
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := s[keyword].([]any)
		parts = append(parts, list...)
	}
	dependent, _ := s["dependentSchemas"].(Schema)
	parts = slices.AppendSeq(parts, maps.Values(dependent))
	for _, keyword := range []string{"if", "then", "else", "not"} {
		if part := s[keyword]; part != nil {
			parts = append(parts, part)
		}
	}
	return parts
}
