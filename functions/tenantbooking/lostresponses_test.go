package tenantbooking_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking/sweepdrafts"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// mostAnswers is more than any function receives in one call.
const mostAnswers = 80

// A lossy call is a call whose responses, and those that it receives from others, are lost one by one.
type lossy struct {
	name      string
	before    func(*tenantbookingtest.Guest)
	send      func(*tenantbookingtest.Guest) fntest.Answer
	status    int
	state     string
	published []string
	stays     int // reservations made, in any state
}

// TestLostResponses loses the first response that a function receives from the database or another service, then for
// another guest the second, and so on until no more is received. A retry with the same key finds everything done once.
func TestLostResponses(t *testing.T) {
	if testing.Short() {
		t.Skip("it books some three hundred times")
	}
	t.Parallel()
	type guest = tenantbookingtest.Guest
	draft := func(rest string) func(*guest) string {
		return func(g *guest) string { return "/draft/" + g.Draft.String() + rest }
	}
	for _, verb := range []lossy{
		{"quote", func(*guest) {}, sends("POST", at("/quote"), func(g *guest) any { return g.QuoteBody() }), 201, "quoting", []string{}, 0},
		{"quote again", func(g *guest) { g.RequestQuote().Hold() }, sends("POST", at("/quote"),
			func(g *guest) any { return g.QuoteBody(`,"draftId":"` + g.Draft.String() + `"`) }), 201, "quoting", []string{created}, 1},
		{"hold", func(g *guest) { g.RequestQuote() }, sends("POST", at("/hold"), (*guest).HoldBody), 201, "holding", []string{created}, 1},
		{"read", func(g *guest) { g.RequestQuote().Hold() }, sends("GET", draft(""), noBody), 200, "holding", []string{created}, 1},
		{"name", func(g *guest) { g.RequestQuote().Hold() }, sends("PATCH", draft(""), func(*guest) any { return tenantbookingtest.Zarghona }), 200,
			"collecting_details", []string{created}, 1},
		{"walk away", func(g *guest) { g.RequestQuote().Hold().SetGuest() }, sends("DELETE", draft(""), noBody), 204, "abandoned", []string{created, abandoned}, 1},
		{"walk away while paying", func(g *guest) { g.RequestQuote().Hold().SetGuest().Pay("card") }, sends("DELETE", draft(""), noBody), 204,
			"abandoned", []string{created, intended, abandoned}, 1},
		{"pay", func(g *guest) { g.RequestQuote().Hold().SetGuest() }, sends("POST", draft("/payment-intent"), func(*guest) any { return `{"method":"card"}` }), 201,
			"paying", []string{created, intended}, 1},
		{"return", func(g *guest) { g.Platform.Pay(g.RequestQuote().Hold().SetGuest().Pay("card").Intent, false) }, sends("POST", draft("/return"), noBody), 200,
			"confirmed", []string{created, intended, converted}, 1},
		{"confirm", func(g *guest) { g.RequestQuote().Hold().SetGuest().Pay("cash_on_arrival") }, sends("POST", draft("/confirm"), noBody), 200,
			"confirmed", []string{created, intended, converted}, 1},
		{"look at the confirmation", func(g *guest) {
			g.Platform.Pay(g.RequestQuote().Hold().SetGuest().Pay("card").Intent, false)
			g.Must(http.StatusOK, "POST", draft("/return")(g), nil)
		}, sends("GET", func(g *guest) string { return "/confirmation/" + g.Stay.String() }, noBody), 200, "confirmed", []string{created, intended, converted, viewed}, 1},
		{"sweep what was left", func(g *guest) { g.RequestQuote().Hold().SetGuest().DB.Advance(31 * time.Minute) }, ticks, 204, "abandoned", []string{created, abandoned}, 1},
		{"sweep what was paid for", func(g *guest) {
			g.Platform.Pay(g.RequestQuote().Hold().SetGuest().Pay("card").Intent, false)
			g.DB.Advance(31 * time.Minute)
		}, ticks, 204, "confirmed", []string{created, intended, converted}, 1},
	} {
		t.Run(verb.name, func(t *testing.T) {
			t.Parallel()
			system, wire := wired(t)
			for n := 1; verb.lose(t, system.Guest(0), wire, n); n++ {
				if n > mostAnswers {
					t.Fatal("too many responses")
				}
			}
		})
	}
}

// lose makes the call with its n-th response lost, and repeats it until it succeeds. It reports whether there was an
// n-th response.
func (l lossy) lose(t *testing.T, g *tenantbookingtest.Guest, wire *tenantbookingtest.Wire, n int) (lost bool) {
	t.Helper()
	before := len(g.Platform.Stays())
	l.before(g)
	wire.LoseResponse(n)
	l.send(g)
	lost = wire.LoseNone()
	a := insist(t, g, func() fntest.Answer { return l.send(g) })
	check.MustEqual(t, a.Status, l.status, "%s", string(a.Body))
	remember(t, g, a)
	if state, _ := g.State(); state != l.state {
		t.Errorf("answer %d lost: the draft is %s, want %s", n, state, l.state)
	}
	published := slices.DeleteFunc(g.Published(), func(s string) bool { return s == errored }) // the outage is published
	check.Equal(t, published, l.published, "answer %d lost: published", n)
	check.Equal(t, len(g.Platform.Stays())-before, l.stays, "answer %d lost: reservations", n)
	if !lost && n == 1 {
		t.Error("no response was lost")
	}
	return lost
}

// sends returns a request that the guest repeats under the same key.
func sends(method string, path func(*tenantbookingtest.Guest) string, body func(*tenantbookingtest.Guest) any) func(*tenantbookingtest.Guest) fntest.Answer {
	return func(g *tenantbookingtest.Guest) fntest.Answer {
		return g.Send(method, path(g), body(g), "Idempotency-Key", "same")
	}
}

// ticks calls the sweep again.
func ticks(g *tenantbookingtest.Guest) fntest.Answer { return g.Front.Tick(sweepdrafts.Function) }

func at(path string) func(*tenantbookingtest.Guest) string {
	return func(*tenantbookingtest.Guest) string { return path }
}

func noBody(*tenantbookingtest.Guest) any { return nil }

func wired(t *testing.T) (*tenantbookingtest.System, *tenantbookingtest.Wire) {
	t.Helper()
	wire := &tenantbookingtest.Wire{}
	return tenantbookingtest.Wired(t, wire, funnel()...), wire
}

// insist repeats the call until it gets a final response. It expires the lease of an interrupted call.
func insist(t *testing.T, g *tenantbookingtest.Guest, send func() fntest.Answer) (a fntest.Answer) {
	t.Helper()
	for range 10 {
		if a = send(); a.Status < 500 && a.Code() != "GENERAL.IDEMPOTENCY_IN_PROGRESS" {
			return a
		}
		g.Env.Advance(5 * time.Second) // an open circuit breaker probes again
		check.Got(g.DB.Owner(t).Exec(t.Context(), `UPDATE bff_tenant_booking.idempotency SET locked_until = 'epoch' WHERE status_code IS NULL`)).Must(t)
	}
	return a
}

// remember stores the draft of a response that begins one.
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
	check.Must(t, err)
	check.Equal(t, drafts, 1)
}

// TestHold_lostResponseAndExpired loses the response of a hold. A guest who retries after the hold has expired
// gets an error, and continues with another quote.
func TestHold_lostResponseAndExpired(t *testing.T) {
	t.Parallel()
	system, wire := wired(t)
	for n := 1; ; n++ {
		g := system.Guest(0).RequestQuote()
		before := len(g.Platform.Stays())
		wire.LoseResponse(n)
		g.Send("POST", "/hold", g.HoldBody())
		check.MustEqual(t, wire.LoseNone(), true, "no response was lost between the hold and the draft")
		if state, _ := g.State(); state != "quoting" || len(g.Platform.Stays()) == before {
			continue
		}
		g.DB.Advance(11 * time.Minute)
		a := insist(t, g, func() fntest.Answer { return g.Send("POST", "/hold", g.HoldBody()) })
		a.WantProblem(t, http.StatusGone, "RESERVATION.HOLD_EXPIRED")
		g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(`,"draftId":"`+g.Draft.String()+`"`))
		g.Must(http.StatusCreated, "POST", "/hold", g.HoldBody())
		return
	}
}
