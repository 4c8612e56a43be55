package contract

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A reference is a schema as the whole of JSON Schema understands it, in one of the models.
type reference struct{ schema *jsonschema.Schema }

func referenceOf(t testing.TB, document map[string]any, m model) reference {
	t.Helper()
	if m == closed {
		seal(document)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("events:it", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("events:it")
	if err != nil {
		t.Fatal(err)
	}
	return reference{schema}
}

// seal closes every value that declares members, with the keyword that JSON Schema has for it: it sees what branches
// declare. A condition stays open, because it only asks.
func seal(schema map[string]any) {
	part(schema)
	if declares(schema) {
		schema["unevaluatedProperties"] = false
	}
}

// part closes what lies below a schema, and below its branches, which describe the same value.
func part(schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for _, sub := range properties {
		sealAny(sub)
	}
	sealAny(schema["items"])
	sealAny(schema["additionalProperties"])
	for _, branch := range []string{"then", "else"} {
		if sub, ok := schema[branch].(map[string]any); ok {
			part(sub)
		}
	}
}

func sealAny(schema any) {
	if sub, ok := schema.(map[string]any); ok {
		seal(sub)
	}
}

func declares(schema map[string]any) bool {
	for _, branch := range []string{"if", "then", "else"} {
		if sub, ok := schema[branch].(map[string]any); ok && declares(sub) {
			return true
		}
	}
	return schema["properties"] != nil
}

// breaches are the places and rules that the payload breaks, sorted.
func (r reference) breaches(t testing.TB, payload []byte) string {
	t.Helper()
	if !jsontext.Value(payload).IsValid() {
		return " json"
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	if err != nil {
		t.Fatal(err)
	}
	err = r.schema.Validate(value)
	if err == nil {
		return ""
	}
	broken, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		t.Fatal(err)
	}
	found := leaves(broken)
	slices.SortFunc(found, func(a, b [2]string) int { return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1])) })
	var all []string
	for _, each := range slices.Compact(found) {
		all = append(all, each[0]+" "+each[1])
	}
	return strings.Join(all, " ")
}

// leaves are the innermost failures, each with its pointer and its keyword.
func leaves(e *jsonschema.ValidationError) (found [][2]string) {
	for _, cause := range e.Causes {
		found = append(found, leaves(cause)...)
	}
	at := ""
	for _, name := range e.InstanceLocation {
		at += pointer(name)
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			found = append(found, [2]string{at + pointer(name), "required"})
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			found = append(found, [2]string{at + pointer(name), unknown})
		}
	case *kind.FalseSchema:
		found = append(found, [2]string{at, unknown})
	default:
		if keywords := e.ErrorKind.KeywordPath(); len(e.Causes) == 0 && len(keywords) > 0 {
			found = append(found, [2]string{at, keywords[len(keywords)-1]})
		}
	}
	return found
}
