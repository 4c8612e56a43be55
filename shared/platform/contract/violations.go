package contract

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"melmastoon.ghasi.io/shared/fault"
)

// unknown is the rule against members that the schema does not name.
const unknown = "unknown"

// violations validates a payload and returns all violations in the order of their pointers. The payload must be one JSON value
// in UTF-8 without duplicate members: two readers of a duplicate could see different values.
func violations(schema *jsonschema.Schema, payload []byte) ([]fault.Violation, error) {
	var value any
	if json.Unmarshal(payload, &value) != nil {
		return []fault.Violation{{Rule: "json", Message: "is not one well-formed JSON value"}}, nil
	}
	err := schema.Validate(value)
	if err == nil {
		return nil, nil
	}
	failure, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return nil, err
	}
	found := leaves(failure)
	slices.SortFunc(found, func(a, b fault.Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Rule, b.Rule))
	})
	return slices.Compact(found), nil
}

// leaves returns the innermost failures by pointer and rule, at least one. It does not use the library's texts, which repeat
// values.
func leaves(e *jsonschema.ValidationError) (found []fault.Violation) {
	for _, cause := range e.Causes {
		found = append(found, leaves(cause)...)
	}
	at := pointer(e.InstanceLocation...)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			found = append(found, fault.Violation{Pointer: at + pointer(name), Rule: "required", Message: "is missing"})
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			found = append(found, unnamed(at+pointer(name)))
		}
	case *kind.FalseSchema:
		found = append(found, unnamed(at))
	default:
		if len(e.Causes) > 0 {
			break
		}
		rule := "schema"
		if path := k.KeywordPath(); len(path) > 0 {
			rule = path[len(path)-1]
		}
		found = append(found, fault.Violation{Pointer: at, Rule: rule, Message: "breaks the schema's rule " + rule})
	}
	return found
}

func unnamed(pointer string) fault.Violation {
	return fault.Violation{Pointer: pointer, Rule: unknown, Message: "is not a member that the schema names"}
}

// pointer returns the JSON pointer of the names.
func pointer(names ...string) (p string) {
	for _, name := range names {
		p += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return p
}
