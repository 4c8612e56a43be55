package journeys

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/system"
)

// TestSiteScenario_passedOn has a front-end developer put on scenarios at the hotel's own site. What
// is played for one is not seen by the next.
func TestSiteScenario_passedOn(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).RequestQuote(system.Usual())
	play := func(name string) { v.Headers = map[string]string{"X-Sandbox-Scenario": name} }
	for _, test := range []struct {
		scenario, method, path string
		body                   any
		status                 int
		code                   string
	}{
		{"sold_out", http.MethodPost, "/hold", v.HoldBody(), http.StatusConflict, "RESERVATION.OVERBOOKING_BLOCKED"}, // two services away
		{"upstream_down", http.MethodPost, "/quote", v.QuoteBody(system.Usual()), http.StatusServiceUnavailable, "BFF.UPSTREAM_UNAVAILABLE"},
		{"lunch", http.MethodPost, "/quote", v.QuoteBody(system.Usual()), http.StatusBadRequest, "GENERAL.VALIDATION_FAILED"},
	} {
		play(test.scenario)
		for range 6 { // a breaker that took it for true would be open after five
			v.Refused(test.status, test.code, test.method, test.path, test.body)
		}
	}
	v.Headers = nil
	v.RequestQuote(system.Usual()).Hold()
}

// TestSiteScenario_failingFunction cancels a booking on the demo site with a header that asks for failing deliveries. The site forwards the
// header, so the delivery fails; the delivery for another guest succeeds.
func TestSiteScenario_failingFunction(t *testing.T) {
	t.Parallel()
	needsEmbedded(t, "the emulator repeats a failed delivery after seconds")
	d := developer{system.Open(t), t}
	const page, function = "/-/failures", "sandbox-reservationcancelled"
	cancel := func(scenario string) string {
		v, _, booked := bookStay(t, d.System, usual())
		r := openReader(t, d.System)
		r.do(http.MethodGet, "/site/"+demo.KabulGrand.Slug+"/confirmations/"+v.ReservationID+"/cancellation?t="+url.QueryEscape(booked.ViewToken), nil).sees("Cancel")
		r.played = scenario
		r.send("/cancellation").sees("cancelled")
		return "/-/booking?id=" + v.ReservationID
	}
	failing, other := cancel("fail; function="+function), cancel("")
	delivered := func() bool {
		return strings.Contains(d.page(page), "<td>fail</td>") && strings.Contains(d.page(other), "reservationcancelled 204")
	}
	for deadline := time.Now().Add(30 * time.Second); !delivered() && time.Now().Before(deadline); {
		d.Tick("reservation-relay")
	}
	d.shows(page, function, "fail</td><td><code>attempt 1 of evt_")
	d.shows(other, "reservationcancelled 204")
	if strings.Contains(d.page(failing), "reservationcancelled 204") {
		t.Error("the delivery that was to fail has succeeded")
	}
	d.does(page, page, url.Values{}, "0 services and 0 functions fail")
	d.Settle()
	d.shows(failing, "reservationcancelled 204")
}

// TestSiteScenario_buildSite has a front-end developer's own site stand in the place of ours: handoffs and banks lead there.
func TestSiteScenario_buildSite(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	const site = "http://localhost:5173/kabul-grand-hotel"
	s := system.Within(t, db, db.Env().With("TENANT_SITE_URL", "http://localhost:5173/{slug}").With("TENANT_RETURN_URL", "http://localhost:5173/{slug}/return/{draftId}"))
	v := s.Visit(demo.KabulGrand).Book(system.Usual(), "card")
	if back := v.Press("pay"); !strings.HasPrefix(back, site+"/return/"+v.DraftID+"?r=") {
		t.Errorf("the bank leads to %s", back)
	}
	if a := v.Return(); a.Status != http.StatusOK || v.FlowState != "confirmed" {
		t.Errorf("came back to %d %s", a.Status, a.Body)
	}
	day := func(from int) string { return s.Env().Now().AddDate(0, 0, from).Format(time.DateOnly) }
	session := check.Got(s.Do(t.Context(), system.Request{Method: http.MethodGet, Path: "/bff/consumer/v1/session"})).Must(t)
	cookie, _, _ := strings.Cut(session.Header.Get("Set-Cookie"), ";")
	a, err := s.Do(t.Context(), system.Request{
		Method: http.MethodPost, Key: "one", Path: "/bff/consumer/v1/handoff/" + demo.KabulGrand.Tenant.String() + "/" + demo.KabulGrand.Property.String(),
		Header: map[string]string{"Cookie": cookie},
		Body:   map[string]any{"dates": map[string]any{"checkIn": day(7), "checkOut": day(9)}, "occupancy": map[string]any{"adults": 2, "children": 0, "rooms": 1}},
	})
	if err != nil || a.Status != http.StatusCreated {
		t.Fatalf("%d %s, %v", a.Status, a.Body, err)
	}
	var link struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(a.Body, &link); err != nil || !strings.HasPrefix(link.URL, site+"?h=") {
		t.Errorf("the handoff leads to %s, %v", link.URL, err)
	}
}

// TestPaymentPage_namesTheDeadlineOfTheHold compares what the guest reads on the hotel's page and on the payment page.
func TestPaymentPage_namesTheDeadlineOfTheHold(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).Book(system.Usual(), "card")
	page := v.Must(http.StatusOK, http.MethodGet, v.RedirectURL, nil)
	if deadline := v.HoldExpiresAt.UTC().Format("2006-01-02T15:04:05Z"); !strings.Contains(string(page.Body), `datetime="`+deadline) {
		t.Errorf("the payment page does not name %s:\n%s", deadline, page.Body)
	}
}
