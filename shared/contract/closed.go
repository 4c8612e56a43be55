package contract

import (
	"maps"
	"slices"
	"strings"
)

// A node is a schema that is an object, which all but true and false are.
type node = map[string]any

// Keywords of JSON Schema 2020-12 by where their subschemas apply: to the very same value, or to what lies below it.
var (
	hereOne  = []string{"not", "if", "then", "else"}
	hereList = []string{"allOf", "anyOf", "oneOf"}
	hereMap  = []string{"dependentSchemas"}

	belowOne  = []string{"items", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames"}
	belowList = []string{"prefixItems"}
	belowMap  = []string{"properties", "patternProperties"}
)

// seal turns a schema into its closed form, in place: wherever a value is described by declared properties, no other
// member may stand there. It uses unevaluatedProperties, which sees through allOf, if and $ref, and only at the place of
// the value, because a part of an allOf must not refuse what its siblings declare. A place that says itself what further
// members may be (additionalProperties) keeps its word.
func seal(document any) {
	if root, ok := document.(node); ok {
		sealer{root}.value(root)
	}
}

type sealer struct{ root node }

// value closes the schema of a whole value.
func (s sealer) value(schema node) {
	s.part(schema)
	_, decided := schema["unevaluatedProperties"]
	if !decided && s.declares(schema, map[string]bool{}) {
		schema["unevaluatedProperties"] = false
	}
}

// part closes what lies below a schema that may be only a part of its value's description.
func (s sealer) part(schema node) {
	for _, sub := range below(schema) {
		s.value(sub)
	}
	for _, sub := range here(schema) {
		s.part(sub)
	}
	for _, definition := range subschemas(schema, nil, nil, []string{"$defs"}) {
		s.part(definition) // closed as a value by whoever refers to it
	}
}

// declares reports whether the value described has properties of its own. Refs guards against definitions in a circle.
// A reference that cannot be followed here counts as declaring: better to refuse an event than to let a member slip out.
func (s sealer) declares(schema node, refs map[string]bool) bool {
	if schema["properties"] != nil || schema["$dynamicRef"] != nil {
		return true
	}
	if ref, ok := schema["$ref"].(string); ok && !refs[ref] {
		refs[ref] = true
		if target, ok := s.find(ref); !ok || s.declares(target, refs) {
			return true
		}
	}
	return slices.ContainsFunc(here(schema), func(sub node) bool { return s.declares(sub, refs) })
}

// find follows a reference of the form #/$defs/name, or # for the whole document.
func (s sealer) find(ref string) (node, bool) {
	if ref == "#" {
		return s.root, true
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	at := s.root
	for token := range strings.SplitSeq(path, "/") {
		if at, ok = at[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)].(node); !ok {
			return nil, false
		}
	}
	return at, true
}

func here(schema node) []node  { return subschemas(schema, hereOne, hereList, hereMap) }
func below(schema node) []node { return subschemas(schema, belowOne, belowList, belowMap) }

// subschemas lists those under keywords that hold one schema, a list of them or a map of them.
func subschemas(schema node, one, list, byName []string) []node {
	var found []any
	for _, keyword := range one {
		found = append(found, schema[keyword])
	}
	for _, keyword := range list {
		values, _ := schema[keyword].([]any)
		found = append(found, values...)
	}
	for _, keyword := range byName {
		values, _ := schema[keyword].(node)
		found = slices.AppendSeq(found, maps.Values(values))
	}
	var schemas []node
	for _, f := range found {
		if schema, ok := f.(node); ok {
			schemas = append(schemas, schema)
		}
	}
	return schemas
}
