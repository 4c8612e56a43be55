package contracts

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
)

// Every amenity of the demo hotels has a name on the consumer site. The two services do not import each other.
func TestAmenities_named(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../functions/consumer/internal/search/amenities.json")
	if err != nil {
		t.Fatal(err)
	}
	var labels map[string]map[string]string
	if err := json.Unmarshal(text, &labels); err != nil {
		t.Fatal(err)
	}
	n, err := demo.Named()
	if err != nil {
		t.Fatal(err)
	}
	hotels, err := demo.Hotels(n)
	if err != nil {
		t.Fatal(err)
	}
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
