package searchmap

import (
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

type marked struct {
	Search    id.SearchSession `json:"searchSessionId"`
	Pins      []search.MapPin  `json:"pins"`
	Total     int              `json:"total"`
	Clustered bool             `json:"clustered"`
	Truncated bool             `json:"truncated"`
	Stale     bool             `json:"stale"`
	Degraded  []string         `json:"degraded"`
}

const kabul = `{"mode":"bounding-box","boundingBox":{"swLat":34,"swLng":69,"neLat":35,"neLng":70}}`

func look(t *testing.T, v *consumertest.Traveller, body any) (got marked, a fntest.Answer) {
	t.Helper()
	a = v.Must(200, "POST", "/search/map", body)
	a.Into(t, &got)
	return got, a
}

func priced(pins []search.MapPin) (n int) {
	for _, p := range pins {
		if p.Nightly != nil {
			n++
		}
	}
	return n
}

func TestAMapShowsWhereHotelsAre(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 30, Function)
	market.EverySearch()
	v := market.Traveller("X-Currency", "USD")
	got, a := look(t, v, market.SearchBodyIn(kabul))
	if len(got.Pins) != 30 || got.Total != 30 || got.Clustered || got.Truncated || got.Stale || got.Degraded != nil || priced(got.Pins) != 20 {
		t.Fatalf("got %s", a.Body)
	}
	first := got.Pins[0]
	if first.Property != market.Hotels[0].Property || first.Geo != market.Hotels[0].Geo || *first.Color != "#1a2b3c" || first.Count != 1 ||
		*first.Nightly != 5000 || *first.Currency != money.USD || *first.Exponent != 2 {
		t.Errorf("got %+v", first)
	}
	if strings.Count(string(a.Body), `"currency"`) != 20 {
		t.Errorf("an amount without its currency, or a currency without an amount: %s", a.Body)
	}
	lit, a := look(t, v, market.SearchBodyIn(kabul, `,"spotlight":["`+market.Hotels[25].Property.String()+`"]`))
	if priced(lit.Pins) != 1 || lit.Pins[25].Nightly == nil || lit.Search != got.Search || a.Header.Get("X-Cache") != "MISS" {
		t.Errorf("in the spotlight: %s", a.Body)
	}
	if _, a := look(t, v, market.SearchBodyIn(kabul)); a.Header.Get("X-Cache") != "HIT" || market.Asked("pins") != 1 || market.Asked("brands") != 1 {
		t.Errorf("again: %s, asked %d and %d times", a.Header.Get("X-Cache"), market.Asked("pins"), market.Asked("brands"))
	}
	var told struct {
		Kind string `json:"kind"`
		Geo  struct {
			Mode string `json:"mode"`
		} `json:"geo"`
	}
	if market.Payload("search.executed", &told); told.Kind != "map" || told.Geo.Mode != "bounding-box" {
		t.Errorf("told %+v", told)
	}
}

func TestHotelsThatAreTooManyAreThinnedOut(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 520, Function)
	got, a := look(t, market.Traveller(), market.SearchBodyIn(kabul))
	stands := 0
	for _, p := range got.Pins {
		stands += p.Count
		if p.Count > 1 && p.Nightly != nil {
			t.Error("a pin that stands for several has a price")
		}
	}
	if !got.Clustered || !got.Truncated || len(got.Pins) > 200 || stands != 500 || got.Total != 520 {
		t.Errorf("%d pins for %d of %d: %.200s", len(got.Pins), stands, got.Total, a.Body)
	}
}

func TestOf200HotelsTheLooksAreAskedForInFourQuestions(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 200, Function)
	got, a := look(t, market.Traveller(), market.SearchBodyIn(kabul))
	if len(got.Pins) != 200 || got.Clustered || market.Asked("brands") != 4 || market.Asked("previews") != 1 {
		t.Errorf("%d pins, asked %d times: %.200s", len(got.Pins), market.Asked("brands"), a.Body)
	}
}

func TestASuspendedHotelIsNotOnTheMap(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 3, Function, tenantsuspended.Function)
	v, closed, now := market.Traveller(), market.Hotels[1].Tenant, market.Env.Now()
	look(t, v, market.SearchBodyIn(kabul))
	market.Deliver(tenantsuspended.Function, closed, map[string]any{"tenantId": closed, "reason": "unpaid", "suspendedAt": now}, now)
	if got, a := look(t, v, market.SearchBodyIn(kabul)); len(got.Pins) != 2 {
		t.Errorf("got %s", a.Body)
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 2, Function)
	v := market.Traveller()
	market.Mood("brands", upstreamtest.Failing)
	if got, a := look(t, v, market.SearchBodyIn(kabul)); !slices.Equal(got.Degraded, []string{"theme"}) || len(got.Pins) != 2 || !strings.Contains(string(a.Body), `"brandColor":null`) {
		t.Errorf("got %s", a.Body)
	}
	market.Mood("pins", upstreamtest.Failing)
	if a := v.Must(503, "POST", "/search/map", market.SearchBodyIn(`{"mode":"bounding-box","boundingBox":{"swLat":1,"swLng":1,"neLat":2,"neLng":2}}`)); a.Code() != "BFF.UPSTREAM_UNAVAILABLE" {
		t.Errorf("got %s", a.Body)
	}
}

func TestAMapOfNothingIsRefused(t *testing.T) {
	t.Parallel()
	market := consumertest.OpenSystem(t, 1, Function)
	v := market.Traveller()
	many := `,"spotlight":["` + strings.Repeat(market.Hotels[0].Property.String()+`","`, 20) + market.Hotels[0].Property.String() + `"]`
	for _, body := range []string{
		market.SearchBody(), market.SearchBodyIn(kabul, many), market.SearchBodyIn(kabul, `,"spotlight":["somewhere"]`),
		market.SearchBodyIn(strings.Replace(kabul, `"neLat":35`, `"neLat":33`, 1)), market.SearchBodyIn(kabul, `,"page":{"limit":1}`),
	} {
		if a := v.Send("POST", "/search/map", body); a.Status != 400 || len(a.Problem().Violations) == 0 {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
}

// Also in a process that has nothing in memory, one warm map reads few documents, however many pins it shows.
func TestReads_warmMap(t *testing.T) {
	t.Parallel()
	market, reads := consumertest.OpenCountingReads(t, 400, Function)
	v, body := market.Traveller(), market.SearchBodyIn(kabul)
	look(t, v, body)
	for _, process := range []string{"same", "new"} {
		if process == "new" {
			cache.Forget(market.Env)
		}
		reads.Since()
		got, a := look(t, v, body)
		if read := reads.Since(); len(read) > 20 || a.Header.Get("X-Cache") != "HIT" {
			t.Errorf("%s process: read %d documents for %d pins, %s: %v", process, len(read), len(got.Pins), a.Header.Get("X-Cache"), read)
		}
	}
}
