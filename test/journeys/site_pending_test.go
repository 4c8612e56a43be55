package journeys

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// A pendingWay is a way to pay without a payment page that answers at once.
type pendingWay struct {
	name, method, scenario string
	status                 string                // while the guest or the bank has not acted
	approve, decline       func(*system.Visitor) // by the guest or by the bank
}

func provider(action string) func(*system.Visitor) {
	return func(v *system.Visitor) { v.Provider(action) }
}

var pendingWays = []pendingWay{
	{"phone", "mfs", "", "requires_action", provider("pay"), provider("decline")},
	{"3-D Secure", "card", "challenge_3ds", "requires_action",
		func(v *system.Visitor) { v.Approve("pay") }, func(v *system.Visitor) { v.Approve("decline") }},
	{"bank", "card", "pending", "processing", provider("capture"), provider("refuse")},
}

// begin books in that way up to the pending payment.
func (w pendingWay) begin(t *testing.T, s *system.System) *system.Visitor {
	t.Helper()
	v := s.Visit(demo.KabulGrand).RequestQuote(usual()).Hold().Name()
	if w.scenario != "" {
		v.Headers = map[string]string{"X-Sandbox-Scenario": w.scenario}
	}
	v.Pay(w.method)
	v.Headers = nil
	if w.status == "processing" {
		v.Press("pay")
	}
	for range 2 {
		if a := v.Return(); a.Status != http.StatusAccepted {
			t.Fatalf("%s: pending: got %d %s, want 202", w.name, a.Status, a.Body)
		}
	}
	check.Equal(t, v.PaymentStatus, w.status, "%s: paymentStatus", w.name)
	if inline := w.scenario == "challenge_3ds"; (v.ClientSecret != "") != inline {
		t.Errorf("%s: clientSecret = %q, want one: %v", w.name, v.ClientSecret, inline)
	}
	return v
}

// TestPendingPayment_ends settles payments that the guest approves without a payment page, or that the bank answers later. The result is
// the same whether the capture's event, the guest's return or the sweep comes first, and repetitions change nothing.
func TestPendingPayment_ends(t *testing.T) {
	t.Parallel()
	returned := func(t *testing.T, v *system.Visitor, want int) {
		t.Helper()
		v.Return().Want(t, want)
	}
	for name, end := range map[string]func(*testing.T, *system.System, pendingWay, *system.Visitor){
		"return first": func(t *testing.T, _ *system.System, w pendingWay, v *system.Visitor) {
			for range 2 {
				w.approve(v)
				returned(t, v, http.StatusOK)
			}
		},
		"event first": func(t *testing.T, s *system.System, w pendingWay, v *system.Visitor) {
			w.approve(v)
			s.Quiet()
			for range 2 {
				returned(t, v, http.StatusOK)
			}
		},
		"sweep first": func(t *testing.T, s *system.System, w pendingWay, v *system.Visitor) {
			w.approve(v)
			for range 3 {
				sweep(s, time.Minute)
			}
			returned(t, v, http.StatusOK)
		},
		"declined once": func(t *testing.T, s *system.System, w pendingWay, v *system.Visitor) {
			w.decline(v)
			declined := http.StatusPaymentRequired
			if w.status == "requires_action" { // the guest can still approve: a decline is no answer while a payment is under way
				declined = http.StatusAccepted
			}
			returned(t, v, declined)
			returned(t, v, http.StatusAccepted)
			if w.status == "processing" {
				v.Press("later")
			}
			w.approve(v)
			returned(t, v, http.StatusOK)
			w.decline(v) // late
			s.Quiet()
			returned(t, v, http.StatusOK)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := system.Open(t)
			for _, w := range pendingWays {
				v := w.begin(t, s)
				end(t, s, w, v)
				s.Settle()
				ended(t, v, "confirmed", "converted", "confirmed")
				if intents, captured := payments(t, v); intents != 1 || captured != 1 {
					t.Errorf("%s: %d intents, %d captured, want one and one", w.name, intents, captured)
				}
			}
		})
	}
}

// TestPendingPayment_never advances the clock without an answer of the bank. The draft ends, and nothing is captured afterwards.
func TestPendingPayment_never(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	var guests []*system.Visitor
	for _, w := range pendingWays {
		guests = append(guests, w.begin(t, s))
	}
	for range 2 {
		sweep(s, 2*time.Minute) // before the end of the hold
	}
	for i, v := range guests {
		check.Equal(t, v.State(), "paying", "%s: during the hold the draft is %s", pendingWays[i].name, v.FlowState)
	}
	s.Advance(30 * time.Minute)
	s.Tick("reservation-expireholds")
	s.Tick("sandbox-expireintents")
	for range 2 {
		sweep(s, 2*time.Minute)
	}
	for i, v := range guests {
		pendingWays[i].approve(v) // too late
		s.Settle()
		check.Equal(t, v.State(), "abandoned", "%s: at the end the draft is %s", pendingWays[i].name, v.FlowState)
		if _, captured := payments(t, v); captured != 0 {
			t.Errorf("%s: %d intents were captured, want none", pendingWays[i].name, captured)
		}
	}
}

// TestPendingPayment_abandoned gives the rooms back while the payment is pending. Money that the bank captures afterwards is refunded.
func TestPendingPayment_abandoned(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	for _, w := range pendingWays {
		v := w.begin(t, s)
		v.Must(http.StatusNoContent, http.MethodDelete, v.Draft(""), nil)
		s.Quiet()
		for range 2 {
			w.approve(v)
		}
		s.Settle() // with the books balanced
		ended(t, v, "abandoned", "abandoned", "cancelled")
		want := 0
		if w.status == "processing" {
			want = 1
		}
		if _, captured := payments(t, v); captured != want {
			t.Errorf("%s: %d intents were captured, want %d", w.name, captured, want)
		}
	}
}

// TestPostedReturn has the provider send the browser back to the demo site with a form from another site, without cookies.
func TestPostedReturn(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).RequestQuote(usual()).Hold().Name()
	v.Headers = map[string]string{"X-Sandbox-Scenario": "posted_return"}
	v.Pay("card")
	v.Headers = nil
	back := v.Must(http.StatusTemporaryRedirect, http.MethodPost, v.RedirectURL, "action=pay").Header.Get("Location")
	landing := &system.Visitor{Browser: v.Forgetful()}
	for _, form := range []string{"action=pay", "status=declined&r=forged", ""} {
		t.Run("form "+strconv.Quote(form), func(t *testing.T) {
			a, err := landing.Go(t.Context(), system.Request{Method: http.MethodPost, Path: back, Body: form,
				Header: map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://bank.example"}})
			check.Must(t, err)
			to := a.Header.Get("Location")
			check.Equal(t, a.Status, http.StatusSeeOther, "%s", a.Body)
			if !strings.Contains(to, "?r=") {
				t.Errorf("Location = %s, want the token of the return link in it", to)
			}
			if !strings.Contains(back, to) {
				t.Errorf("Location = %s, want a part of %s", to, back)
			}
		})
	}
	u := check.Got(url.Parse(back)).Must(t)
	page := landing.Must(http.StatusSeeOther, http.MethodGet, back, nil).Header.Get("Location")
	if want := "/site/" + demo.KabulGrand.Slug + "/confirmations/"; !strings.HasPrefix(page, want) {
		t.Errorf("the return leads to %s, want %s (from %s)", page, want, u.Path)
	}
	s.Settle()
	ended(t, v, "confirmed", "converted", "confirmed")
}
