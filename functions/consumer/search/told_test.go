package search

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/id"
)

type place struct {
	Mode    string `json:"mode"`
	City    string `json:"city"`
	Country string `json:"country"`
}

func TestSearchesAreToldAsOftenAsIsSaid(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 3, Function)
	market.EverySearch()
	v := market.Traveller("Accept-Language", "ps", "X-Currency", "USD")
	v.Must(200, "POST", "/search", market.SearchBodyIn(`{"mode":"city","city":"کابل"}`, `,"filters":{"amenities":["wifi","swimming-pool"],"starRating":[4]},"sortKey":"price-asc","page":{"limit":1,"offset":1}`))
	var told struct {
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
	envelope, key := market.Payload("search.executed", &told)
	if told.Session != v.Session || !strings.HasPrefix(told.Hash, "sha256:") || told.Kind != "list" || told.Sort != "price-asc" || told.Cached ||
		told.Page != (search.Page{Limit: 1, Offset: 1}) || told.Count != 3 || !slices.Equal(told.Keys, []string{"wifi", "star-rating"}) {
		t.Errorf("told %+v", told)
	}
	if told.Geo != (place{"city", "Kabul", "AF"}) {
		t.Errorf("the city is named as the hotels there name it: %+v", told.Geo)
	}
	if envelope["tenantId"] != nil || envelope["sessionId"] != v.Session.String() || key != v.Session.String() {
		t.Errorf("told in %v, by %s", envelope, key)
	}
	v.Must(200, "POST", "/search", market.SearchBodyIn(`{"mode":"city","city":"کابل"}`, `,"filters":{"amenities":["wifi","swimming-pool"],"starRating":[4]},"sortKey":"price-asc","page":{"limit":1,"offset":1}`))
	if market.Payload("search.executed", &told); !told.Cached {
		t.Error("an answer that was kept is told as found")
	}
	market.CheckPublished("search.executed", 2)
	for _, header := range []string{"DNT", "Sec-GPC"} {
		market.Traveller(header, "1").Must(200, "POST", "/search", market.SearchBody())
	}
	market.CheckPublished("search.executed", 2)
}

func TestOneSearchInTenIsTold(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 1, Function)
	v := market.Traveller()
	for range 60 {
		look(t, v, market.SearchBody())
	}
	n := 0
	for _, told := range market.Published() {
		if told == "search.executed" {
			n++
		}
	}
	if n > 25 { // of 60, at one in ten: more happens less than once in a billion runs
		t.Errorf("%d of 60 were told", n)
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

func TestWhatIsTypedReachesNoEventNoLogNoKeyAndNoRefusal(t *testing.T) {
	t.Parallel()
	log := &sink{TB: t}
	market := consumertest.OpenSystem(log, 3, Function)
	market.EverySearch()
	const mail, phone, name = "canary@example.com", "+93 70047114711", "zarghona-canary"
	const digits = "70047114711" // so many that no hash and no time of day has them by chance
	for _, test := range []struct {
		status int
		body   string
	}{
		{200, market.SearchBodyIn(`{"mode":"city","city":"` + mail + `"}`)},
		{200, market.SearchBodyIn(`{"mode":"region","region":"` + phone + `"}`)},
		{200, market.SearchBody(`,"filters":{"neighbourhoods":["` + mail + `"],"amenities":["` + name + `"],"propertyType":["` + name + `"]}`)},
		{400, market.SearchBody(`,"filters":{"amenities":["` + mail + `"]}`)},
		{400, market.SearchBody(`,"filters":{"cancellationFlexibility":"` + mail + `"}`)},
		{400, market.SearchBody(`,"sortKey":"` + mail + `"`)},
		{400, market.SearchBody(`,"` + mail + `":1`)},
		{400, market.SearchBodyIn(`{"mode":"` + mail + `","city":"Kabul"}`)},
		{400, market.SearchBodyIn(`{"mode":"city","city":"` + strings.Repeat(mail, 9) + `"}`)},
	} {
		v := market.Traveller()
		a := v.Must(test.status, "POST", "/search", test.body)
		for _, canary := range []string{"canary", phone} {
			if text := string(a.Body); strings.Contains(text, canary) && !strings.Contains(text, `"pointer":"/`+mail) {
				t.Errorf("%s is in the answer to %s: %s", canary, test.body, text)
			}
		}
	}
	market.CheckPublished("search.executed", 3)
	for table, text := range consumertest.Texts(t, market.DB) {
		for _, canary := range []string{"canary", digits} {
			if strings.Contains(text, canary) {
				t.Errorf("%s is in %s", canary, table)
			}
		}
	}
	if text := log.log.String(); !strings.Contains(text, "consumer-search") || strings.Contains(text, "canary") || strings.Contains(text, digits) {
		t.Errorf("the log says %s", text)
	}
	if !strings.Contains(market.Body("searches"), name) {
		t.Errorf("the search service was not asked: %s", market.Body("searches"))
	}
}
