package tenantbooking_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// TestPay_cancelledReservation cancels the reservation in every way, before and after a payment was begun. No intent
// is opened.
func TestPay_cancelledReservation(t *testing.T) {
	t.Parallel()
	type guest = tenantbookingtest.Guest
	cancel := func(g *guest) {
		stay := g.Platform.Stays()[0]
		g.Platform.Change(func() { stay.State = "cancelled" })
	}
	for _, test := range []struct {
		name   string
		end    func(*guest)
		events []string
	}{
		{"cancelled_before_payment", cancel, []string{created, errored, errored}},
		{"cancelled_during_payment", func(g *guest) { g.Pay("card"); cancel(g) }, []string{created, intended, errored, errored}},
		{"cancelled_cash", func(g *guest) { g.Pay("cash_on_arrival"); cancel(g) }, []string{created, intended, errored, errored}},
		{"declined_finally", func(g *guest) { g.Platform.Decline(g.Pay("card").Intent, true) }, []string{created, intended, errored, errored}},
		{"declined_finally_unknown_to_reservation", func(g *guest) {
			g.Platform.Decline(g.Pay("card").Intent, true)
			stay := g.Platform.Stays()[0]
			g.Platform.Change(func() { stay.State = "held" })
		}, []string{created, intended, errored, errored}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest()
			test.end(g)
			before := g.Platform.Intents()
			for _, method := range []string{"cash_on_arrival", "card"} {
				pays(g, method).WantProblem(t, http.StatusConflict, "BFF.TENANT.DRAFT_CLOSED")
			}
			check.Equal(t, g.Platform.Intents()-before, 0, "new intents")
			g.WantEnd("failed", "failed", test.events...)
		})
	}
}

// pays requests a payment and returns any response.
func pays(g *tenantbookingtest.Guest, method string) fntest.Answer {
	return g.Send("POST", "/draft/"+g.Draft.String()+"/payment-intent", `{"method":"`+method+`"}`)
}

// TestPaid_everyActConfirms pays on the payment page and does not return from it. Every other act of the guest finds the
// payment, even if one of the two services does not answer.
func TestPaid_everyActConfirms(t *testing.T) {
	t.Parallel()
	type guest = tenantbookingtest.Guest
	const closed = "BFF.TENANT.DRAFT_CLOSED"
	acts := []struct {
		name   string
		send   func(*guest) fntest.Answer
		status int
		code   string
	}{
		{"comes back", func(g *guest) fntest.Answer { return g.Send("POST", "/draft/"+g.Draft.String()+"/return", nil) }, http.StatusOK, ""},
		{"pays again", func(g *guest) fntest.Answer { return pays(g, "card") }, http.StatusConflict, closed},
		{"promises cash", func(g *guest) fntest.Answer { return pays(g, "cash_on_arrival") }, http.StatusConflict, closed},
		{"confirms", func(g *guest) fntest.Answer { return g.Send("POST", "/draft/"+g.Draft.String()+"/confirm", nil) }, http.StatusOK, ""},
		{"leaves", func(g *guest) fntest.Answer { return g.Send("DELETE", "/draft/"+g.Draft.String(), nil) }, http.StatusConflict, closed},
	}
	for _, circumstance := range []struct {
		name  string
		known bool // whether the reservation service has consumed the capture
		down  string
		later time.Duration
	}{
		{name: "before the reservation service knows"},
		{name: "after the reservation service knows", known: true},
		{name: "after the hold", later: 11 * time.Minute},
		{name: "without the payment service", known: true, down: "payment"},
	} {
		for _, act := range acts {
			t.Run(act.name+" "+circumstance.name, func(t *testing.T) {
				t.Parallel()
				g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
				g.Platform.Pay(g.Intent, circumstance.known)
				g.Platform.Change(func() { g.Platform.Down = circumstance.down })
				g.DB.Advance(circumstance.later)
				a := act.send(g)
				a.WantProblem(t, act.status, act.code)
				if act.code == closed {
					wantConfirmedProblem(t, g, a)
				}
				var draft struct {
					State string `json:"flowState"`
				}
				g.Must(http.StatusOK, "GET", "/draft/"+g.Draft.String(), nil).Into(t, &draft)
				check.Equal(t, draft.State, "confirmed", "the draft")
				published := []string{created, intended, converted}
				if act.code != "" {
					published = append(published, errored)
				}
				g.WantEnd("confirmed", "converted", published...)
			})
		}
	}
}

// wantConfirmedProblem fails the test unless a problem tells a guest who has paid that the booking is confirmed.
func wantConfirmedProblem(t *testing.T, g *tenantbookingtest.Guest, a fntest.Answer) {
	t.Helper()
	var problem struct {
		Detail string         `json:"detail"`
		State  string         `json:"flowState"`
		Stay   id.Reservation `json:"reservationId"`
		Code   string         `json:"reservationCode"`
	}
	a.Into(t, &problem)
	check.Equal(t, problem.State, "confirmed", "flowState")
	if problem.Stay != g.Stay || problem.Code == "" {
		t.Errorf("the problem has reservationId %s and reservationCode %q, want those of %s", problem.Stay, problem.Code, g.Stay)
	}
	check.Equal(t, problem.Detail, "This booking was confirmed. See its confirmation.")
}

// TestClosed_notBooked: a guest whose booking has ended without a confirmation is not told that it is booked, and no problem of another
// code claims a final state.
func TestClosed_notBooked(t *testing.T) {
	t.Parallel()
	for state, end := range map[string]func(*tenantbookingtest.Guest){
		"abandoned": func(g *tenantbookingtest.Guest) {
			g.Must(http.StatusNoContent, "DELETE", "/draft/"+g.Draft.String(), nil)
		},
		"failed": func(g *tenantbookingtest.Guest) { g.Platform.Decline(g.Pay("card").Intent, true) },
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest()
			problem := fntest.Read[map[string]any](t, g.Send("POST", "/draft/"+g.Draft.String()+"/confirm", nil))
			if problem["code"] != "MELMASTOON.BFF.TENANT.ILLEGAL_STEP" || problem["flowState"] != "collecting_details" {
				t.Errorf("before: %v", problem)
			}
			end(g)
			a := pays(g, "card")
			a.WantProblem(t, http.StatusConflict, "BFF.TENANT.DRAFT_CLOSED")
			problem = nil
			if a.Into(t, &problem); problem["flowState"] != state || problem["reservationId"] != nil {
				t.Errorf("got %v, want the state %s and no reservation", problem, state)
			}
			if detail, _ := problem["detail"].(string); !strings.Contains(detail, "refunded") {
				t.Errorf("detail = %q, want a word about a late payment", detail)
			}
		})
	}
}

// TestReturn_declinedThenUnderWay: the guest tries again on the payment page after a decline. The first return must not show the decline,
// because the money of the second attempt may arrive.
func TestReturn_declinedThenUnderWay(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"processing", "requires_action"} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
			back := "/draft/" + g.Draft.String() + "/return"
			g.Platform.Decline(g.Intent, false)
			g.Platform.Await(g.Intent, status, "")
			for range 2 {
				g.Must(http.StatusAccepted, "POST", back, nil)
			}
			g.Platform.Await(g.Intent, "requires_payment", "")
			g.Must(http.StatusAccepted, "POST", back, nil) // the decline counts as shown
			g.Platform.Decline(g.Intent, false)
			g.Send("POST", back, nil).WantProblem(t, http.StatusPaymentRequired, "PAYMENT.DECLINED")
			g.Platform.Pay(g.Intent, false)
			g.Must(http.StatusOK, "POST", back, nil)
			g.WantEnd("confirmed", "converted", created, intended, errored, converted)
		})
	}
}

// TestPay_underWayAfterHold: a guest whose payment is under way when the hold ends is not sent to a new quote.
func TestPay_underWayAfterHold(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	g.Platform.Await(g.Intent, "processing", "")
	g.DB.Advance(11 * time.Minute)
	pays(g, "card").WantProblem(t, http.StatusConflict, "BFF.TENANT.ILLEGAL_STEP")
	g.Platform.Await(g.Intent, "requires_payment", "")
	pays(g, "card").WantProblem(t, http.StatusGone, "RESERVATION.HOLD_EXPIRED")
}

// TestConfirm_unpaidCard calls the endpoint for cash bookings with a card booking.
func TestConfirm_unpaidCard(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	check.Equal(t, g.Send("POST", "/draft/"+g.Draft.String()+"/confirm", nil).Code(), "BFF.TENANT.ILLEGAL_STEP")
	if state, _ := g.State(); state != "paying" {
		t.Errorf("the draft is %s", state)
	}
}

// TestSweep_findsPayment captures at every minute of a hold, for a guest who has closed the tab.
func TestSweep_findsPayment(t *testing.T) {
	t.Parallel()
	for minute := range 12 {
		g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
		ticks := func(minutes int) {
			for range minutes {
				g.DB.Advance(time.Minute)
				sweep(t, g)
			}
		}
		ticks(minute)
		g.Platform.Pay(g.Intent, false)
		ticks(3)
		g.WantEnd("confirmed", "converted", created, intended, converted)
	}
}

// TestSweep_keepsPayableDrafts runs the sweep during the whole hold, for an unconfirmed cash
// booking, a declined payment and an open payment page. It ends no draft, and all responses have the same payment
// deadline.
func TestSweep_keepsPayableDrafts(t *testing.T) {
	t.Parallel()
	type guest = tenantbookingtest.Guest
	for name, before := range map[string]func(*guest){
		"a promise":      func(g *guest) { g.Pay("cash_on_arrival") },
		"a page":         func(g *guest) { g.Pay("card") },
		"a declined one": func(g *guest) { g.Platform.Decline(g.Pay("card").Intent, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest()
			before(g)
			expires := func() (at time.Time) {
				var draft struct {
					ExpiresAt time.Time `json:"expiresAt"`
				}
				g.Must(http.StatusOK, "GET", "/draft/"+g.Draft.String(), nil).Into(t, &draft)
				return draft.ExpiresAt
			}
			held := g.Platform.Stays()[0].ExpiresAt
			for range 9 {
				g.DB.Advance(time.Minute)
				sweep(t, g)
				if state, _ := g.State(); state != "paying" {
					t.Fatalf("the draft is %s", state)
				}
				check.Equal(t, expires(), held.Truncate(time.Millisecond), "the time until which it can be paid")
			}
			g.Pay("card").Platform.Pay(g.Intent, false)
			g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/return", nil)
		})
	}
}

// TestReturn_declineShownOnce has a payment declined, and the guest return more often: in several tabs at once, after
// another attempt was begun, with the same payment and another one. Each decline causes one 402 and one event; other
// returns write nothing.
func TestReturn_declineShownOnce(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	back := "/draft/" + g.Draft.String() + "/return"
	version := func() (version int) {
		t.Helper()
		check.Must(t, g.DB.Owner(t).QueryRow(t.Context(), `SELECT version FROM bff_tenant_booking.booking_drafts`).Scan(&version))
		return version
	}
	pending := func(when string) {
		t.Helper()
		before := version()
		for range 3 {
			g.Must(http.StatusAccepted, "POST", back, nil)
		}
		check.Equal(t, version(), before, "%s", when)
	}
	tabs := func(when string) {
		t.Helper()
		answers := make(chan int)
		for range 4 {
			go func() { answers <- g.Send("POST", back, nil).Status }()
		}
		shown := map[int]int{}
		for range 4 {
			shown[<-answers]++
		}
		check.Equal(t, shown, map[int]int{http.StatusPaymentRequired: 1, http.StatusAccepted: 3}, "%s: the statuses in four tabs", when)
	}
	pending("before anything is declined")
	g.Platform.Decline(g.Intent, false)
	tabs("declined")
	pending("shown")
	g.Pay("card")
	pending("with the same payment again")
	g.Platform.Decline(g.Intent, false)
	g.Platform.Decline(g.Intent, false)
	tabs("declined twice more")
	g.Pay("cash_on_arrival").Pay("card")
	pending("with another payment")
	g.Platform.Decline(g.Intent, false)
	tabs("declined once by the other")
	g.Platform.Pay(g.Intent, false)
	g.Must(http.StatusOK, "POST", back, nil)
	g.WantEnd("confirmed", "converted", created, intended, errored, errored, intended, intended, errored, converted)
}

// TestReturn_pending returns while the payment waits for the guest or the bank. Only the session that booked gets the payment's client
// secret.
func TestReturn_pending(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t, funnel()...)
	for _, test := range []struct{ status, secret string }{{"requires_payment", ""}, {"requires_action", ""}, {"requires_action", "pyi_1_secret_2"}, {"processing", ""}} {
		t.Run(test.status+test.secret, func(t *testing.T) {
			g := s.Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
			g.Platform.Await(g.Intent, test.status, test.secret)
			var own, linked struct {
				Status string `json:"paymentStatus"`
				Secret string `json:"clientSecret"`
			}
			for range 2 {
				g.Must(http.StatusAccepted, "POST", "/draft/"+g.Draft.String()+"/return", nil).Into(t, &own)
			}
			check.Equal(t, own.Status, test.status, "paymentStatus")
			check.Equal(t, own.Secret, test.secret, "clientSecret")
			other := s.Front.As("").Send("POST", g.Path("/draft/"+g.Draft.String()+"/return?r="+returnToken(t, s, g)), nil, "Idempotency-Key", tenantbookingtest.Key())
			other.Want(t, http.StatusAccepted)
			other.Into(t, &linked)
			check.Equal(t, linked.Status, test.status)
			check.Equal(t, linked.Secret, "")
		})
	}
}

// TestPay_whileProcessing chooses a method while the bank processes a payment. The same method returns the same payment. Another one is
// rejected until the bank has declined.
func TestPay_whileProcessing(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	g.Platform.Await(g.Intent, "processing", "")
	first := g.Intent
	for range 2 {
		pays(g, "cash_on_arrival").WantProblem(t, http.StatusConflict, "BFF.TENANT.ILLEGAL_STEP")
		pays(g, "card").Want(t, http.StatusCreated)
	}
	check.Equal(t, g.Intent, first, "the intent")
	check.Equal(t, g.Platform.Intents(), 1)
	g.Platform.Await(g.Intent, "requires_payment", "")
	g.Platform.Decline(g.Intent, false)
	g.Send("POST", "/draft/"+g.Draft.String()+"/return", nil).WantProblem(t, http.StatusPaymentRequired, "PAYMENT.DECLINED")
	pays(g, "cash_on_arrival").Want(t, http.StatusCreated)
}
