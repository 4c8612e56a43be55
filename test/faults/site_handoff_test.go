package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

const rivals = 8 // sessions that come with the same token

// An arrival is how a session comes with a token: by an app's call, or by the link.
func arrive(token string, byLink bool, key string) system.Request {
	if byLink {
		return system.Request{Method: http.MethodGet, Path: "/bootstrap?h=" + token}
	}
	return system.Request{Method: http.MethodPost, Path: "/handoff/consume", Key: key, Body: map[string]any{"token": token}}
}

// payload is what the guest has chosen before they came, "" where the answer has none.
func payload(a system.Answer, byLink bool) string {
	if a.Status != http.StatusOK {
		return ""
	}
	if !byLink {
		return string(a.Body)
	}
	var b struct {
		HandoffPayload json.RawMessage
	}
	if err := json.Unmarshal(a.Body, &b); err != nil {
		return ""
	}
	return string(b.HandoffPayload)
}

// Visitors are sessions of one hotel, half of them at each of two processes.
type visitors struct {
	guests            []*system.Visitor
	accepted, refused atomic.Int64
	apart             atomic.Int64 // of the accepted, those at the other process
	busy              atomic.Int64
}

// openVisitors begins the sessions.
func openVisitors(t *testing.T, here, there *system.System) *visitors {
	t.Helper()
	c := &visitors{}
	for n := range rivals {
		c.guests = append(c.guests, []*system.System{here, there}[n%2].Visit(demo.KabulGrand))
	}
	return c
}

// consumeConcurrently sends the token from all sessions concurrently, and again from the accepted one, to the other process too.
func (c *visitors) consumeConcurrently(ctx context.Context, n int, token string) error {
	byLink := n%2 == 1
	answers := make([]system.Answer, rivals)
	var all errgroup.Group
	for i, v := range c.guests {
		all.Go(func() (err error) {
			answers[i], err = c.retryWhileBusy(ctx, v, arrive(token, byLink, system.Key()))
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	winner := -1
	for i, a := range answers {
		switch {
		case a.Status == http.StatusOK && payload(a, byLink) != "" && winner < 0:
			winner = i
			c.accepted.Add(1)
			c.apart.Add(int64(i % 2))
		case a.Status == http.StatusConflict && a.Code() == "BFF.CONSUMER.HANDOFF_REPLAYED":
			c.refused.Add(1)
		default:
			return fmt.Errorf("token %d: session %d got %d %s", n, i, a.Status, a.Body)
		}
	}
	if winner < 0 {
		return fmt.Errorf("token %d let nobody in", n)
	}
	return c.again(ctx, n, token, winner, payload(answers[winner], byLink))
}

// again has the session that was let in come twice more: by the same way, and by the other one.
func (c *visitors) again(ctx context.Context, n int, token string, winner int, first string) error {
	for _, byLink := range []bool{n%2 == 1, n%2 == 0} {
		a, err := c.retryWhileBusy(ctx, c.guests[winner], arrive(token, byLink, system.Key()))
		if err != nil {
			return err
		}
		if got := payload(a, byLink); got != first {
			return fmt.Errorf("token %d: the same session got %q, then %d %q", n, first, a.Status, got)
		}
	}
	return nil
}

// retryWhileBusy sends a request again while a busy machine answers with a temporary error.
func (c *visitors) retryWhileBusy(ctx context.Context, v *system.Visitor, r system.Request) (a system.Answer, err error) {
	again := time.NewTicker(500 * time.Millisecond)
	defer again.Stop()
	for range 20 {
		a, err = v.Go(ctx, r)
		claimed := a.Code() == "GENERAL.IDEMPOTENCY_IN_PROGRESS" // by an attempt of its own that was cut off
		if err != nil || a.Status <= http.StatusInternalServerError && !claimed {
			break
		}
		c.busy.Add(1)
		select {
		case <-again.C:
		case <-ctx.Done():
			return a, ctx.Err()
		}
	}
	return a, err
}

// TestSiteHandoff_singleUse uses every token in eight sessions at once, at two operating-system processes
// on one database.
func TestSiteHandoff_singleUse(t *testing.T) {
	t.Parallel()
	here := system.Open(t)
	c := openVisitors(t, here, here.StartProcess())
	tokens := seedrand.Iterations(t, 100, 2000)
	began := time.Now()
	var guests errgroup.Group
	guests.SetLimit(4)
	for n := range tokens {
		token := mint(t, here, demo.KabulGrand)
		guests.Go(func() error { return c.consumeConcurrently(t.Context(), n, token) })
	}
	check.Must(t, guests.Wait())
	t.Logf("%d tokens × %d sessions at two operating-system processes in %v: %d accepted (%d here, %d there), %d refused, %d answers asked to come again",
		tokens, rivals, time.Since(began).Round(time.Second), c.accepted.Load(), c.accepted.Load()-c.apart.Load(), c.apart.Load(), c.refused.Load(), c.busy.Load())
	if c.apart.Load() == 0 || c.apart.Load() == c.accepted.Load() {
		t.Errorf("the second process accepted %d of %d tokens, want some and not all", c.apart.Load(), c.accepted.Load())
	}
	check.Equal(t, c.accepted.Load(), int64(tokens))
	check.Equal(t, c.refused.Load(), int64(tokens*(rivals-1)))
	arrivals(t, here, tokens)
}

// arrivals fails the test unless the ledger has so many entries, all used, each with one event.
func arrivals(t *testing.T, s *system.System, want int) {
	t.Helper()
	var entries, used, published, twice int
	err := s.DB.Owner(t).QueryRow(t.Context(), `
		WITH published AS (
			SELECT payload ->> 'handoffId' AS handoff, count(*) AS times FROM bff_tenant_booking.outbox
			WHERE subject = 'melmastoon.bff.tenant.handoff.consumed.v1' GROUP BY 1
		)
		SELECT (SELECT count(*) FROM bff_tenant_booking.handoff_arrival_log),
		       (SELECT count(*) FROM bff_tenant_booking.handoff_arrival_log WHERE consumed),
		       (SELECT count(*) FROM published), (SELECT count(*) FROM published WHERE times > 1)`).Scan(&entries, &used, &published, &twice)
	check.Must(t, err)
	check.Equal(t, entries, want)
	check.Equal(t, used, want)
	check.Equal(t, published, want)
	check.Equal(t, twice, 0)
}

// TestSiteHandoff_prefetch loads the link in every way in which machines do before people come.
func TestSiteHandoff_prefetch(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	token := mint(t, s, demo.KabulGrand)
	for name, at := range map[string]func(*system.Browser, demo.Hotel) *system.Visitor{"shared": (*system.Browser).At, "own": (*system.Browser).AtHome} {
		for _, test := range []struct {
			method, header, value string
		}{
			{method: http.MethodHead, header: "X-Nothing", value: ""},
			{method: http.MethodGet, header: "Sec-Purpose", value: "prefetch"},
			{method: http.MethodGet, header: "Sec-Purpose", value: "prefetch;prerender"},
			{method: http.MethodGet, header: "Purpose", value: "prefetch"},
			{method: http.MethodGet, header: "X-Moz", value: "prefetch"},
		} {
			t.Run(name+" host, "+test.method+" with "+test.header+" "+test.value, func(t *testing.T) {
				b := s.Browser()
				v := at(b, demo.KabulGrand)
				a, err := v.Go(t.Context(), system.Request{Method: test.method, Path: "/bootstrap?h=" + token, Header: map[string]string{test.header: test.value}})
				check.Must(t, err)
				check.Equal(t, a.Status, http.StatusOK)
				if got, want := payload(a, true) != "", test.method == http.MethodGet; got != want { // it fills the form in and uses up nothing
					t.Errorf("the answer has what was chosen: %t, want %t", got, want)
				}
				check.Equal(t, len(v.Cookies()), 0)
			})
		}
	}
	arrivals(t, s, 0)
	v := s.Browser().At(demo.KabulGrand)
	if a := v.Must(http.StatusOK, http.MethodGet, "/bootstrap?h="+token, nil); payload(a, true) == "" {
		t.Errorf("who then comes gets %s", a.Body)
	}
	arrivals(t, s, 1)
}

// TestSiteHandoff_expiry comes 30 minutes after it was made, and a little later.
func TestSiteHandoff_expiry(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	early, late := mint(t, s, demo.KabulGrand), mint(t, s, demo.KabulGrand)
	s.Quiet()
	v := s.Visit(demo.KabulGrand)
	s.Advance(29 * time.Minute)
	first := v.Must(http.StatusOK, http.MethodGet, "/bootstrap?h="+early, nil)
	if payload(first, true) == "" {
		t.Errorf("in time: %s", first.Body)
	}
	s.Advance(time.Minute)
	for _, token := range []string{early, late} { // used in time, and never used
		v.Refused(http.StatusGone, "BFF.CONSUMER.HANDOFF_EXPIRED", http.MethodGet, "/bootstrap?h="+token, nil)
		v.Refused(http.StatusGone, "BFF.CONSUMER.HANDOFF_EXPIRED", http.MethodPost, "/handoff/consume", map[string]any{"token": token})
	}
	arrivals(t, s, 1)
}

// TestSiteHandoff_books goes from the link to the end: the booking says how they came.
func TestSiteHandoff_books(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Browser().At(demo.KabulGrand)
	var site struct {
		HandoffArrivalID string
		Currency, Locale string
		HandoffPayload   struct{ PropertyID string }
	}
	v.Must(http.StatusOK, http.MethodGet, "/bootstrap?h="+mint(t, s, demo.KabulGrand), nil).Into(t, &site)
	check.NotZero(t, site.HandoffArrivalID)
	check.Equal(t, site.HandoffPayload.PropertyID, demo.KabulGrand.Property.String())
	check.Equal(t, site.Currency, "USD")
	check.Equal(t, site.Locale, "fa-AF")
	v.Book(system.Usual(), "card").Press("pay")
	if a := v.Return(); a.Status != http.StatusOK {
		t.Fatalf("came back to %d %s", a.Status, a.Body)
	}
	s.Settle()
	members := map[string]any{}
	for _, e := range s.Published(t.Context()) {
		if e.Payload["draftId"] == v.DraftID || e.Payload["reservationId"] == v.ReservationID {
			members[e.Subject] = e.Payload["handoffArrivalId"]
		}
		if e.Subject == "melmastoon.reservation.confirmed.v1" {
			members["channel"] = e.Payload["channel"].(map[string]any)["channel"]
		}
	}
	for _, subject := range []string{"melmastoon.bff.tenant.booking.draft.created.v1", "melmastoon.bff.tenant.booking.draft.converted.v1"} {
		t.Run(subject, func(t *testing.T) {
			if members[subject] != site.HandoffArrivalID {
				t.Errorf("handoffArrivalId = %v, want %s", members[subject], site.HandoffArrivalID)
			}
		})
	}
	if members["channel"] != "meta" {
		t.Errorf("the reservation came by %v", members["channel"])
	}
}
