package contract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"melmastoon.ghasi.io/shared/fault"
)

// violations are the innermost failures, in the order of their pointers. The validator's own sentences quote values, so
// none of them is used.
func violations(e *jsonschema.ValidationError) []fault.Violation {
	var found []fault.Violation
	for _, cause := range e.Causes {
		found = append(found, violations(cause)...)
	}
	if len(e.Causes) == 0 {
		found = leaf(e)
	}
	slices.SortStableFunc(found, func(a, b fault.Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Rule, b.Rule))
	})
	return slices.Compact(found)
}

func leaf(e *jsonschema.ValidationError) []fault.Violation {
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return each(e.InstanceLocation, k.Missing, "required", "is missing")
	case *kind.AdditionalProperties:
		return each(e.InstanceLocation, k.Properties, "unknown", "is not a member that the schema names")
	case *kind.FalseSchema:
		return []fault.Violation{{Pointer: pointer(e.InstanceLocation), Rule: "unknown", Message: "is not a member that the schema names"}}
	}
	rule := "schema"
	if keywords := e.ErrorKind.KeywordPath(); len(keywords) > 0 {
		rule = keywords[len(keywords)-1]
	}
	return []fault.Violation{{Pointer: pointer(e.InstanceLocation), Rule: rule, Message: "breaks the schema's rule " + rule}}
}

func each(at, members []string, rule, message string) []fault.Violation {
	found := make([]fault.Violation, len(members))
	for i, member := range members {
		found[i] = fault.Violation{Pointer: pointer(append(slices.Clone(at), member)), Rule: rule, Message: message}
	}
	return found
}

func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return b.String()
}
