package contracts

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// Every amenity of the demo hotels has a name on the consumer site. The two services do not import each other.
func TestAmenities_named(t *testing.T) {
	t.Parallel()
	text := check.Got(os.ReadFile("../../functions/consumer/internal/search/amenities.json")).Must(t)
	var labels map[string]map[string]string
	check.Must(t, json.Unmarshal(text, &labels))
	n := check.Got(demo.Named()).Must(t)
	hotels := check.Got(demo.Hotels(n)).Must(t)
	used := map[string]bool{}
	for _, h := range hotels {
		for _, code := range h.Amenities {
			used[code] = true
			if labels[code] == nil {
				t.Errorf("%s: amenity %q has no name", h.Slug, code)
			}
		}
	}
	for code := range labels {
		if !used[code] {
			t.Errorf("no hotel has the amenity %q", code)
		}
	}
}
