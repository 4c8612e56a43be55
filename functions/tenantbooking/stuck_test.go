package tenantbooking_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/sweepdrafts"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A confirmingElsewhere answers each confirmation with IDEMPOTENCY_IN_PROGRESS until done is set.
type confirmingElsewhere struct{ done bool }

func (c *confirmingElsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.done || !strings.HasSuffix(r.URL.Path, "/confirm") {
		return http.DefaultTransport.RoundTrip(r)
	}
	const problem = `{"code":"MELMASTOON.GENERAL.IDEMPOTENCY_IN_PROGRESS","status":409}`
	return &http.Response{
		StatusCode: http.StatusConflict, Header: http.Header{"Content-Type": {"application/problem+json"}},
		Body: io.NopCloser(strings.NewReader(problem)), Request: r,
	}, nil
}

// TestSweep_guestConfirmsNow runs the sweep while the guest's confirmation is in progress. The sweep succeeds and changes nothing.
func TestSweep_guestConfirmsNow(t *testing.T) {
	t.Parallel()
	db, way := pgtest.New(t), &confirmingElsewhere{}
	system := tenantbookingtest.BuildOn(t, db, upstream.TransportKey.With(db.Env(), way), funnel()...)
	g := system.Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
	if a := g.Send("POST", "/draft/"+g.Draft.String()+"/confirm", nil); a.Status < 400 {
		t.Fatalf("confirm: got status %d, want an error: %s", a.Status, a.Body)
	}
	system.DB.Advance(3 * time.Minute)
	system.Front.Tick(sweepdrafts.Function).Want(t, http.StatusNoContent)
	if state, _ := g.State(); state != "confirming" {
		t.Errorf("got draft state %s, want confirming", state)
	}
	way.done = true
	system.Front.Tick(sweepdrafts.Function)
	if state, final := g.State(); state != "confirmed" || final != "converted" {
		t.Errorf("got draft state %s and snapshot %q, want confirmed and converted", state, final)
	}
}

// A road forwards all calls to other services, except those for one reservation.
type road struct {
	closed  id.Reservation
	instead func(*http.Request) error
}

func (r *road) RoundTrip(q *http.Request) (*http.Response, error) {
	if !r.closed.IsZero() && strings.Contains(q.URL.Path, r.closed.String()) {
		return nil, r.instead(q)
	}
	return http.DefaultTransport.RoundTrip(q)
}

func TestSweep_stuckDraft(t *testing.T) {
	t.Parallel()
	for name, instead := range map[string]func(*http.Request) error{
		"its neighbour fails":   func(*http.Request) error { return errors.New("no way") },
		"its neighbour is slow": func(q *http.Request) error { <-q.Context().Done(); return q.Context().Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, way := pgtest.New(t), &road{instead: instead}
			system := tenantbookingtest.BuildOn(t, db, upstream.TransportKey.With(db.Env(), way), funnel()...)
			declined := func() *tenantbookingtest.Guest {
				g := system.Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
				g.Platform.Decline(g.Intent, true)
				system.DB.Advance(time.Second) // each draft is due after the previous one
				return g
			}
			closed := func(when string, g *tenantbookingtest.Guest, want string) {
				t.Helper()
				if state, _ := g.State(); state != want {
					t.Errorf("%s the draft is %s, want %s", when, state, want)
				}
			}
			stuck, other := declined(), declined()
			way.closed = stuck.Stay
			system.DB.Advance(31 * time.Minute)
			for _, when := range []string{"at first", "half an hour later"} {
				if a := system.Front.Tick(sweepdrafts.Function); a.Status < 500 {
					t.Errorf("%s the sweep answered %d, although one draft could not be closed", when, a.Status)
				}
				closed(when, stuck, "paying")
				closed(when, other, "abandoned")
				other = declined()
				system.DB.Advance(31 * time.Minute)
			}
			way.closed = id.Reservation{}
			sweep(t, stuck)
			closed("at last", stuck, "abandoned")
			closed("at last", other, "abandoned")
		})
	}
}

// A payment without an outcome is counted after two hours, and the guest's details are removed from its draft after 24 hours,
// whether or not the other services answer.
func TestSweep_paymentWithoutOutcome(t *testing.T) {
	t.Parallel()
	for name, unavailable := range map[string]bool{"the payment is pending": false, "the services are unavailable": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, way := pgtest.New(t), &road{instead: func(*http.Request) error { return errors.New("no way") }}
			system := tenantbookingtest.BuildOn(t, db, upstream.TransportKey.With(db.Env(), way), funnel()...)
			e, issuer := fntest.Surround(t, system.Env)
			var log bytes.Buffer
			sweeper := fntest.Behind(t, observe.LogKey.With(e, observe.To(&log)), issuer, sweepdrafts.Function)
			g := system.Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
			if unavailable {
				way.closed = g.Stay
			}
			for _, test := range []struct {
				wait           time.Duration
				counted, guest bool
			}{{110 * time.Minute, false, true}, {15 * time.Minute, true, true}, {21 * time.Hour, true, true}, {2 * time.Hour, true, false}, {time.Hour, true, false}} {
				t.Run(fmt.Sprint(test.wait), func(t *testing.T) {
					system.DB.Advance(test.wait)
					log.Reset()
					a := sweeper.Tick(sweepdrafts.Function)
					check.Equal(t, a.Status >= 500, unavailable, "the sweep answered %d", a.Status)
					check.Equal(t, strings.Contains(log.String(), `"stuckDrafts":1`), test.counted, "after %v more: counted", test.wait)
					var guest bool
					err := system.DB.Owner(t).QueryRow(t.Context(), `SELECT jsonb_exists(body, 'guest') FROM bff_tenant_booking.booking_drafts WHERE draft_id = $1`, g.Draft).Scan(&guest)
					if err != nil || guest != test.guest {
						t.Errorf("after %v more: the draft has a guest: %t, %v, want %t", test.wait, guest, err, test.guest)
					}
				})
			}
			way.closed = id.Reservation{}
			g.Platform.Pay(g.Intent, false) // late
			system.DB.Advance(3 * time.Minute)
			sweep(t, g)
			if state, _ := g.State(); state != "confirmed" {
				t.Errorf("paid a day late: the draft is %s, want confirmed", state)
			}
		})
	}
}
