package tenantbooking_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/sweepdrafts"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

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
