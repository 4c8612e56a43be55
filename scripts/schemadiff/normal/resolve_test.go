package normal_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"melmastoon.ghasi.io/scripts/schemadiff/normal"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestOf_unreadable shows that a schema whose references cannot be followed is an error: its changes would not be seen.
func TestOf_unreadable(t *testing.T) {
	t.Parallel()
	doubled := `"d0":{"type":"string"}`
	for i := range 30 {
		doubled += fmt.Sprintf(`,"d%d":{"properties":{"l":{"$ref":"#/$defs/d%d"},"r":{"$ref":"#/$defs/d%d"}}}`, i+1, i, i)
	}
	for _, test := range []struct {
		name, text, want string // want is part of the error, or empty
	}{
		{"recursion", `{"properties":{"next":{"$ref":"#"}}}`, ""},
		{"recursion_below_an_alternative", `{"anyOf":[{"type":"null"},{"properties":{"next":{"$ref":"#"}}}]}`, ""},
		{"reference_to_itself", `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"properties":{"x":{"$ref":"#/$defs/a"}}}`, "leads to itself"},
		{"alternative_of_itself", `{"$defs":{"a":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}},"properties":{"x":{"$ref":"#/$defs/a"}}}`, "leads to itself"},
		{"missing_definition", `{"properties":{"x":{"$ref":"#/$defs/a"}}}`, "no target"},
		{"other_document", `{"properties":{"x":{"$ref":"other.json"}}}`, "out of the document"},
		{"dynamic_reference", `{"$defs":{"m":{"$dynamicAnchor":"m"}},"properties":{"x":{"$dynamicRef":"#m"}}}`, "$dynamicRef is not supported"},
		{"old_dependencies", `{"dependencies":{"a":["b"]}}`, "dependencies is not supported"},
		{"document_in_a_document", `{"$id":"https://a.example/v1","$defs":{"m":{"$id":"https://a.example/m"}},"properties":{"x":{"$ref":"#/$defs/m"}}}`, "not supported"},
		{"doubling_references", `{"$defs":{` + doubled + `},"properties":{"x":{"$ref":"#/$defs/d30"}}}`, "more than 200000 schemas"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var document any
			check.Must(t, json.Unmarshal([]byte(test.text), &document))
			_, err := normal.Of(document)
			if got := fmt.Sprint(err); test.want == "" && err != nil || !strings.Contains(got, test.want) {
				t.Errorf("error %q, want %q", got, test.want)
			}
		})
	}
}
