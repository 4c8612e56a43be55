package tenantbooking_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/fntest"
	"melmastoon.ghasi.io/shared/id"
)

// mostAnswers is more than any verb hears in one call.
const mostAnswers = 80

// TestLostAnswers loses the first answer that a verb hears from the database or a neighbour, then for another guest the
// second, and so on until it hears no more. Whoever comes again with the same key finds everything done, once.
func TestLostAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("it books some three hundred times")
	}
	t.Parallel()
	type guest = tenantbookingtest.Guest
	draft := func(g *guest, rest string) string { return "/draft/" + g.Draft.String() + rest }
	for _, verb := range []struct {
		name   string
		before func(*guest)
		method string
		path   func(*guest) string
		body   func(*guest) any
		status int
		state  string
		told   []string
		stays  int // reservations made, whatever became of them
	}{
		{"quote", func(*guest) {}, "POST", func(*guest) string { return "/quote" }, func(g *guest) any { return g.Wish() }, 201, "quoting", nil, 0},
		{"quote again", func(g *guest) { g.Ask().Hold() }, "POST", func(*guest) string { return "/quote" },
			func(g *guest) any { return g.Wish(`,"draftId":"` + g.Draft.String() + `"`) }, 201, "quoting", []string{created}, 1},
		{"hold", func(g *guest) { g.Ask() }, "POST", func(*guest) string { return "/hold" }, (*guest).Holding, 201, "holding", []string{created}, 1},
		{"read", func(g *guest) { g.Ask().Hold() }, "GET", func(g *guest) string { return draft(g, "") }, nobody, 200, "holding", []string{created}, 1},
		{"name", func(g *guest) { g.Ask().Hold() }, "PATCH", func(g *guest) string { return draft(g, "") },
			func(*guest) any { return tenantbookingtest.Zarghona }, 200, "collecting_details", []string{created}, 1},
		{"walk away", func(g *guest) { g.Ask().Hold().Name() }, "DELETE", func(g *guest) string { return draft(g, "") }, nobody, 204, "abandoned",
			[]string{created, abandoned}, 1},
		{"walk away while paying", func(g *guest) { g.Ask().Hold().Name().Pay("card") }, "DELETE", func(g *guest) string { return draft(g, "") }, nobody, 204,
			"abandoned", []string{created, intended, abandoned}, 1},
		{"pay", func(g *guest) { g.Ask().Hold().Name() }, "POST", func(g *guest) string { return draft(g, "/payment-intent") },
			func(*guest) any { return `{"method":"card"}` }, 201, "paying", []string{created, intended}, 1},
		{"return", func(g *guest) { g.Town.Pay(g.Ask().Hold().Name().Pay("card").Intent, false) }, "POST",
			func(g *guest) string { return draft(g, "/return") }, nobody, 200, "confirmed", []string{created, intended, converted}, 1},
		{"confirm", func(g *guest) { g.Ask().Hold().Name().Pay("cash_on_arrival") }, "POST", func(g *guest) string { return draft(g, "/confirm") }, nobody, 200,
			"confirmed", []string{created, intended, converted}, 1},
		{"look at the confirmation", func(g *guest) {
			g.Town.Pay(g.Ask().Hold().Name().Pay("card").Intent, false)
			g.Must(http.StatusOK, "POST", draft(g, "/return"), nil)
		}, "GET", func(g *guest) string { return "/confirmation/" + g.Stay.String() }, nobody, 200, "confirmed", []string{created, intended, converted, viewed}, 1},
	} {
		t.Run(verb.name, func(t *testing.T) {
			t.Parallel()
			street, wire := wired(t)
			for n := 1; ; n++ {
				g := street.Guest(0)
				before := len(g.Town.Stays())
				verb.before(g)
				send := func() fntest.Answer {
					return g.Send(verb.method, verb.path(g), verb.body(g), "Idempotency-Key", "same")
				}
				wire.Cut(n)
				send()
				lost := wire.Mend()
				a := insist(t, g, send)
				if a.Status != verb.status {
					t.Fatalf("answer %d lost: then answered %d: %s", n, a.Status, a.Body)
				}
				remember(t, g, a)
				if state, _ := g.State(); state != verb.state {
					t.Errorf("answer %d lost: the draft is %s, want %s", n, state, verb.state)
				}
				told := slices.DeleteFunc(g.Told(), func(s string) bool { return s == troubled }) // that a neighbour was away is told
				if !slices.Equal(told, verb.told) {
					t.Errorf("answer %d lost: told %v, want %v", n, told, verb.told)
				}
				if made := len(g.Town.Stays()) - before; made != verb.stays {
					t.Errorf("answer %d lost: %d reservations, want %d", n, made, verb.stays)
				}
				if !lost {
					if n == 1 {
						t.Error("nothing was ever lost")
					}
					return
				}
				if n > mostAnswers {
					t.Fatal("there is no end of it")
				}
			}
		})
	}
}

func nobody(*tenantbookingtest.Guest) any { return nil }

func wired(t *testing.T) (*tenantbookingtest.Street, *tenantbookingtest.Wire) {
	t.Helper()
	wire := &tenantbookingtest.Wire{}
	return tenantbookingtest.Wired(t, wire, funnel()...), wire
}

// insist comes again until the answer is one. A claim whose caller is gone is waited for by taking its lease away.
func insist(t *testing.T, g *tenantbookingtest.Guest, send func() fntest.Answer) (a fntest.Answer) {
	t.Helper()
	for range 10 {
		if a = send(); a.Status < 500 && a.Code() != "GENERAL.IDEMPOTENCY_IN_PROGRESS" {
			return a
		}
		g.Env.Advance(5 * time.Second) // an open breaker probes again
		if _, err := g.DB.Owner(t).Exec(t.Context(), `UPDATE bff_tenant_booking.idempotency SET locked_until = '-infinity' WHERE status_code IS NULL`); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// remember notes the draft of an answer that begins one.
func remember(t *testing.T, g *tenantbookingtest.Guest, a fntest.Answer) {
	t.Helper()
	if !g.Draft.IsZero() {
		return
	}
	var began struct {
		Draft id.Draft `json:"draftId"`
	}
	a.Into(t, &began)
	g.Draft = began.Draft
	var drafts int
	err := g.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM bff_tenant_booking.booking_drafts WHERE session_id = @session`,
		pgx.StrictNamedArgs{"session": g.Session.ID}).Scan(&drafts)
	if err != nil || drafts != 1 {
		t.Errorf("%d drafts were begun, %v", drafts, err)
	}
}
