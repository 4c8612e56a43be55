package roundtrips

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/test/system"
)

// A walk sends the requests of guests and services to every route of the three services, one at a time, and records their costs.
// A cold walk starts with empty caches; a warm walk repeats requests that were made before.
type walk struct {
	*fixture
	t       *testing.T
	cold    bool
	day     int // from today, of the stays that are booked
	asked   int
	figures map[string]trips
	sizes   map[string]int // of the lists in the answers, by the function that gave them
}

// walkThrough runs a cold or warm walk. The walks of one fixture book different days.
func walkThrough(w *fixture, cold bool, day int) *walk {
	w.t.Helper()
	k := &walk{fixture: w, t: w.t, cold: cold, day: day, figures: map[string]trips{}, sizes: map[string]int{}}
	w.Quiet()
	w.clear()
	traveller := k.travel()
	k.book(traveller)
	k.reserve()
	k.refuse()
	k.changes()
	k.frontDesk()
	k.count("consumer-clearsession", func() { traveller.must(http.StatusNoContent, http.MethodPost, "/session/clear", nil) })
	k.late()
	w.Quiet()
	k.recordDeliveries()
	return k
}

// count sends a request and records its cost for the function that answers it. The name is a function, or a function with a
// circumstance.
func (k *walk) count(name string, send func()) {
	k.t.Helper()
	var function string
	if _, err := fmt.Sscan(name, &function); err != nil {
		k.t.Fatal(err)
	}
	k.Quiet()
	if k.cold {
		k.clearCaches()
	}
	k.asked++
	send()
	id := k.request()
	found := k.find(func(a *callCost) bool { return a.function == function && a.request == id })
	if len(found) != 1 {
		k.t.Fatalf("%s: %d calls of it, want 1", name, len(found))
	}
	k.figures[name] = found[0].trips
}

// again counts a request that can be repeated. In a warm walk it counts the second request, which finds cached values.
func (k *walk) again(name string, send func()) {
	k.t.Helper()
	k.count(name, send)
	if !k.cold {
		k.count(name, send)
	}
}

// request returns the id of the counted request.
func (k *walk) request() string { return fmt.Sprint("ledger-", k.day, "-", k.asked) }

// recordDeliveries records the maximum cost of the deliveries of each event.
func (k *walk) recordDeliveries() {
	for _, a := range k.find(func(a *callCost) bool { return a.event && ours(a.function) }) {
		k.figures[a.function] = most(k.figures[a.function], a.trips)
	}
}

// ours reports whether a function belongs to one of the three services. The sandbox simulates other services.
func ours(function string) bool {
	service, _, _ := strings.Cut(function, "-")
	return service == "consumer" || service == "tenantbooking" || service == "reservation"
}

// A guest is a visitor whose requests identify the counted one.
type guest struct {
	*system.Visitor
	walk *walk
}

func (g guest) must(status int, method, path string, body any) system.Answer {
	g.walk.t.Helper()
	g.Headers["X-Request-Id"] = g.walk.request()
	return g.Must(status, method, path, body)
}

// newcomer returns a guest with a new browser on the consumer site.
func (k *walk) newcomer() guest {
	b := k.Browser()
	b.Headers = map[string]string{}
	return guest{b.AtAll(), k}
}

// at returns a guest with a new browser on the site of the booked hotel.
func (k *walk) at() guest {
	b := k.Browser()
	b.Headers = map[string]string{}
	return guest{b.At(demo.KabulGrand), k}
}

func (k *walk) date(from int) string { return k.Env().Now().AddDate(0, 0, from).Format(time.DateOnly) }

// trip returns the dates and occupancy.
func (k *walk) trip() map[string]any {
	return map[string]any{
		"dates":     map[string]any{"checkIn": k.date(k.day), "checkOut": k.date(k.day + 2)},
		"occupancy": map[string]any{"adults": 2, "children": 0, "rooms": 1},
	}
}

func (k *walk) tripQuery() string {
	return url.Values{"checkIn": {k.date(k.day)}, "checkOut": {k.date(k.day + 2)}, "adults": {"2"}, "rooms": {"1"}}.Encode()
}

// travel sends the requests of a traveller on the consumer site, up to the handoff to a hotel.
func (k *walk) travel() guest {
	g := k.newcomer()
	k.count("consumer-readsession of a newcomer", func() { g.must(http.StatusOK, http.MethodGet, "/session", nil) })
	k.count("consumer-changesession", func() {
		g.must(http.StatusOK, http.MethodPatch, "/session", map[string]any{"currency": "EUR"})
	})
	k.again("consumer-suggestdestinations", func() { g.must(http.StatusOK, http.MethodGet, "/destinations?q=kab", nil) })
	k.search(g)
	hotel := demo.KabulGrand.Property.String()
	k.gather(g)
	k.again("consumer-readhotel", func() { g.must(http.StatusOK, http.MethodGet, "/hotels/"+hotel, nil) })
	k.again("consumer-readhotel with dates", func() { g.must(http.StatusOK, http.MethodGet, "/hotels/"+hotel+"?"+k.tripQuery(), nil) })
	k.again("consumer-readavailability", func() { g.must(http.StatusOK, http.MethodGet, "/hotels/"+hotel+"/availability?"+k.tripQuery(), nil) })
	k.wishFor(g, demo.KabulGrand)
	var seen struct{ RecentlyViewed []any }
	k.again("consumer-readsession with cards", func() { g.must(http.StatusOK, http.MethodGet, "/session?expand=card", nil) })
	k.again("consumer-readsession", func() { g.must(http.StatusOK, http.MethodGet, "/session", nil).Into(k.t, &seen) })
	k.sizes["hotels looked at"] = len(seen.RecentlyViewed)
	k.count("consumer-removewish", func() { g.must(http.StatusNoContent, http.MethodDelete, "/wishlist/"+hotel, nil) })
	k.sendTelemetry(g)
	return g
}

// gather creates the viewed hotels and wishes of a guest.
func (k *walk) gather(g guest) {
	k.t.Helper()
	for _, h := range k.city[1:] {
		g.must(http.StatusOK, http.MethodGet, "/hotels/"+h.Property.String(), nil)
		g.must(http.StatusCreated, http.MethodPost, "/wishlist", map[string]any{"propertyId": h.Property.String(), "source": "list"})
	}
}

// wishFor adds a wish and lists them all.
func (k *walk) wishFor(g guest, h demo.Hotel) {
	k.t.Helper()
	k.count("consumer-addwish", func() {
		g.must(http.StatusCreated, http.MethodPost, "/wishlist", map[string]any{"propertyId": h.Property.String(), "source": "detail"})
	})
	var wished struct{ Wishlist []any }
	k.again("consumer-listwishes with cards", func() { g.must(http.StatusOK, http.MethodGet, "/wishlist?expand=card", nil) })
	k.again("consumer-listwishes", func() { g.must(http.StatusOK, http.MethodGet, "/wishlist", nil).Into(k.t, &wished) })
	k.sizes["wishes"] = len(wished.Wishlist)
}

func (k *walk) search(g guest) {
	var found struct{ Results, Pins []any }
	body := k.trip()
	body["geo"] = map[string]any{"mode": "city", "city": "Kabul"}
	k.again("consumer-search", func() { g.must(http.StatusOK, http.MethodPost, "/search", body).Into(k.t, &found) })
	body["geo"] = map[string]any{"mode": "bounding-box", "boundingBox": map[string]any{"swLat": 34.3, "swLng": 69.0, "neLat": 34.7, "neLng": 69.4}}
	k.again("consumer-searchmap", func() { g.must(http.StatusOK, http.MethodPost, "/search/map", body).Into(k.t, &found) })
	k.sizes["hotels in the list"], k.sizes["pins on the map"] = len(found.Results), len(found.Pins)
}

// sendTelemetry sends the telemetry of a page.
func (k *walk) sendTelemetry(g guest) {
	hotel := map[string]any{"kind": "listing-card", "tenantId": demo.KabulGrand.Tenant.String(), "propertyId": demo.KabulGrand.Property.String()}
	say := func(what string, body any) func() {
		return func() { g.must(http.StatusAccepted, http.MethodPost, "/telemetry/"+what, body) }
	}
	k.count("consumer-recordpageview", say("page-view", map[string]any{"path": "/hotels"}))
	k.count("consumer-recordfunnel", say("funnel", map[string]any{"step": "map.opened"}))
	k.count("consumer-recordclick", say("click", hotel))
}

// sent mints a handoff, and optionally counts it.
func (k *walk) sent(g guest, counted bool) (token string) {
	var went struct{ Token string }
	mint := func() {
		g.must(http.StatusCreated, http.MethodPost, "/handoff/"+demo.KabulGrand.Tenant.String()+"/"+demo.KabulGrand.Property.String(), k.trip()).Into(k.t, &went)
	}
	if counted {
		k.count("consumer-minthandoff", mint)
	} else {
		mint()
	}
	return went.Token
}

// book sends the requests of a guest on a hotel's own site.
func (k *walk) book(traveller guest) {
	k.t.Helper()
	token := k.sent(traveller, true)
	k.at().must(http.StatusOK, http.MethodGet, "/bootstrap", nil) // warms the caches in a warm walk
	other := k.at()
	k.count("tenantbooking-bootstrap of a newcomer", func() { other.must(http.StatusOK, http.MethodGet, "/bootstrap", nil) })
	g := guest{traveller.At(demo.KabulGrand), k}
	k.count("tenantbooking-bootstrap with a handoff", func() { g.must(http.StatusOK, http.MethodGet, "/bootstrap?h="+url.QueryEscape(token), nil) })
	other.must(http.StatusConflict, http.MethodGet, "/bootstrap?h="+url.QueryEscape(token), nil) // consumed by consumer-handoffreplayed
	token = k.sent(traveller, false)
	k.count("tenantbooking-consumehandoff", func() { g.must(http.StatusOK, http.MethodPost, "/handoff/consume", map[string]any{"token": token}) })
	k.again("tenantbooking-bootstrap", func() { g.must(http.StatusOK, http.MethodGet, "/bootstrap", nil) })
	k.again("tenantbooking-listpolicies", func() { g.must(http.StatusOK, http.MethodGet, "/policies", nil) })
	k.again("tenantbooking-listproperties", func() { g.must(http.StatusOK, http.MethodGet, "/properties", nil) })
	var shown struct{ Rooms []any }
	path := "/availability?propertyId=" + demo.KabulGrand.Property.String() + "&" + k.tripQuery()
	k.again("tenantbooking-readavailability", func() { g.must(http.StatusOK, http.MethodGet, path, nil).Into(k.t, &shown) })
	k.sizes["rooms on sale"] = len(shown.Rooms)
	k.count("tenantbooking-changesession", func() {
		g.must(http.StatusOK, http.MethodPatch, "/session", map[string]any{"currency": "USD"})
	})
	k.payByCard(g)
	k.payCash()
	k.leave()
	k.revoked(other)
}

// wish returns a stay of this walk.
func (k *walk) wish() system.Wish {
	w := system.Usual()
	w.From = k.day
	return w
}

func (k *walk) payByCard(g guest) {
	k.t.Helper()
	k.count("tenantbooking-quote", func() { g.must(http.StatusCreated, http.MethodPost, "/quote", g.QuoteBody(k.wish())) })
	k.count("tenantbooking-hold", func() { g.must(http.StatusCreated, http.MethodPost, "/hold", g.HoldBody()) })
	k.count("tenantbooking-setguest", func() { g.must(http.StatusOK, http.MethodPatch, g.Draft(""), system.GuestDetails()) })
	k.again("tenantbooking-readdraft", func() { g.must(http.StatusOK, http.MethodGet, g.Draft(""), nil) })
	k.count("tenantbooking-openintent", func() {
		g.must(http.StatusCreated, http.MethodPost, g.Draft("/payment-intent"), map[string]any{"method": "card"})
	})
	g.Press("pay")
	k.count("tenantbooking-confirmpayment", func() { g.must(http.StatusOK, http.MethodPost, g.Draft("/return"), nil) })
	k.again("tenantbooking-readconfirmation", func() { g.must(http.StatusOK, http.MethodGet, "/confirmation/"+g.ReservationID, nil) })
	k.again("tenantbooking-readlink", func() {
		path := "/internal/tenant-booking/v1/tenants/" + demo.KabulGrand.Tenant.String() + "/confirmations/" + g.ReservationID + "/link"
		k.ask(http.StatusOK, system.Request{Method: http.MethodGet, Path: path})
	})
	change := func(what string, body map[string]any) {
		k.count("tenantbooking-change of "+what, func() { g.must(http.StatusOK, http.MethodPatch, "/confirmation/"+g.ReservationID, body) })
	}
	change("dates", map[string]any{"stayWindow": map[string]any{"checkIn": k.date(k.day), "checkOut": k.date(k.day + 1)}})
	change("the guest", system.GuestDetails())
	change("requests", map[string]any{"specialRequest": map[string]any{"tags": []string{"cot"}}})
	k.count("tenantbooking-paybalance", func() {
		g.must(http.StatusOK, http.MethodPost, "/confirmation/"+g.ReservationID+"/payment", map[string]any{})
	})
	k.count("tenantbooking-cancel with a dry run", func() { k.cancel(g, true) })
}

func (k *walk) payCash() {
	k.t.Helper()
	g := k.at()
	g.must(http.StatusOK, http.MethodGet, "/bootstrap", nil)
	g.Book(k.wish(), "cash_on_arrival")
	k.count("tenantbooking-confirmcash", func() { g.must(http.StatusOK, http.MethodPost, g.Draft("/confirm"), nil) })
	k.count("tenantbooking-cancel", func() { k.cancel(g, false) })
}

func (k *walk) cancel(g guest, dryRun bool) {
	g.must(http.StatusOK, http.MethodPost, "/confirmation/"+g.ReservationID+"/cancel", map[string]any{"dryRun": dryRun})
}

func (k *walk) leave() {
	k.t.Helper()
	g := k.at()
	g.must(http.StatusOK, http.MethodGet, "/bootstrap", nil)
	g.RequestQuote(k.wish()).Hold()
	k.count("tenantbooking-abandondraft", func() { g.must(http.StatusNoContent, http.MethodDelete, g.Draft(""), nil) })
}
