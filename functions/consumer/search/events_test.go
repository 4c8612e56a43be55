package search

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

type place struct {
	Mode    string `json:"mode"`
	City    string `json:"city"`
	Country string `json:"country"`
}

func TestSearch_events(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 3, Function)
	system.EverySearch()
	v := system.Traveller("Accept-Language", "ps", "X-Currency", "USD")
	v.Must(200, "POST", "/search", system.SearchBodyIn(`{"mode":"city","city":"کابل"}`, `,"filters":{"amenities":["wifi","swimming-pool"],"starRating":[4]},"sortKey":"price-asc","page":{"limit":1,"offset":1}`))
	var published struct {
		Session id.GuestSession `json:"guestSessionId"`
		Hash    string          `json:"queryHash"`
		Kind    string          `json:"kind"`
		Geo     place           `json:"geo"`
		Keys    []string        `json:"filterKeys"`
		Sort    string          `json:"sortKey"`
		Page    search.Page     `json:"page"`
		Count   int             `json:"resultCount"`
		Cached  bool            `json:"fromCache"`
	}
	envelope, key := system.Payload("search.executed", &published)
	check.Equal(t, published.Session, v.Session)
	check.Equal(t, strings.HasPrefix(published.Hash, "sha256:"), true, "%s", published.Hash)
	check.Equal(t, published.Kind, "list")
	check.Equal(t, published.Sort, "price-asc")
	check.Equal(t, published.Cached, false)
	check.Equal(t, published.Page, search.Page{Limit: 1, Offset: 1})
	check.Equal(t, published.Count, 3)
	check.Equal(t, published.Keys, []string{"wifi", "amenities", "star-rating"})
	check.Equal(t, published.Geo, place{"city", "Kabul", "AF"})
	check.Equal(t, envelope["tenantId"], nil)
	check.Equal[any](t, envelope["sessionId"], v.Session.String())
	check.Equal(t, key, v.Session.String())
	v.Must(200, "POST", "/search", system.SearchBodyIn(`{"mode":"city","city":"کابل"}`, `,"filters":{"amenities":["wifi","swimming-pool"],"starRating":[4]},"sortKey":"price-asc","page":{"limit":1,"offset":1}`))
	system.Payload("search.executed", &published)
	check.Equal(t, published.Cached, true, "an answer that was kept is published as found")
	system.CheckPublished("search.executed", 2)
	for _, header := range []string{"DNT", "Sec-GPC"} {
		system.Traveller(header, "1").Must(200, "POST", "/search", system.SearchBody())
	}
	system.CheckPublished("search.executed", 2)
}

// A list from the cache is published as such, also if it is old or a brand is missing.
func TestSearch_fromCache(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		route string
		after time.Duration
	}{
		"old list":             {"searches", 2 * time.Minute},
		"brands are missing":   {"brands", 40 * time.Second},
		"prices are not found": {"previews", 40 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			system := consumertest.OpenSystem(t, 2, Function)
			system.EverySearch()
			if test.route != "searches" {
				system.SetBehavior(test.route, upstreamtest.Failing)
			}
			v := system.Traveller()
			post(t, v, system.SearchBody())
			system.SetBehavior(test.route, upstreamtest.Failing)
			var published struct {
				Cached bool `json:"fromCache"`
			}
			system.Payload("search.executed", &published)
			check.Equal(t, published.Cached, false, "the first search: fromCache")
			system.DB.Advance(test.after)
			post(t, v, system.SearchBody())
			system.Payload("search.executed", &published)
			check.Equal(t, published.Cached, true, "the second search: fromCache")
		})
	}
}

// TestSearch_placeName publishes the name that the search service has for the place, also if it has found no hotel, and never
// the name that was typed.
func TestSearch_placeName(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 0, Function)
	system.EverySearch()
	system.Places["هرات"] = search.NamedPlace{Country: "AF"}
	system.Places["Zarghona"] = search.NamedPlace{}
	system.Places["Kandahar"] = search.NamedPlace{City: strings.Repeat("K", 81), Country: "af"}
	v := system.Traveller()
	for _, test := range []struct {
		name, geo string
		want      place
	}{
		{"no_hotels", `{"mode":"city","city":"کابل"}`, place{"city", "Kabul", "AF"}},
		{"region", `{"mode":"region","region":"هرات"}`, place{"region", "", "AF"}},
		{"unknown", `{"mode":"city","city":"Zarghona"}`, place{Mode: "city"}},
		{"absent", `{"mode":"city","city":"Zarghuna"}`, place{Mode: "city"}},
		{"malformed", `{"mode":"city","city":"Kandahar"}`, place{Mode: "city"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			v.Must(200, "POST", "/search", system.SearchBodyIn(test.geo))
			var published struct {
				Geo place `json:"geo"`
			}
			system.Payload("search.executed", &published)
			check.Equal(t, published.Geo, test.want)
			city := v.StoredSession().SearchHistory[0].Geo.City
			check.Equal(t, city, test.want.City, "the session has the city")
		})
	}
}

func TestSearch_sampled(t *testing.T) {
	t.Parallel()
	system := consumertest.OpenSystem(t, 1, Function)
	v := system.Traveller()
	for range 60 {
		post(t, v, system.SearchBody())
	}
	n := 0
	for _, published := range system.Published() {
		if published == "search.executed" {
			n++
		}
	}
	if n > 25 { // of 60, at one in ten: more happens less than once in a billion runs
		t.Errorf("%d of 60 were published", n)
	}
}

// A sink takes what a test's log would have had.
type sink struct {
	testing.TB
	mu  sync.Mutex
	log bytes.Buffer
}

func (s *sink) Output() io.Writer { return s }

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

func TestSearch_typedText(t *testing.T) {
	t.Parallel()
	log := &sink{TB: t}
	system := consumertest.OpenSystem(log, 3, Function)
	system.EverySearch()
	const mail, phone, name = "canary@example.com", "+93 70047114711", "zarghona-canary"
	const digits = "70047114711" // so many that no hash and no time of day has them by chance
	for _, test := range []struct {
		status int
		body   string
	}{
		{200, system.SearchBodyIn(`{"mode":"city","city":"` + mail + `"}`)},
		{200, system.SearchBodyIn(`{"mode":"region","region":"` + phone + `"}`)},
		{200, system.SearchBody(`,"filters":{"neighbourhoods":["` + mail + `"],"amenities":["` + name + `"],"propertyType":["` + name + `"]}`)},
		{400, system.SearchBody(`,"filters":{"amenities":["` + mail + `"]}`)},
		{400, system.SearchBody(`,"filters":{"cancellationFlexibility":"` + mail + `"}`)},
		{400, system.SearchBody(`,"sortKey":"` + mail + `"`)},
		{400, system.SearchBody(`,"` + mail + `":1`)},
		{400, system.SearchBodyIn(`{"mode":"` + mail + `","city":"Kabul"}`)},
		{400, system.SearchBodyIn(`{"mode":"city","city":"` + strings.Repeat(mail, 9) + `"}`)},
	} {
		t.Run(test.body, func(t *testing.T) {
			v := system.Traveller()
			a := v.Must(test.status, "POST", "/search", test.body)
			for _, canary := range []string{"canary", phone} {
				t.Run(canary, func(t *testing.T) {
					if text := string(a.Body); strings.Contains(text, canary) && !strings.Contains(text, `"pointer":"/`+mail) {
						t.Errorf("%s is in the answer to %s: %s", canary, test.body, text)
					}
				})
			}
		})
	}
	system.CheckPublished("search.executed", 3)
	for _, text := range consumertest.Texts(t, system.DB) {
		for _, canary := range []string{"canary", digits} {
			t.Run(canary, func(t *testing.T) {
				check.Lacks(t, text, canary)
			})
		}
	}
	text := log.log.String()
	check.Contains(t, text, "consumer-search")
	check.Lacks(t, text, "canary")
	check.Lacks(t, text, digits)
	check.Contains(t, system.Body("searches"), name)
}
