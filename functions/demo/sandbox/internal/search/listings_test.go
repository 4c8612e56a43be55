package search

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
)

// The consumer service asks for up to 200 listings, and its client rejects responses over 1 MiB.
func TestListing_size(t *testing.T) {
	t.Parallel()
	const listings, maxResponse = 200, 1 << 20
	name := standin.Name{Default: strings.Repeat("n", 80), Localized: map[string]string{}}
	for _, tag := range []string{"ps-AF", "fa-AF", "fa-IR", "ur-PK", "ar-AE"} {
		name.Localized[tag] = strings.Repeat("ن", 80)
	}
	var all []Listing
	for n := range listings {
		l := Listing{Property: id.New[id.Property](), Tenant: id.New[id.Tenant](), Name: name, City: "Kabul", Country: "AF", StarRating: n % 6, Type: "hotel",
			Amenities: slices.Sorted(maps.Keys(name.Localized)), Badges: []string{"verified"}, IndexedAt: time.Now()}
		l.Thumbnail = l.thumbnail()
		all = append(all, l)
	}
	text, err := json.Marshal(all)
	if err != nil || len(text) > maxResponse {
		t.Errorf("%d listings have %d bytes, %v, want at most %d", listings, len(text), err, maxResponse)
	}
}
