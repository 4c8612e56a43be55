package sandbox_test

import (
	"net/http"
	"net/url"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestDestinations(t *testing.T) {
	t.Parallel()
	w := withAllHotels(t)
	f := w.front(t)
	suggest := func(text string) (cities []string) {
		var got struct {
			Destinations []search.Destination `json:"destinations"`
		}
		f.Get("/sandbox/search/v1/destinations?limit=8&q="+url.QueryEscape(text)).Into(t, &got)
		for _, d := range got.Destinations {
			cities = append(cities, d.City)
		}
		return cities
	}
	for _, test := range []struct {
		text string
		want []string // at the beginning
	}{
		{"kab", []string{"Kabul"}}, {" KABUL ", []string{"Kabul"}}, {"کاب", []string{"Kabul"}}, {"كابو", []string{"Kabul"}}, {"caboul", []string{"Kabul"}}, {"Kabo", []string{"Kabul"}},
		{"پېښ", []string{"Peshawar"}}, {"دب", []string{"Dubai"}}, {"اصف", []string{"Isfahan"}}, {"کراچ", []string{"Karachi"}},
		{"Kabul, Afghanistan", []string{"Kabul"}}, {"kabul,", []string{"Kabul"}}, {"kabul, af", []string{"Kabul"}}, {"Kabul, Kabul, Afghanistan", []string{"Kabul"}},
		{"کابل، افغانستان", []string{"Kabul"}}, {"كابول، أفغانستان", []string{"Kabul"}}, {"پېښور، پاکستان", []string{"Peshawar"}}, {"اصفهان، ایران", []string{"Isfahan"}},
		{"کراچی، پاکستان", []string{"Karachi"}}, {"دبي، الإمارات", []string{"Dubai"}}, {"Kabul, Pakistan", nil}, {"paris, afghanistan", nil}, {",", nil}, {", Afghanistan", []string{"Kabul"}},
		{"Kabull", []string{"Kabul"}}, {"kandhar", []string{"Kandahar"}}, {"کابلل", []string{"Kabul"}}, {"kabl", []string{"Kabul"}}, {"kbl", nil},
		{"Kabull, Pakistan", nil}, {"minaret hotel h", []string{"Herat"}}, {"هتل مناره ه", []string{"Herat"}}, {"hotel minaret", nil},
		{"afghan", []string{"Kabul"}}, {"paris", nil}, {"%", nil}, {"' OR true --", nil},
	} {
		t.Run(test.text, func(t *testing.T) {
			got := suggest(test.text)
			if test.want == nil && len(got) > 0 {
				t.Errorf("suggestions %q, want none", got)
			}
			check.Equal(t, got[:min(len(got), len(test.want))], test.want, "suggestions %q", got)
			if len(got) > 8 {
				t.Errorf("%d suggestions, want at most 8", len(got))
			}
		})
	}
	for _, d := range w.hotels {
		if d.City == "Jalalabad" {
			check.Got(directory.OpenTenants(w.env).Suspend(t.Context(), d.Tenant, "billing")).Must(t)
		}
	}
	check.Equal(t, len(suggest("jalal")), 0, "a city without hotels is suggested")
	for _, query := range []string{"limit=0&q=kab", "limit=21&q=kab", "limit=8", "q=kab"} {
		t.Run(query, func(t *testing.T) {
			f.Get("/sandbox/search/v1/destinations?"+query).Want(t, http.StatusBadRequest)
		})
	}
}
