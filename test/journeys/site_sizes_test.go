package journeys

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/system"
)

// TestSite_sizes holds the answers of a complete hotel to the sizes that the capacity is computed with. Texts
// in Arabic letters take two bytes per letter.
func TestSite_sizes(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	for _, hotel := range []demo.Hotel{demo.KabulGrand, demo.HeratGarden} {
		for _, language := range []string{"en", "ps-AF", "fa-AF"} {
			t.Run(hotel.Slug+" in "+language, func(t *testing.T) {
				v := s.Browser().At(hotel)
				v.Languages = language
				boot := v.Must(http.StatusOK, http.MethodGet, "/bootstrap", nil)
				wish := v.QuoteBody(system.Wish{Hotel: hotel, From: 7, Nights: 3, Rooms: 1})
				window, _ := wish["stayWindow"].(map[string]any)
				query := url.Values{"propertyId": {hotel.Property.String()}, "checkIn": {fmt.Sprint(window["checkIn"])}, "checkOut": {fmt.Sprint(window["checkOut"])},
					"adults": {"2"}, "children": {"0"}, "rooms": {"1"}}
				rooms := v.Must(http.StatusOK, http.MethodGet, "/availability?"+query.Encode(), nil)
				t.Logf("bootstrap %d bytes, availability %d", len(boot.Body), len(rooms.Body))
				if len(boot.Body) > 80<<10 {
					t.Errorf("the bootstrap has %d bytes, want at most 80 KiB", len(boot.Body))
				}
				if len(rooms.Body) > 10<<10 {
					t.Errorf("availability has %d bytes, want at most 10 KiB", len(rooms.Body))
				}
			})
		}
	}
}
