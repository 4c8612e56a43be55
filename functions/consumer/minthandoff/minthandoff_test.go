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
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/upstreamtest"
)

// path leads to a house of a hotel company.
func path(tenant id.Tenant, property id.Property) string {
	return "/handoff/" + tenant.String() + "/" + property.String()
}

// handoffPath is the path to a hotel.
func handoffPath(h searchtest.Hotel) string { return path(h.Tenant, h.Property) }

// requestBody is what every traveller wants: two nights in a week. More is added to it.
func requestBody(m *consumertest.System, more ...string) string {
	checkIn, checkOut := m.Dates(7, 2)
	return requestBodyWith(fmt.Sprintf(`{"checkIn":%q,"checkOut":%q}`, checkIn, checkOut), `{"adults":2,"children":1,"rooms":1,"childrenAges":[7]}`, more...)
}

func requestBodyWith(dates, occupancy string, more ...string) string {
	return `{"dates":` + dates + `,"occupancy":` + occupancy + strings.Join(more, "") + `}`
}

func TestMintHandoff_created(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 2, Function)
	m.Hotels[0].Domains = []string{"hotel-0.example"}
	v := m.Traveller("X-Campaign-Source", "google", "Referer", "https://www.melmastoon.example/search?q=canary@example.com")
	a := v.Must(201, "POST", handoffPath(m.Hotels[0]), requestBody(m))
	got := fntest.Read[Response](t, a)
	check.Equal(t, a.Header.Get("Cache-Control"), "no-store")
	check.Equal(t, a.Header.Get("Referrer-Policy"), "no-referrer")
	check.Equal(t, v.Session.IsZero(), false)
	link, err := url.Parse(got.URL)
	check.Must(t, err)
	check.Equal(t, link.Host, "hotel-0.example")
	check.Equal(t, link.Query().Get("h"), got.Token.Reveal())
	check.Equal(t, link.Query().Get("utm_source"), "google")
	keys, err := secrets.Handoff(m.Env)
	check.Must(t, err)
	h, err := keys.Verify(got.Token, m.Hotels[0].Tenant, m.Env.Now())
	check.Must(t, err)
	check.Equal(t, h.ID, got.Handoff)
	check.Equal(t, h.GuestSession, v.Session)
	check.Equal(t, h.Property, m.Hotels[0].Property)
	check.Equal(t, h.Locale, "ps-AF")
	check.Equal(t, h.Currency, "AFN")
	check.Equal(t, h.Occupancy, handoff.Occupancy{Adults: 2, Children: 1, Rooms: 1})
	check.Equal(t, h.ExpiresAt, got.ExpiresAt)
	check.Equal(t, h.ExpiresAt.Sub(h.MintedAt), 30*time.Minute)
	var published map[string]any
	envelope, key := m.Payload("handoff.initiated", &published)
	check.Equal[any](t, published["handoffId"], got.Handoff.String())
	check.Equal[any](t, published["guestSessionId"], v.Session.String())
	if published["tenantSlug"] != "hotel-0" {
		t.Errorf(`published["tenantSlug"] = %v, want "hotel-0"`, published["tenantSlug"])
	}
	if published["originReferer"] != "https://www.melmastoon.example/search" {
		t.Errorf(`published["originReferer"] = %v, want "https://www.melmastoon.example/search"`, published["originReferer"])
	}
	check.Equal(t, envelope["tenantId"], nil)
	check.Equal(t, key, v.Session.String())
	m.CheckPublished("handoff.initiated", 1)
	for _, text := range consumertest.Texts(t, m.DB) {
		for _, secret := range append(strings.Split(got.Token.Reveal(), ".")[1:], "canary") {
			check.Lacks(t, text, secret)
		}
	}
}

func TestMintHandoff_repeated(t *testing.T) {
	t.Parallel()
	m := consumertest.OpenSystem(t, 1, Function)
	v, key := m.Traveller(), consumertest.Key()
	v.Must(201, "POST", handoffPath(m.Hotels[0]), requestBody(m))
	first := v.Must(201, "POST", handoffPath(m.Hotels[0]), requestBody(m), "Idempotency-Key", key)
	m.DB.Advance(time.Second)
	again := v.Must(201, "POST", handoffPath(m.Hotels[0]), requestBody(m), "Idempotency-Key", key)
	check.Equal(t, string(again.Body), string(first.Body))
	check.Equal(t, again.Header.Get("Idempotent-Replayed"), "true")
	check.Equal(t, again.Header.Get("Cache-Control"), "no-store")
	check.NotEqual(t, string(v.Must(201, "POST", handoffPath(m.Hotels[0]), requestBody(m)).Body), string(first.Body), "under another key")
	if stranger := m.Traveller().Must(201, "POST", handoffPath(m.Hotels[0]), requestBody(m), "Idempotency-Key", key); string(stranger.Body) == string(first.Body) {
		t.Errorf("a stranger with the same key got %s", stranger.Body)
	}
	for _, header := range []string{"X-Currency", "X-Campaign-Source", "X-Campaign-Medium", "X-Campaign-Name"} {
		t.Run(header, func(t *testing.T) {
			a := v.Send("POST", handoffPath(m.Hotels[0]), requestBody(m), "Idempotency-Key", key, header, "USD")
			a.WantProblem(t, 422, "GENERAL.IDEMPOTENCY_KEY_REUSED")
		})
	}
	m.CheckPublished("handoff.initiated", 4)
}

func TestMintHandoff_rejected(t *testing.T) {
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
		{"suspended tenant", handoffPath(closed), requestBody(m), 403, "BFF.CONSUMER.TENANT_SUSPENDED", ""},
		{"unknown tenant", path(id.New[id.Tenant](), open.Property), requestBody(m), 404, missing, ""},
		{"unknown property", path(open.Tenant, id.New[id.Property]()), requestBody(m), 404, missing, ""},
		{"property of another tenant", path(open.Tenant, closed.Property), requestBody(m), 404, missing, ""},
		{"unsupported locale", handoffPath(open), requestBody(m, `,"locale":"de"`), 422, "BFF.CONSUMER.LOCALE_NOT_SUPPORTED", ""},
		{"unsupported currency", handoffPath(open), requestBody(m, `,"currency":"CHF"`), 422, "BFF.CONSUMER.CURRENCY_NOT_SUPPORTED", ""},
		{"invalid locale", handoffPath(open), requestBody(m, `,"locale":"!"`), 400, invalid, "/locale"},
		{"invalid currency", handoffPath(open), requestBody(m, `,"currency":"afghani"`), 400, invalid, "/currency"},
		{"no dates", handoffPath(open), `{"occupancy":` + two + `}`, 400, invalid, "/dates"},
		{"no nights", handoffPath(open), requestBodyWith(dates(7, 7), two), 400, invalid, "/dates/checkOut"},
		{"past check-in", handoffPath(open), requestBodyWith(dates(-5, 2), two), 400, invalid, "/dates/checkIn"},
		{"no adults", handoffPath(open), requestBodyWith(dates(7, 9), `{"adults":0,"children":1,"rooms":1}`), 400, invalid, "/occupancy/adults"},
		{"children without ages", handoffPath(open), requestBodyWith(dates(7, 9), `{"adults":1,"children":2,"rooms":1,"childrenAges":[3]}`), 400, invalid, "/occupancy/childrenAges"},
		{"tenant in the body", handoffPath(open), requestBody(m, `,"tenantId":"`+closed.Tenant.String()+`"`), 400, invalid, "/tenantId"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := v.Send("POST", test.path, test.body)
			a.WantProblem(t, test.status, test.code)
			if test.pointer != "" && !slices.Contains(pointers(a), test.pointer) {
				t.Errorf("complains of %v", pointers(a))
			}
		})
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

// TestMintHandoff_timeout runs with each upstream service in each behavior. No handoff is created in part, and each answer is within
// the time budget.
func TestMintHandoff_timeout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, route string
		behavior    upstreamtest.Behavior
		code        string
	}{
		{"tenant service hangs", "tenants", upstreamtest.Hanging, "BFF.UPSTREAM_UNAVAILABLE"},
		{"property service hangs", "properties", upstreamtest.Hanging, "BFF.CONSUMER.UPSTREAM_BUDGET_EXCEEDED"},
		{"tenant service fails", "tenants", upstreamtest.Failing, "BFF.UPSTREAM_UNAVAILABLE"},
		{"property service fails", "properties", upstreamtest.Failing, "BFF.UPSTREAM_UNAVAILABLE"},
		{"garbled tenant response", "tenants", upstreamtest.Garbled, "BFF.UPSTREAM_UNAVAILABLE"},
		{"garbled property response", "properties", upstreamtest.Garbage, "BFF.UPSTREAM_UNAVAILABLE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := consumertest.OpenSystem(t, 2, Function)
			v := m.Traveller()
			v.Must(201, "POST", handoffPath(m.Hotels[0]), requestBody(m)) // opens what is opened once
			m.SetBehavior(test.route, test.behavior)
			var a fntest.Answer
			took, _ := fntest.Timed(func() { a = v.Send("POST", handoffPath(m.Hotels[1]), requestBody(m)) })
			check.Equal(t, a.Status/100, 5)
			check.Equal(t, a.Code(), test.code)
			if took > m.Env.Timeout(Function.Spec.Timeout+50*time.Millisecond) {
				t.Errorf("took = %v, want at most %v", took, m.Env.Timeout(Function.Spec.Timeout+50*time.Millisecond))
			}
			m.SetBehavior(test.route, upstreamtest.Working)
			m.CheckPublished("handoff.initiated", 1)
		})
	}
}

// TestMintHandoff_tenantEvents closes a company by an event while the tenant service still says otherwise.
func TestMintHandoff_tenantEvents(t *testing.T) {
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
		{"reinstated earlier", false, -time.Minute, 403},
		{"reinstated later", false, time.Minute, 201},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.Must(t, tenants.Apply(t.Context(), company, test.closed, now.Add(test.since)))
			v.Send("POST", handoffPath(m.Hotels[0]), requestBody(m)).Want(t, test.want)
		})
	}
}

// TestMintHandoff_withoutTelemetry is about evidence: who wants no telemetry is still answerable for what they use.
func TestMintHandoff_withoutTelemetry(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"DNT", "Sec-GPC"} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			m := consumertest.OpenSystem(t, 1, Function)
			m.Traveller(header, "1").Must(201, "POST", handoffPath(m.Hotels[0]), requestBody(m))
			check.Equal(t, m.Published(), []string{"handoff.initiated"})
		})
	}
}
