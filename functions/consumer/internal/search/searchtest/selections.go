package searchtest

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

func (s *Services) listings(_ *http.Request, body []byte) any {
	var in struct {
		Properties []string `json:"propertyIds"`
	}
	if json.Unmarshal(body, &in) != nil {
		return nil
	}
	found := []search.Listing{}
	for _, p := range in.Properties {
		if h := s.of(p); h != nil && !h.Suspended {
			found = append(found, h.Listing)
		}
	}
	return map[string]any{"listings": found}
}

// similar returns the other hotels of the city, in their order.
func (s *Services) similar(_ *http.Request, body []byte) any {
	var in struct {
		Property string         `json:"propertyId"`
		Currency money.Currency `json:"currency"`
		Limit    int            `json:"limit"`
	}
	h := (*Hotel)(nil)
	if json.Unmarshal(body, &in) == nil && in.Currency != "" {
		h = s.of(in.Property)
	}
	if h == nil {
		return nil
	}
	found := []search.Listing{}
	for _, other := range s.Hotels {
		if other.Property != h.Property && other.City == h.City && len(found) < in.Limit {
			found = append(found, other.Listing)
		}
	}
	return map[string]any{"listings": found}
}

func (s *Services) destinations(r *http.Request, _ []byte) any {
	found := []search.Destination{}
	if kabul := "kabul"; strings.HasPrefix(kabul, r.FormValue("q")) && r.FormValue("limit") != "" {
		found = append(found, search.Destination{City: "Kabul", Country: "AF", Hotels: len(s.Hotels),
			Name: locale.Text{Default: "Kabul", Localized: map[string]string{"ps": "کابل"}}})
	}
	return map[string]any{"destinations": found}
}

func (s *Services) popularity(r *http.Request, _ []byte) any {
	h := s.of(r.FormValue("propertyId"))
	if h == nil {
		return nil
	}
	return map[string]any{"propertyId": h.Property, "bookedLast24h": h.Booked, "viewedLast1h": h.Viewed}
}
