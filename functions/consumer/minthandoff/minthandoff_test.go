package minthandoff

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/search/searchtest"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// path leads to a house of a hotel company.
func path(tenant id.Tenant, property id.Property) string {
	return "/handoff/" + tenant.String() + "/" + property.String()
}

// to is the path to a hotel.
func to(h searchtest.Hotel) string { return path(h.Tenant, h.Property) }

// wish is what every traveller wants: two nights in a week. More is added to it.
func wish(m *consumertest.System, more ...string) string {
	checkIn, checkOut := m.Dates(7, 2)
	return wanting(fmt.Sprintf(`{"checkIn":%q,"checkOut":%q}`, checkIn, checkOut), `{"adults":2,"children":1,"rooms":1,"childrenAges":[7]}`, more...)
}

func wanting(dates, occupancy string, more ...string) string {
	return `{"dates":` + dates + `,"occupancy":` + occupancy + strings.Join(more, "") + `}`
}

func TestATravellerIsSentOnToTheHotelsOwnSite(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 2, Function)
	m.Hotels[0].Domains = []string{"hotel-0.example"}
	v := m.Traveller("X-Campaign-Source", "google", "Referer", "https://www.melmastoon.example/search?q=canary@example.com")
	a := v.Must(201, "POST", to(m.Hotels[0]), wish(m))
	var got Response
	a.Into(t, &got)
	if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Referrer-Policy") != "no-referrer" || v.Session.IsZero() {
		t.Errorf("answered %v", a.Header)
	}
	link, err := url.Parse(got.URL)
	if err != nil || link.Host != "hotel-0.example" || link.Query().Get("h") != got.Token.Reveal() || link.Query().Get("utm_source") != "google" {
		t.Errorf("leads to %s, %v", got.URL, err)
	}
	keys, err := secrets.Handoff(m.Env)
	if err != nil {
		t.Fatal(err)
	}
	h, err := keys.Verify(got.Token, m.Hotels[0].Tenant, m.Env.Now())
	if err != nil || h.ID != got.Handoff || h.GuestSession != v.Session || h.Property != m.Hotels[0].Property || h.Locale != "ps-AF" || h.Currency != "AFN" ||
		h.Occupancy != (handoff.Occupancy{Adults: 2, Children: 1, Rooms: 1}) || !h.ExpiresAt.Equal(got.ExpiresAt) || h.ExpiresAt.Sub(h.MintedAt) != 30*time.Minute {
		t.Errorf("signed %+v, %v", h, err)
	}
	var told map[string]any
	envelope, key := m.Payload("handoff.initiated", &told)
	if told["handoffId"] != got.Handoff.String() || told["guestSessionId"] != v.Session.String() || told["tenantSlug"] != "hotel-0" ||
		told["originReferer"] != "https://www.melmastoon.example/search" || envelope["tenantId"] != nil || key != v.Session.String() {
		t.Errorf("told %v, ordered by %s, in %v", told, key, envelope)
	}
	m.CheckPublished("handoff.initiated", 1)
	for table, text := range consumertest.Texts(t, m.DB) {
		for _, secret := range append(strings.Split(got.Token.Reveal(), ".")[1:], "canary") {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %q", table, secret)
			}
		}
	}
}

func TestARepeatGetsTheSameHandoff(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 1, Function)
	v, key := m.Traveller(), consumertest.Key()
	v.Must(201, "POST", to(m.Hotels[0]), wish(m))
	first := v.Must(201, "POST", to(m.Hotels[0]), wish(m), "Idempotency-Key", key)
	m.DB.Advance(time.Second)
	again := v.Must(201, "POST", to(m.Hotels[0]), wish(m), "Idempotency-Key", key)
	if string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replayed") != "true" || again.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("again: %v %s; first %s", again.Header, again.Body, first.Body)
	}
	if other := v.Must(201, "POST", to(m.Hotels[0]), wish(m)); string(other.Body) == string(first.Body) {
		t.Errorf("under another key: %s", other.Body)
	}
	if stranger := m.Traveller().Must(201, "POST", to(m.Hotels[0]), wish(m), "Idempotency-Key", key); string(stranger.Body) == string(first.Body) {
		t.Errorf("a stranger with the same key got %s", stranger.Body)
	}
	for _, header := range []string{"X-Currency", "X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name"} {
		if a := v.Send("POST", to(m.Hotels[0]), wish(m), "Idempotency-Key", key, header, "USD"); a.Status != 422 || a.Code() != "GENERAL.IDEMPOTENCY_KEY_REUSED" {
			t.Errorf("with %s, which the link or the token depends on: %d %s", header, a.Status, a.Body)
		}
	}
	m.CheckPublished("handoff.initiated", 4)
}

func TestATravellerIsNotSentOn(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 2, Function)
	m.Hotels[1].Suspended = true
	open, closed, v := m.Hotels[0], m.Hotels[1], m.Traveller()
	day, two := stay.DateOf(m.Env.Now()), `{"adults":2,"children":0,"rooms":1}`
	dates := func(from, until int) string {
		return fmt.Sprintf(`{"checkIn":%q,"checkOut":%q}`, day.AddDays(from), day.AddDays(until))
	}
	const invalid, missing = "GENERAL.VALIDATION_FAILED", "GENERAL.RESOURCE_NOT_FOUND"
	for _, test := range []struct {
		name, path, body string
		status           int
		code             string
		pointer          string
	}{
		{"to a company that is suspended", to(closed), wish(m), 403, "BFF.CONSUMER.TENANT_SUSPENDED", ""},
		{"to a company that is none", path(id.New[id.Tenant](), open.Property), wish(m), 404, missing, ""},
		{"to a house that is none", path(open.Tenant, id.New[id.Property]()), wish(m), 404, missing, ""},
		{"to a house of another company", path(open.Tenant, closed.Property), wish(m), 404, missing, ""},
		{"in German", to(open), wish(m, `,"locale":"de"`), 422, "BFF.CONSUMER.LOCALE_NOT_SUPPORTED", ""},
		{"for francs", to(open), wish(m, `,"currency":"CHF"`), 422, "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED", ""},
		{"in no language", to(open), wish(m, `,"locale":"!"`), 400, invalid, "/locale"},
		{"for no money", to(open), wish(m, `,"currency":"afghani"`), 400, invalid, "/currency"},
		{"without dates", to(open), `{"occupancy":` + two + `}`, 400, invalid, "/dates"},
		{"for no night", to(open), wanting(dates(7, 7), two), 400, invalid, "/dates/checkOut"},
		{"into the past", to(open), wanting(dates(-5, 2), two), 400, invalid, "/dates/checkIn"},
		{"for nobody", to(open), wanting(dates(7, 9), `{"adults":0,"children":1,"rooms":1}`), 400, invalid, "/occupancy/adults"},
		{"with children of unknown age", to(open), wanting(dates(7, 9), `{"adults":1,"children":2,"rooms":1,"childrenAges":[3]}`), 400, invalid, "/occupancy/childrenAges"},
		{"with a company in the body", to(open), wish(m, `,"tenantId":"`+closed.Tenant.String()+`"`), 400, invalid, "/tenantId"},
	} {
		a := v.Send("POST", test.path, test.body)
		if a.Status != test.status || a.Code() != test.code {
			t.Errorf("%s: got %d %s", test.name, a.Status, a.Body)
		}
		if test.pointer != "" && !slices.Contains(pointers(a), test.pointer) {
			t.Errorf("%s: complains of %v", test.name, pointers(a))
		}
	}
	m.CheckPublished("handoff.initiated", 0)
}

// pointers are what a refusal complains of.
func pointers(a fntest.Answer) (of []string) {
	for _, v := range a.Problem().Violations {
		of = append(of, v.Pointer)
	}
	return of
}

// TestAnAnswerComesInTime runs with each upstream service in each mood. No handoff is created in part, and each answer is within
// the time budget.
func TestAnAnswerComesInTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, stall string
		mood        upstreamtest.Mood
		code        string
	}{
		{"the tenant service hangs", "tenants", upstreamtest.Hanging, "BFF.UPSTREAM_UNAVAILABLE"},
		{"the property service hangs", "properties", upstreamtest.Hanging, "BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED"},
		{"the tenant service fails", "tenants", upstreamtest.Failing, "BFF.UPSTREAM_UNAVAILABLE"},
		{"the property service fails", "properties", upstreamtest.Failing, "BFF.UPSTREAM_UNAVAILABLE"},
		{"the tenant service answers something else", "tenants", upstreamtest.Garbled, "BFF.UPSTREAM_UNAVAILABLE"},
		{"the property service answers something else", "properties", upstreamtest.Garbage, "BFF.UPSTREAM_UNAVAILABLE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := consumertest.OpenSystem(t, 2, Function)
			v := m.Traveller()
			v.Must(201, "POST", to(m.Hotels[0]), wish(m)) // opens what is opened once
			m.Mood(test.stall, test.mood)
			var a fntest.Answer
			took, stalled := fntest.Timed(func() { a = v.Send("POST", to(m.Hotels[1]), wish(m)) })
			if a.Status/100 != 5 || a.Code() != test.code || took > m.Env.Timeout(Function.Spec.Timeout+50*time.Millisecond) {
				t.Errorf("got %d after %v, besides %v in which the machine got to nothing: %s", a.Status, took, stalled, a.Body)
			}
			m.Mood(test.stall, upstreamtest.Well)
			m.CheckPublished("handoff.initiated", 1)
		})
	}
}

// TestWhatWasHeardOfACompanyDecides closes a company by an event while the tenant service still says otherwise.
func TestWhatWasHeardOfACompanyDecides(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 1, Function)
	v, company, now := m.Traveller(), m.Hotels[0].Tenant, m.Env.Now()
	tenants := search.OpenTenants(m.Env)
	for _, test := range []struct {
		name   string
		closed bool
		since  time.Duration
		want   int
	}{
		{"suspended", true, 0, 403},
		{"reinstated before that", false, -time.Minute, 403},
		{"reinstated since", false, time.Minute, 201},
	} {
		if err := tenants.Apply(t.Context(), company, test.closed, now.Add(test.since)); err != nil {
			t.Fatal(err)
		}
		if a := v.Send("POST", to(m.Hotels[0]), wish(m)); a.Status != test.want {
			t.Errorf("%s: got %d %s", test.name, a.Status, a.Body)
		}
	}
}

// TestOfASilentTravellerOnlyTheHandoffIsTold is about evidence: who wants no telemetry is still answerable for what they use.
func TestOfASilentTravellerOnlyTheHandoffIsTold(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"DNT", "Sec-GPC"} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			m := consumertest.OpenSystem(t, 1, Function)
			m.Traveller(header, "1").Must(201, "POST", to(m.Hotels[0]), wish(m))
			if told := m.Published(); !slices.Equal(told, []string{"handoff.initiated"}) {
				t.Errorf("told %v", told)
			}
		})
	}
}
