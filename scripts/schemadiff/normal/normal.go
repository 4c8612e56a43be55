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

// isNever reports whether a canonical schema accepts no value.
func isNever(s Schema) bool {
	inner, ok := s["not"].(Schema)
	return ok && len(inner) == 0
}

// Parse decodes a JSON Schema, or returns an error if it is not valid, so that each keyword has its form. Numbers of the same value are equal
// afterwards, however they were written.
func Parse(text []byte) (any, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if root, ok := document.(Schema); ok && root["$schema"] != nil && root["$schema"] != dialect {
		return nil, fmt.Errorf("$schema %v: want %s", root["$schema"], dialect)
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

// dialect is the only version of JSON Schema that is read: in others the same keywords have other forms.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// resource is the address of a schema that is being compiled.
const resource = "contract:schema"

// Of returns the canonical form of a parsed schema. The named steps are left out; tests use it to show that each is needed.
func Of(document any, without ...string) (Schema, error) {
	r := newResolver(document)
	inlined := r.inline(document, nil)
	if r.err != nil {
		return nil, r.err
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

// Each returns a copy of a schema with f applied to the schemas directly in it.
func Each(s Schema, f func(any) any) Schema {
	out := maps.Clone(s)
	for keyword, value := range s {
		switch {
		case slices.Contains(inObject, keyword):
			parts := maps.Clone(value.(Schema))
			for name, part := range parts {
				parts[name] = f(part)
			}
			out[keyword] = parts
		case slices.Contains(inList, keyword):
			parts := slices.Clone(value.([]any))
			for i, part := range parts {
				parts[i] = f(part)
			}
			out[keyword] = parts
		case slices.Contains(directly, keyword):
			out[keyword] = f(value)
		}
	}
	return out
}

// canonical applies the steps, the innermost schemas first.
type canonical struct {
	without []string
}

func (c canonical) schema(s Schema) Schema {
	out := Each(s, func(part any) any { return c.schema(part.(Schema)) })
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
