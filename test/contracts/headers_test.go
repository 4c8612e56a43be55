package contracts

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// TestOpenAPIDocuments_headers requires the headers that every answer of a kind has. Tests that compare answers notice a missing one only
// if they cause such an answer, for example a replay.
func TestOpenAPIDocuments_headers(t *testing.T) {
	t.Parallel()
	loaded := map[string]document{}
	for _, f := range routes() {
		d, ok := loaded[f.Spec.Service()]
		if !ok {
			d = load(t, f.Spec.Service())
			loaded[f.Spec.Service()] = d
		}
		t.Run(f.Spec.Name, func(t *testing.T) {
			at := openapitest.Operation(f.Spec.Route)
			value, _ := d.At(at, "responses")
			responses, _ := value.(map[string]any)
			if len(responses) < 2 {
				t.Fatalf("%d responses, want a success and problems", len(responses))
			}
			for _, status := range slices.Sorted(maps.Keys(responses)) {
				want := []string{"X-Request-Id"}
				if status == "429" || status == "503" {
					want = append(want, "Retry-After")
				}
				if f.Spec.Idempotent && strings.HasPrefix(status, "2") {
					want = append(want, "Idempotent-Replayed")
				}
				for _, name := range want {
					if schema, _ := d.At(at, "responses", status, "headers", name, "schema"); schema == nil {
						t.Errorf("%s does not list %s", status, name)
					}
				}
			}
		})
	}
}
