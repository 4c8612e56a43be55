package tenantbooking_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/abandondraft"
	"melmastoon.ghasi.io/functions/tenantbooking/cancel"
	guestchange "melmastoon.ghasi.io/functions/tenantbooking/change"
	"melmastoon.ghasi.io/functions/tenantbooking/confirmcash"
	"melmastoon.ghasi.io/functions/tenantbooking/confirmpayment"
	"melmastoon.ghasi.io/functions/tenantbooking/hold"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/functions/tenantbooking/openintent"
	"melmastoon.ghasi.io/functions/tenantbooking/paybalance"
	"melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/readconfirmation"
	"melmastoon.ghasi.io/functions/tenantbooking/readdraft"
	"melmastoon.ghasi.io/functions/tenantbooking/setguest"
	"melmastoon.ghasi.io/functions/tenantbooking/sweepdrafts"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func funnel() []fn.Function {
	return []fn.Function{quote.Function, hold.Function, readdraft.Function, setguest.Function, abandondraft.Function, openintent.Function,
		confirmpayment.Function, confirmcash.Function, readconfirmation.Function, cancel.Function, guestchange.Function, paybalance.Function, sweepdrafts.Function}
}

func sweep(t *testing.T, g *tenantbookingtest.Guest) {
	t.Helper()
	if a := g.Front.Tick(sweepdrafts.Function); a.Status >= 300 {
		t.Fatalf("the sweep answered %d: %s", a.Status, a.Body)
	}
}

const (
	created   = "booking.draft.created"
	intended  = "payment_intent.created"
	converted = "booking.draft.converted"
	abandoned = "booking.draft.abandoned"
	errored   = "flow.error_encountered"
	viewed    = "confirmation.viewed"
)

func TestConfirmPayment_card(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	back := "/draft/" + g.Draft.String() + "/return"
	check.Equal(t, g.Must(http.StatusAccepted, "POST", back, nil).Header.Get("Retry-After"), "2", "no Retry-After for a pending payment")
	g.Platform.Pay(g.Intent, false)
	var first, second struct {
		State string `json:"flowState"`
		Token string `json:"viewToken"`
	}
	g.Must(http.StatusOK, "POST", back, nil).Into(t, &first)
	g.Must(http.StatusOK, "POST", back, nil).Into(t, &second)
	check.Equal(t, first, second, "then")
	check.Equal(t, first.State, "confirmed")
	check.NotEqual(t, first.Token, "", "no view token")
	page := "/confirmation/" + g.Stay.String()
	g.Send("GET", page, nil).Want(t, http.StatusOK, "X-Cache", "MISS", "Cache-Control", "private, no-store")
	g.Guest(0).Send("GET", page, nil).Want(t, http.StatusNotFound) // another session
	g.Guest(0).Send("GET", page+"?t="+first.Token, nil).Want(t, http.StatusOK)
	g.Guest(1).Send("GET", page+"?t="+first.Token, nil).Want(t, http.StatusNotFound) // another hotel
	g.WantEnd("confirmed", "converted", created, intended, converted, viewed)
	stays := g.Platform.Stays()
	check.MustEqual(t, len(stays), 1, "reservations")
	check.Equal(t, stays[0].Guest.FirstName, "Zarghona", "the reservation has the guest")
}

func TestConfirmCash_repeated(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
	check.Equal(t, g.Send("POST", "/draft/"+g.Draft.String()+"/return", nil).Code(), "BFF.TENANT.ILLEGAL_STEP", "returned with a promise")
	for range 2 {
		g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/confirm", nil)
	}
	g.WantEnd("confirmed", "converted", created, intended, errored, converted)
}

func TestConfirmPayment_declinedThenPaid(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	back := "/draft/" + g.Draft.String() + "/return"
	g.Platform.Decline(g.Intent, false)
	g.Send("POST", back, nil, "Idempotency-Key", "same").WantProblem(t, http.StatusPaymentRequired, "PAYMENT.DECLINED")
	g.Platform.Pay(g.Intent, true)
	g.Must(http.StatusOK, "POST", back, nil, "Idempotency-Key", "same")
	g.WantEnd("confirmed", "converted", created, intended, errored, converted)
}

func TestConfirmPayment_declinedFinally(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	back := "/draft/" + g.Draft.String() + "/return"
	g.Platform.Decline(g.Intent, true)
	for _, want := range []string{"PAYMENT.DECLINED", "BFF.TENANT.DRAFT_CLOSED"} {
		t.Run(want, func(t *testing.T) {
			check.Equal(t, g.Send("POST", back, nil).Code(), want)
		})
	}
	g.WantEnd("failed", "failed", created, intended, errored, errored)
}

func TestSweep_closedTab(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		before func(*tenantbookingtest.Guest)
		state  string
		final  string
		events []string
	}{
		{"quoted", nil, "abandoned", "abandoned", []string{abandoned}},
		{"collecting_details", func(g *tenantbookingtest.Guest) { g.Hold().SetGuest() }, "abandoned", "abandoned", []string{created, abandoned}},
		{"paid_and_known_to_reservation", func(g *tenantbookingtest.Guest) {
			g.Platform.Pay(g.Hold().SetGuest().Pay("card").Intent, true)
		}, "confirmed", "converted", []string{created, intended, converted}},
		{"paid_and_unknown_to_reservation", func(g *tenantbookingtest.Guest) {
			g.Platform.Pay(g.Hold().SetGuest().Pay("card").Intent, false)
		}, "confirmed", "converted", []string{created, intended, converted}},
		{"declined_card", func(g *tenantbookingtest.Guest) {
			g.Platform.Decline(g.Hold().SetGuest().Pay("card").Intent, true)
		}, "abandoned", "abandoned", []string{created, intended, abandoned}},
		{"unconfirmed_cash", func(g *tenantbookingtest.Guest) { g.Hold().SetGuest().Pay("cash_on_arrival") },
			"abandoned", "abandoned", []string{created, intended, abandoned}},
		{"pending_card", func(g *tenantbookingtest.Guest) { g.Hold().SetGuest().Pay("card") }, "paying", "", []string{created, intended}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote()
			if test.before != nil {
				test.before(g)
			}
			sweep(t, g)
			if _, final := g.State(); final != "" {
				t.Errorf("ended before its time as %s", final)
			}
			g.DB.Advance(31 * time.Minute)
			sweep(t, g)
			sweep(t, g)
			g.WantEnd(test.state, test.final, test.events...)
		})
	}
}

// A guest who abandons the booking while the payment page is open also gives up an expired hold, because a payment would
// renew it.
func TestAbandon_expiredHold(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	g.DB.Advance(11 * time.Minute)
	for range 2 {
		g.Must(http.StatusNoContent, "DELETE", "/draft/"+g.Draft.String(), nil)
	}
	check.Equal(t, g.Platform.Stays()[0].State, "cancelled", "the rooms")
	g.WantEnd("abandoned", "abandoned", created, intended, abandoned)
}

func TestSweep_deletesEndedDrafts(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold()
	path := "/draft/" + g.Draft.String()
	for range 2 {
		g.Must(http.StatusNoContent, "DELETE", path, nil)
	}
	check.Equal(t, g.Platform.Stays()[0].State, "cancelled", "the rooms")
	g.WantEnd("abandoned", "abandoned", created, abandoned)
	check.Equal(t, g.Send("PATCH", path, tenantbookingtest.Zarghona).Code(), "BFF.TENANT.DRAFT_CLOSED")
	g.DB.Advance(24*time.Hour + time.Minute)
	sweep(t, g)
	g.Must(http.StatusNotFound, "GET", path, nil)
}

func TestHold_expires(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest()
	g.DB.Advance(10 * time.Minute)
	check.Equal(t, g.Send("POST", "/draft/"+g.Draft.String()+"/payment-intent", `{"method":"card"}`).Code(), "RESERVATION.HOLD_EXPIRED")
	g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(`,"draftId":"`+g.Draft.String()+`"`))
	g.Hold().SetGuest().Pay("card").Platform.Pay(g.Intent, false)
	g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/return", nil)
	g.WantEnd("confirmed", "converted", created, errored, intended, converted)
}

func TestHold_replacesTheFirst(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold()
	first := g.Stay
	g.Must(http.StatusCreated, "POST", "/hold", g.HoldBody()) // a double click
	check.Equal(t, g.Stay, first, "reservation of a double click")
	check.Equal(t, len(g.Platform.Stays()), 1, "reservations of a double click")
	old := g.Quote
	g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(`,"draftId":"`+g.Draft.String()+`"`))
	a := g.Send("POST", "/hold", map[string]any{"draftId": g.Draft, "quoteId": old})
	a.WantProblem(t, http.StatusConflict, "BFF.TENANT.PRICE_CHANGED")
	a.WantText(t, "A later quote has replaced this one.") // its price may be the same
	g.Hold()
	check.NotEqual(t, g.Stay, first, "the second quote holds the first reservation")
	check.Equal(t, len(g.Platform.Stays()), 2, "reservations")
	held := 0
	for _, s := range g.Platform.Stays() {
		if s.State == "held" {
			held++
		}
	}
	check.Equal(t, held, 1, "live holds")
}

func TestSetGuest_twoTabs(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold()
	path := "/draft/" + g.Draft.String()
	g.Must(http.StatusOK, "GET", path, nil)
	seen := g.Version
	g.Send("GET", path, nil, "If-None-Match", seen).Want(t, http.StatusNotModified)
	g.Must(http.StatusOK, "PATCH", path, tenantbookingtest.Zarghona, "If-Match", seen)
	other := `{"guest":{"firstName":"Malalai","lastName":"","email":"m@example.com","phone":"+93700123456"}}`
	g.Send("PATCH", path, other, "If-Match", seen).Want(t, http.StatusPreconditionFailed) // the second tab has the old version
	g.Must(http.StatusOK, "PATCH", path, other, "If-Match", g.Version)
	weak := "W/" + g.Version // as after a proxy that compresses responses
	g.Must(http.StatusOK, "PATCH", path, tenantbookingtest.Zarghona, "If-Match", weak)
	g.Send("PATCH", path, other, "If-Match", weak).Want(t, http.StatusPreconditionFailed)
}

func TestDraft_noAccess(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold()
	path := "/draft/" + g.Draft.String()
	stranger, other := g.Guest(0), g.Guest(1)
	smuggler := *other
	smuggler.Cookie = g.Cookie
	for _, test := range []struct {
		name string
		who  *tenantbookingtest.Guest
		want string
	}{
		{"another session", stranger, "GENERAL.RESOURCE_NOT_FOUND"},
		{"another hotel", other, "GENERAL.RESOURCE_NOT_FOUND"},
		{"the cookie at another hotel", &smuggler, "GENERAL.UNAUTHENTICATED"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, a := range []string{
				test.who.Send("GET", path, nil).Code(), test.who.Send("PATCH", path, tenantbookingtest.Zarghona).Code(), test.who.Send("DELETE", path, nil).Code(),
				test.who.Send("POST", path+"/payment-intent", `{"method":"card"}`).Code(), test.who.Send("POST", path+"/return", nil).Code(),
				test.who.Send("POST", path+"/confirm", nil).Code(), test.who.Send("POST", "/hold", g.HoldBody()).Code(),
				test.who.Send("POST", "/quote", g.QuoteBody(`,"draftId":"`+g.Draft.String()+`"`)).Code(),
			} {
				t.Run(fmt.Sprintf("%q", a), func(t *testing.T) {
					check.Equal(t, a, test.want)
				})
			}
		})
	}
	g.Platform.Change(func() { g.Platform.Tenants[0].Status = "suspended" })
	g.DB.Advance(2 * time.Hour) // the cached status has expired
	g.Send("POST", "/quote", g.QuoteBody()).WantProblem(t, http.StatusServiceUnavailable, "TENANT.SUSPENDED", "Retry-After", "300")
	g.Must(http.StatusOK, "GET", path, nil)
}

// TestConfirm_suspendedTenant suspends the hotel between a promise of cash and its confirmation.
func TestConfirm_suspendedTenant(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
	g.Platform.Change(func() { g.Platform.Tenants[0].Status = "suspended" })
	g.DB.Advance(6 * time.Minute) // beyond the cache of the tenant
	check.Equal(t, g.Send("POST", "/quote", g.QuoteBody()).Code(), "TENANT.SUSPENDED", "a new booking of a suspended hotel")
	for range 2 {
		g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/confirm", nil)
	}
	g.WantEnd("confirmed", "converted", created, intended, errored, converted)
}

// The sweep has no middleware that refreshes the flags, but also publishes steps of drafts.
func TestSweep_sampledSteps(t *testing.T) {
	t.Parallel()
	const guests = 8
	system := tenantbookingtest.Build(t, funnel()...)
	var g *tenantbookingtest.Guest
	for range guests {
		g = system.Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
		g.Platform.Pay(g.Intent, false)
	}
	steps := func() (n int) {
		t.Helper()
		err := system.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM bff_tenant_booking.outbox WHERE subject = $1`,
			subject.StepCompletedV1.Name).Scan(&n)
		check.Must(t, err)
		return n
	}
	kept := document.Open[flags.Document](system.Env, subject.FlagsIn)
	every := flags.Document{Sampling: []byte(`{"` + subject.StepCompletedV1.Name + `":1}`)}
	check.Got(kept.Put(t.Context(), flags.Key, every, 1, system.Env.Now().AddDate(1, 0, 0))).Must(t)
	system.DB.Advance(31 * time.Minute)
	before := steps()
	sweep(t, g)
	if published := steps() - before; published != 2*guests { // each draft moves to confirming and to confirmed
		t.Errorf("published %d steps, want %d", published, 2*guests)
	}
}

func TestQuote_otherCurrency(t *testing.T) {
	t.Parallel()
	g, key := tenantbookingtest.Build(t, funnel()...).Guest(0), tenantbookingtest.Key()
	first := g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(), "Idempotency-Key", key, "X-Currency", "USD")
	again := g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody(), "Idempotency-Key", key, "X-Currency", "USD", "Accept-Language", "en")
	again.Want(t, http.StatusCreated, "Idempotent-Replayed", "true")
	again.WantText(t, string(first.Body))
	for _, other := range []string{"AFN", ""} {
		a := g.Send("POST", "/quote", g.QuoteBody(), "Idempotency-Key", key, "X-Currency", other)
		a.WantProblem(t, http.StatusUnprocessableEntity, "GENERAL.IDEMPOTENCY_KEY_REUSED")
	}
}
