package storefront_test

import (
	"cmp"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/storefront/acceptreturn"
	"melmastoon.ghasi.io/functions/demo/storefront/cancel"
	"melmastoon.ghasi.io/functions/demo/storefront/change"
	"melmastoon.ghasi.io/functions/demo/storefront/choose"
	"melmastoon.ghasi.io/functions/demo/storefront/leave"
	"melmastoon.ghasi.io/functions/demo/storefront/offerrooms"
	"melmastoon.ghasi.io/functions/demo/storefront/pay"
	"melmastoon.ghasi.io/functions/demo/storefront/paybalance"
	"melmastoon.ghasi.io/functions/demo/storefront/prefer"
	"melmastoon.ghasi.io/functions/demo/storefront/receiveguest"
	"melmastoon.ghasi.io/functions/demo/storefront/setguest"
	"melmastoon.ghasi.io/functions/demo/storefront/showbooking"
	"melmastoon.ghasi.io/functions/demo/storefront/showcancellation"
	"melmastoon.ghasi.io/functions/demo/storefront/showchanges"
	"melmastoon.ghasi.io/functions/demo/storefront/showconfirmation"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// body is a JSON object.
type body = map[string]any

const (
	urlencoded = "application/x-www-form-urlencoded"
	tagline    = "A quiet house below the mountains"
	pashto     = "کابل ګرانډ هوټل"
)

// The property with its suites, as the property service returns it.
var (
	tenant       = id.New[id.Tenant]()
	property     = id.New[id.Property]()
	suites       = id.New[id.RoomType]()
	saver        = id.New[id.RatePlan]()
	flexible     = id.New[id.RatePlan]()
	rates        = []body{{"ratePlanId": saver, "name": "saver", "mealPlan": "room_only"}, {"ratePlanId": flexible, "name": "flexible", "mealPlan": "breakfast"}}
	propertyJSON = body{"ratePlans": rates, "propertyId": property, "tenantId": tenant, "timeZone": "Asia/Kabul",
		"name":        body{"default": "Kabul Grand Hotel", "localized": body{"ps-AF": pashto, "fa-AF": "هتل گرند کابل"}},
		"checkInFrom": "14:00", "checkOutUntil": "12:00",
		"roomTypes": []body{{"roomTypeId": suites, "name": "Family suite", "localized": body{
			"ps-AF": body{"name": "کورنۍ سویټ"}, "fa-AF": body{"name": "سویت خانوادگی"}}}}}
)

// listed returns the property in a language and a time zone, as the booking service returns it.
func listed(l locale.Tag, zone string) body {
	name, suite := "Kabul Grand Hotel", "Family suite"
	switch l {
	case locale.Pashto:
		name, suite = pashto, "کورنۍ سویټ"
	case locale.Dari:
		name, suite = "هتل گرند کابل", "سویت خانوادگی"
	default: // the names above
	}
	return body{"propertyId": property, "name": name, "timeZone": zone, "address": "Shahr-e Naw, Kabul", "country": "AF",
		"phone": "+93 00 000 1234", "checkInFrom": "14:00", "checkOutUntil": "12:00", "roomTypes": []body{{"roomTypeId": suites, "name": suite,
			"description": "Large.", "maxOccupancy": 5, "photos": []body{}}}, "ratePlans": rates}
}

// theme returns the hotel's theme.
func theme() body {
	return body{"primaryColor": "#1f4e79", "onPrimaryColor": "#ffffff", "accentColor": "#c8963e", "backgroundColor": "#f4f1ea",
		"surfaceColor": "#ffffff", "textColor": "#1d2530", "fontFamily": "system-ui", "cornerRadius": 10}
}

// A fakeBooking is a fake of the booking service for one guest. It answers according to its API and records its requests.
type fakeBooking struct {
	mu         sync.Mutex
	now        func() time.Time
	brand      string
	properties int    // number of properties, if more than one
	zone       string // of the properties
	version    string
	locale     locale.Tag
	offered    []locale.Tag // the hotel's languages
	sentIn     locale.Tag   // language of the handoff, if not locale
	nights     int          // of a late cancellation, instead of a percentage
	free       int          // hours of free cancellation before the day of arrival, if not 24
	limit      int          // of nights, 0 if the bootstrap does not tell
	tokens     any
	state      string
	guest      body
	refuses    map[string]string // by "METHOD last-part-of-the-path": a status and a code; " | " separates those of successive calls
	elsewhere  bool              // the browser has not the session that booked
	once       bool              // but only the first time
	pending    bool              // the payment is pending
	status     string            // paymentStatus of a pending payment
	secret     string            // clientSecret of a pending payment
	method     string            // of the payment
	changes    int               // of the reservation since it was confirmed
	intent     id.Intent
	full       bool // no room is free
	draft      id.Draft
	active     id.Draft // in the bootstrap
	booked     id.Reservation
	bookedAt   time.Time
	penalty    int  // of a cancellation, in minor units
	refunded   int  // after a cancellation, in minor units
	price      int  // of changed dates, in minor units
	moved      body // the changed dates
	prepaid    bool // dates that cost more take effect with their payment
	waits      body // those dates
	wishes     []string
	named      body      // the guest's corrected details
	methods    []string  // of payment
	due        int       // for the confirmed booking, in minor units
	promised   bool      // the guest pays in cash
	cleared    bool      // the payment of what is due has arrived
	declines   int       // of the pending payment of what is due
	stay       string    // state of the confirmed booking
	expires    time.Time // of the hold
	until      time.Time // of a new hold
	asked      []string
	received   []*http.Request
	bodies     []string
}

// beforeStay sets a clock that no test has set to a day before the stays of these tests, in March 2027.
func beforeStay(e env.Env) {
	if e.Offset() == 0 {
		e.Advance(time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC).Sub(e.Now()))
	}
}

func newFakeBooking(e env.Env) *fakeBooking {
	beforeStay(e)
	return &fakeBooking{now: e.Now, zone: "Asia/Kabul", methods: []string{"card", "mfs", "cash_on_arrival"}, brand: "Kabul Grand Hotel", version: "v7.thm_1_v2", locale: "en", offered: []locale.Tag{locale.Pashto, locale.Dari, locale.English}, tokens: theme(), refuses: map[string]string{},
		draft: id.New[id.Draft](), booked: id.New[id.Reservation](), bookedAt: e.Now().AddDate(0, 0, -2), expires: e.Now().Add(10 * time.Minute), until: e.Now().Add(10 * time.Minute)}
}

// RoundTrip sends requests to the fake booking service or the fake property service. The site can reach nothing else.
func (d *fakeBooking) RoundTrip(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.URL.Host == "property.example" {
		return d.propertyService(r), nil
	}
	text, _ := io.ReadAll(r.Body)
	path := strings.TrimPrefix(r.URL.Path, "/bff/tenant-booking/v1/kabul-grand-hotel")
	act := r.Method + " " + path[strings.LastIndexByte(path, '/')+1:]
	act = strings.NewReplacer(d.draft.String(), "draft", d.booked.String(), "reservation").Replace(act)
	d.asked, d.received, d.bodies = append(d.asked, act), append(d.received, r), append(d.bodies, string(text))
	w := httptest.NewRecorder()
	if d.elsewhere && (act == "GET draft" || act == "GET reservation" && !strings.HasSuffix(r.URL.Query().Get("t"), ".token")) {
		refuse(w, "404 GENERAL.RESOURCE_NOT_FOUND")
	} else if refusal, ok := d.refuses[act]; ok {
		refusal, rest, more := strings.Cut(refusal, " | ")
		if more {
			d.refuses[act] = rest
		}
		if d.once && !more {
			delete(d.refuses, act)
		}
		refuse(w, refusal)
	} else {
		d.answer(w, r, act, text)
	}
	return w.Result(), nil
}

// propertyService returns the property service's response.
func (d *fakeBooking) propertyService(r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	switch {
	case d.refuses["GET property"] != "":
		refuse(w, d.refuses["GET property"])
	case r.Header.Get("Cookie") != "" || d.refuses["GET bootstrap"]+d.refuses["GET properties"] == "":
		w.WriteHeader(http.StatusTeapot) // no cookies here, and only for suspended hotels
	case r.URL.Path == "/properties/"+property.String():
		_ = json.MarshalWrite(w, propertyJSON)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	return w.Result()
}

func refuse(w *httptest.ResponseRecorder, refusal string) {
	status, code, _ := strings.Cut(refusal, " ")
	code, field, _ := strings.Cut(code, " ")
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(map[string]int{"400": 400, "401": 401, "402": 402, "404": 404, "409": 409, "410": 410, "429": 429, "503": 503}[status])
	problem := body{"code": "MELMASTOON." + code}
	if status == "429" {
		problem["retryAfter"] = 7
	}
	if token, ok := strings.CutPrefix(field, "viewToken="); ok {
		problem["viewToken"] = token
	} else if field == "handoffPayload" {
		problem[field] = body{"propertyId": property, "stayWindow": stayed, "occupancy": people, "currency": "AFN"}
	} else if field != "" {
		problem["violations"] = []body{{"pointer": "/guest/" + field, "rule": "form", "message": "no"}}
	}
	_ = json.MarshalWrite(w, problem)
}

func (d *fakeBooking) answer(w *httptest.ResponseRecorder, r *http.Request, act string, text []byte) {
	var out any
	var shown []body
	status := http.StatusOK
	switch act {
	case "GET bootstrap":
		http.SetCookie(w, &http.Cookie{Name: "tnt_id", Value: "signed", Path: "/bff/tenant-booking/v1/kabul-grand-hotel", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		out = d.front(r.URL.Query().Get("h") != "")
	case "GET properties":
		for range max(1, d.properties) {
			shown = append(shown, listed(locale.Tag(r.FormValue("locale")), d.zone))
		}
		out = body{"locale": r.FormValue("locale"), "properties": shown}
	case "GET availability":
		if out = d.rooms(); d.full {
			out = body{"rooms": []body{}}
		}
	case "POST quote":
		status, out, d.state = http.StatusCreated, body{"draftId": d.draft, "quoteId": id.New[id.Quote]()}, "quoting"
	case "POST hold":
		status, out, d.state, d.expires = http.StatusCreated, body{"draftId": d.draft}, "holding", d.until
	case "PATCH draft":
		var in struct {
			Guest body `json:"guest"`
		}
		_ = json.Unmarshal(text, &in)
		d.guest, d.state, out = in.Guest, "collecting_details", d.view()
	case "GET draft":
		out = d.view()
	case "POST payment-intent":
		status, d.state = http.StatusCreated, "paying"
		d.intent = id.New[id.Intent]()
		d.method = textBetween(string(text), `"method":"`, `"`)
		out = body{"intentId": d.intent}
		if d.secret != "" {
			out = body{"intentId": d.intent, "clientSecret": d.secret}
		} else if d.method == "card" {
			out = body{"intentId": d.intent, "redirectUrl": "https://melmastoon.example/checkout"}
		}
	case "POST confirm", "POST return":
		if r.URL.Query().Get("r") == link {
			status, out = d.linked()
			break
		}
		if d.pending {
			status, out = http.StatusAccepted, body{"flowState": d.state, "reservationId": d.booked, "paymentStatus": d.status, "clientSecret": d.secret}
			break
		}
		d.state = "confirmed"
		out = body{"flowState": d.state, "reservationId": d.booked}
	case "DELETE draft":
		d.state, status = "abandoned", http.StatusNoContent
	case "PATCH session":
		out = body{}
	case "POST cancel":
		var in struct {
			DryRun  bool
			Penalty body
		}
		_ = json.Unmarshal(text, &in, json.MatchCaseInsensitiveNames(true))
		if shown, _ := in.Penalty["amountMinor"].(float64); in.Penalty != nil && int(shown) < d.penalty {
			refuse(w, "409 RESERVATION.PENALTY_CHANGED")
			return
		}
		if out = d.cancellation(); !in.DryRun {
			d.stay = "cancelled"
		}
	case "PATCH reservation":
		out = d.changed(w, text)
		if out == nil {
			return
		}
	case "GET reservation":
		out = d.confirmation()
	case "POST payment":
		status, out = d.pay(w, text)
		if out == nil {
			return
		}
	default:
		status, out = http.StatusNotFound, body{"code": "MELMASTOON.GENERAL.RESOURCE_NOT_FOUND"}
	}
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		_ = json.MarshalWrite(w, out)
	}
}

// textBetween returns the part of a text between two others, or "".
func textBetween(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	inner, _, _ := strings.Cut(rest, to)
	return inner
}

// link is the token of the return link.
const link = "a.return-link"

// linked returns the response to a return link: the state of the payment and, once confirmed, the view token.
func (d *fakeBooking) linked() (int, body) {
	if d.pending {
		return http.StatusAccepted, body{"flowState": d.state, "paymentStatus": d.status}
	}
	return http.StatusOK, body{"flowState": "confirmed", "viewToken": d.booked.String() + ".token"}
}

func conventions(tags []locale.Tag) (all []locale.Conventions) {
	for _, tag := range tags {
		all = append(all, tag.Conventions())
	}
	return all
}

func (d *fakeBooking) front(sent bool) body {
	front := body{"tenantId": tenant, "brandName": d.brand, "brandTagline": tagline, "bootstrapVersion": d.version, "locale": d.locale, "currency": "AFN",
		"theme":      body{"tokens": d.tokens, "logoUrl": "https://elsewhere.example/logo.png"},
		"locales":    conventions(d.offered),
		"currencies": []body{{"code": "AFN"}, {"code": "USD"}}, "paymentMethods": d.methods,
		"policies": []body{{"title": "Arrival", "text": "From 14:00."}}, "handoffPayload": nil, "flowConfig": body{"maxNights": d.limit}}
	if !d.active.IsZero() {
		front["activeBookingDraftId"] = d.active
	}
	if sent {
		front["handoffPayload"] = body{"propertyId": property, "stayWindow": stayed, "occupancy": people, "locale": cmp.Or(d.sentIn, d.locale)}
	}
	return front
}

var (
	stayed = body{"checkIn": "2027-03-21", "checkOut": "2027-03-23", "nights": 2}
	people = body{"adults": 2, "children": 1, "rooms": 1}
)

func (d *fakeBooking) terms() body {
	if d.nights > 0 {
		return body{"ref": "one-night", "freeUntilHoursBefore": 24, "penaltyPercent": 0, "penaltyNights": d.nights, "description": "In English."}
	}
	return body{"ref": "flexible-24h", "freeUntilHoursBefore": cmp.Or(d.free, 24), "penaltyPercent": 100, "description": "In English."}
}

func afghanis(amount int) body { return body{"amountMinor": amount, "currency": "AFN", "exponent": 2} }

func (d *fakeBooking) rooms() body {
	return body{"stale": true, "rooms": []body{{"roomTypeId": suites, "name": "Family suite", "description": "Large.", "maxOccupancy": 5,
		"unitsLeft": 2, "photos": []body{{"url": "data:image/svg+xml;base64,PHN2Zy8+", "alt": "A suite"}}, "rates": []body{
			{"ratePlanId": saver, "name": "saver", "mealPlan": "room_only", "cancellationPolicy": d.terms(), "nightly": afghanis(1100000), "total": afghanis(2420000), "priceUnavailable": false},
			{"ratePlanId": flexible, "name": "flexible", "mealPlan": "breakfast", "cancellationPolicy": d.terms(), "priceUnavailable": true}}}}}
}

func (d *fakeBooking) view() body {
	view := body{"draftId": d.draft, "flowState": d.state, "version": 3, "serverTime": d.now(), "quote": body{
		"propertyId": property, "roomTypeId": suites, "ratePlanId": saver, "stayWindow": stayed, "occupancy": people,
		"lines":              []body{{"kind": "room", "description": "Family suite, saver", "amount": afghanis(2200000)}, {"kind": "tax", "description": "Tax", "amount": afghanis(220000)}},
		"total":              afghanis(2420050),
		"cancellationPolicy": d.terms()}}
	if d.state != "quoting" {
		view["hold"] = body{"reservationId": d.booked, "holdExpiresAt": d.expires}
	}
	if d.guest != nil {
		view["guest"] = d.guest
	}
	if d.method != "" {
		view["payment"] = body{"intentId": d.intent, "method": d.method}
	}
	return view
}

func (d *fakeBooking) cancellation() body {
	return body{"reservationId": d.booked, "state": "confirmed", "penalty": afghanis(d.penalty), "refund": afghanis(2420000 - d.penalty), "freeCancellationUntil": d.deadline()}
}

// changed changes the booking to any dates, for d.price, or records the guest's details or a special request. It answers a refusal itself and returns nil.
func (d *fakeBooking) changed(w *httptest.ResponseRecorder, text []byte) any {
	var in struct {
		StayWindow     body
		Total          body
		DryRun         bool
		SpecialRequest struct{ FreeText string }
		Guest          body
	}
	_ = json.Unmarshal(text, &in, json.MatchCaseInsensitiveNames(true))
	c := d.confirmation()
	if in.Guest != nil {
		d.named = in.Guest
		return c
	}
	if in.StayWindow == nil {
		d.wishes = append(d.wishes, in.SpecialRequest.FreeText)
		return c
	}
	if shown, given := in.Total["amountMinor"].(float64); given && int(shown) < d.price {
		refuse(w, "409 BFF.TENANT.PRICE_CHANGED")
		return nil
	}
	dates := body{"checkIn": in.StayWindow["checkIn"], "checkOut": in.StayWindow["checkOut"], "nights": 2}
	c["stayWindow"], c["total"] = dates, afghanis(d.price)
	if d.price < 2420000 {
		c["refund"] = afghanis(2420000 - d.price)
	} else {
		c["due"] = afghanis(d.price - 2420000)
	}
	switch {
	case in.DryRun:
	case d.prepaid && d.price > 2420000:
		d.waits, d.due = dates, d.price-2420000
	default:
		d.moved = dates
	}
	return c
}

// pay begins a payment of what is due, or answers its result. It answers a refusal itself and returns nil.
func (d *fakeBooking) pay(w *httptest.ResponseRecorder, text []byte) (int, any) {
	var in struct {
		Method string
		Due    body
	}
	_ = json.Unmarshal(text, &in, json.MatchCaseInsensitiveNames(true))
	if d.cleared {
		d.due = 0
	}
	balance := body{"reservationId": d.booked, "state": "confirmed", "viewToken": "k.token"}
	if d.due == 0 {
		return http.StatusOK, balance
	}
	balance["due"] = afghanis(d.due)
	if shown, given := in.Due["amountMinor"].(float64); given && int(shown) != d.due {
		refuse(w, "409 BFF.TENANT.PRICE_CHANGED")
		return 0, nil
	}
	switch intent := (body{"intentId": id.New[id.Intent](), "method": d.method}); {
	case in.Method != "":
		if d.method = in.Method; d.method == "card" && d.secret == "" {
			intent["redirectUrl"] = "https://melmastoon.example/checkout"
		}
		balance["intent"] = intent
		return http.StatusCreated, balance
	case d.pending:
		balance["intent"], balance["paymentStatus"], balance["clientSecret"], balance["declines"] = intent, d.status, d.secret, d.declines
		return http.StatusAccepted, balance
	}
	return http.StatusOK, balance
}

// deadline returns the end of free cancellation: tomorrow, or yesterday if there is a penalty.
func (d *fakeBooking) deadline() time.Time {
	if d.free > 0 { // as the reservation service computes it
		return time.Date(2027, 3, 20, 19, 30, 0, 0, time.UTC).Add(-time.Duration(d.free) * time.Hour)
	}
	if d.penalty > 0 {
		return d.now().AddDate(0, 0, -1)
	}
	return d.now().AddDate(0, 0, 1)
}

func (d *fakeBooking) confirmation() body {
	c := d.confirmed()
	if d.moved != nil {
		c["stayWindow"], c["total"] = d.moved, afghanis(d.price)
	}
	if d.waits != nil {
		c["pendingChange"] = body{"stayWindow": d.waits, "total": afghanis(d.price), "payUntil": d.now().Add(10 * time.Minute)}
	}
	if d.due > 0 {
		c["due"], c["paid"] = afghanis(d.due), afghanis(2420050-d.due)
	}
	if d.promised {
		c["payment"] = body{"method": "cash_on_arrival", "status": "pending_cash"}
		delete(c, "paid")
	}
	switch d.stay {
	case "":
		c["freeCancellationUntil"] = d.deadline()
	case "cancelled":
		c["cancellation"] = body{"penalty": afghanis(d.penalty), "refund": afghanis(2420000 - d.penalty)}
		if d.refunded > 0 {
			c["paid"], c["refunded"], c["refundedAt"] = afghanis(2420000), afghanis(d.refunded), d.now()
		}
		fallthrough
	default:
		c["state"] = d.stay
	}
	return c
}

func (d *fakeBooking) confirmed() body {
	return body{"reservationId": d.booked, "reservationCode": "GM-7K2QX9", "state": "confirmed", "version": 4 + d.changes, "propertyId": property, "stayWindow": stayed,
		"rooms": []body{{"roomTypeId": suites, "ratePlanId": flexible, "adults": 2, "children": 1}}, "total": afghanis(2420050), "cancellationPolicy": d.terms(),
		"payment": body{"method": "card", "status": "captured"}, "confirmedAt": d.bookedAt, "viewToken": "k.token"}
}

// A browser is a guest's browser: it stores cookies, follows redirects inside the site, and sends the forms of its page.
type browser struct {
	t        *testing.T
	front    *fntest.Front
	booking  *fakeBooking
	jar      map[string]string
	accepts  string // the languages of the browser
	status   int    // status of the last response
	at       string // the current URL
	page     string
	external string // the URL outside the site of the last redirect
	policy   string // the content security policy of the page
}

func browse(t *testing.T, e env.Env, d *fakeBooking) *browser {
	t.Helper()
	beforeStay(e)
	e = upstream.TransportKey.With(e.With("PUBLIC_URL", "https://melmastoon.example").With("UPSTREAM_PROPERTY_URL", "https://property.example"), d)
	front := fntest.Open(t, e, offerrooms.Function, choose.Function, showbooking.Function, setguest.Function, pay.Function,
		receiveguest.Function, acceptreturn.Function, leave.Function, showconfirmation.Function,
		showcancellation.Function, cancel.Function, showchanges.Function, change.Function, paybalance.Function, prefer.Function)
	return &browser{t: t, front: front.As(""), booking: d, jar: map[string]string{}, accepts: "en-GB", status: http.StatusOK}
}

func (g *browser) cookie() string {
	var all []string
	for name, value := range g.jar {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

func (g *browser) open(path string) *browser {
	g.t.Helper()
	return g.follow(g.front.Get(path, "Cookie", g.cookie(), "Accept-Language", g.accepts), path)
}

func (g *browser) follow(a fntest.Answer, path string) *browser {
	g.t.Helper()
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if want := home; c.Name == "tnt_id" && c.Path != want || !strings.HasPrefix(c.Path, want) {
			g.t.Errorf("the cookie %s has the path %s, want %s", c.Name, c.Path, want)
		}
		if !c.HttpOnly {
			g.t.Errorf("the cookie %s is not HttpOnly", c.Name)
		}
		g.jar[c.Name] = c.Value
		if c.MaxAge < 0 {
			delete(g.jar, c.Name)
		}
	}
	if to := a.Header.Get("Location"); a.Status == http.StatusSeeOther && strings.HasPrefix(to, "/") {
		return g.open(to)
	} else if a.Status == http.StatusSeeOther {
		g.external = to
		if u, err := url.Parse(to); err != nil || !slices.Contains(strings.Fields(g.policy), u.Scheme+"://"+u.Host) {
			g.t.Errorf("the policy %q forbids a redirect of a form to %s, %v", g.policy, to, err)
		}
		return g
	}
	a.Want(g.t, g.status, "Content-Type", "text/html; charset=utf-8")
	if g.policy = a.Header.Get("Content-Security-Policy"); !strings.Contains(g.policy, "; form-action 'self'") {
		g.t.Errorf("policy %q, want form-action 'self'", g.policy)
	}
	g.at, g.page = path, string(a.Body)
	if strings.Contains(g.page, `http-equiv="refresh"`) || a.Header.Get("Refresh") != "" {
		g.t.Errorf("%s reloads itself", path)
	}
	return g
}

var (
	forms  = regexp.MustCompile(`(?s)<form[^>]*action="([^"]*)".*?</form>`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)
)

// send submits the page's first form whose action has that suffix, with its hidden fields.
func (g *browser) send(action string, fields ...string) *browser {
	g.t.Helper()
	return g.sendForm(action, "", fields...)
}

// sendForm submits the page's first form whose action has that suffix and that contains a text, with its hidden fields.
func (g *browser) sendForm(action, text string, fields ...string) *browser {
	g.t.Helper()
	for _, form := range forms.FindAllStringSubmatch(g.page, -1) {
		if !strings.HasSuffix(form[1], action) || !strings.Contains(form[0], text) {
			continue
		}
		values := url.Values{}
		for _, field := range hidden.FindAllStringSubmatch(form[0], -1) {
			values.Set(html.UnescapeString(field[1]), html.UnescapeString(field[2]))
		}
		for i := 0; i+1 < len(fields); i += 2 {
			values.Set(fields[i], fields[i+1])
		}
		return g.follow(g.front.Post(html.UnescapeString(form[1]), values.Encode(), "Content-Type", urlencoded, "Cookie", g.cookie()), form[1])
	}
	g.t.Fatalf("no form %s on %s: %s", action, g.at, g.page)
	return g
}

func (g *browser) sees(parts ...string) *browser {
	g.t.Helper()
	text := html.UnescapeString(g.page)
	for _, part := range parts {
		if !strings.Contains(text, part) {
			g.t.Errorf("%s does not show %q:\n%s", g.at, part, text)
		}
	}
	return g
}
