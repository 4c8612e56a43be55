package journeys

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// A balance is the answer to a payment of what is due.
type balance struct {
	State, PaymentStatus string
	Due                  money.Minor
	Intent               struct{ IntentID, RedirectURL string }
	ViewToken            string
}

// owing books a stay by card and asks for one more night, which waits for its payment. It returns the guest, the path of the confirmation
// and the booking with the amount that is due.
func owing(t *testing.T, s *system.System) (v *system.Visitor, path string, booked bookedStay) {
	t.Helper()
	wish := usual()
	v, path, booked = bookStay(t, s, wish)
	wish.Nights++
	v.Must(http.StatusOK, http.MethodPatch, path, datesOf(v, wish)).Into(t, &booked)
	if booked.Due.Amount == 0 {
		t.Fatal("nothing is due after a longer stay")
	}
	return v, path, booked
}

// payBalance begins a payment of what is due.
func payBalance(t *testing.T, v *system.Visitor, path, method string, due money.Minor) (out balance) {
	t.Helper()
	v.Must(http.StatusCreated, http.MethodPost, path+"/payment", map[string]any{"method": method, "due": due}).Into(t, &out)
	v.RedirectURL, v.IntentID = out.Intent.RedirectURL, out.Intent.IntentID
	return out
}

// balanceOf asks for the result of a payment.
func balanceOf(t *testing.T, v *system.Visitor, status int, path string) (out balance) {
	t.Helper()
	v.Must(status, http.MethodPost, path, map[string]any{}).Into(t, &out)
	return out
}

// TestSite_paysBalance pays what a longer stay costs: in two windows, back in another browser by the provider's link, before and after the
// event of the capture.
func TestSite_paysBalance(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v, path, booked := owing(t, s)
	first := payBalance(t, v, path, "card", booked.Due)
	if again := payBalance(t, v, path, "card", booked.Due); again.Intent.IntentID != first.Intent.IntentID {
		t.Errorf("a second window begins the payment %s, want %s", again.Intent.IntentID, first.Intent.IntentID)
	}
	if out := balanceOf(t, v, http.StatusOK, path+"/payment"); out.Due != booked.Due {
		t.Errorf("before the payment %v is due, want %v", out.Due, booked.Due)
	}
	v.Press("decline")
	v.Refused(http.StatusPaymentRequired, "PAYMENT.DECLINED", http.MethodPost, path+"/payment", map[string]any{})
	back, err := url.Parse(v.Press("pay"))
	if err != nil || !strings.HasSuffix(back.Path, "/return/"+v.ReservationID) {
		t.Fatalf("the provider leads to %s, %v", back, err)
	}
	other := *v
	other.Browser = s.Browser()
	linked := balanceOf(t, &other, http.StatusOK, path+"/payment?r="+url.QueryEscape(back.Query().Get("r")))
	if linked.Due.Amount != 0 || linked.ViewToken == "" {
		t.Errorf("in another browser %v is due, with the token %q", linked.Due, linked.ViewToken)
	}
	var seen struct {
		bookedStay
		Paid money.Minor
	}
	s.Quiet() // the event of the capture may be exchanging the rooms
	if v.Must(http.StatusOK, http.MethodGet, path, nil).Into(t, &seen); seen.Due.Amount != 0 || seen.Paid != seen.Total {
		t.Errorf("the confirmation has %v due and %v paid, want nothing and %v", seen.Due, seen.Paid, seen.Total)
	}
	if seen.Total.Amount <= booked.Total.Amount {
		t.Errorf("the paid change costs %v, want more than %v", seen.Total, booked.Total)
	}
	if out := balanceOf(t, v, http.StatusOK, path+"/payment"); out.Due.Amount != 0 {
		t.Errorf("after the event %v is due", out.Due)
	}
	v.Must(http.StatusOK, http.MethodPost, path+"/payment", map[string]any{"method": "card", "due": booked.Due}) // a page that is out of date
	desk := openDesk(t, s).do(http.StatusOK, http.MethodGet, "/"+v.ReservationID, nil)
	check.Equal(t, desk.Balance.DueMicro, "0")
	check.Equal(t, desk.Balance.RefundedMicro, "0")
	s.Settle()
}

// TestSite_paysBalanceLate pays for a booking that has changed since the payment began. Money that pays for nothing is refunded once.
func TestSite_paysBalanceLate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(t *testing.T, v *system.Visitor, path string)
		state  string
	}{
		{"cancelled", func(t *testing.T, v *system.Visitor, path string) {
			t.Helper()
			v.Must(http.StatusOK, http.MethodPost, path+"/cancel", map[string]any{})
		}, "cancelled"},
		{"shorter_again", func(t *testing.T, v *system.Visitor, path string) {
			t.Helper()
			v.Must(http.StatusOK, http.MethodPatch, path, datesOf(v, usual()))
		}, "confirmed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := system.Open(t)
			v, path, booked := owing(t, s)
			payBalance(t, v, path, "mfs", booked.Due)
			v.Provider("later") // the guest has approved, and the bank answers later
			if out := balanceOf(t, v, http.StatusAccepted, path+"/payment"); out.PaymentStatus != "processing" {
				t.Errorf("the payment is %s, want processing", out.PaymentStatus)
			}
			v.Refused(http.StatusConflict, "BFF.TENANT.ILLEGAL_STEP", http.MethodPost, path+"/payment", map[string]any{"method": "card", "due": booked.Due})
			test.change(t, v, path)
			v.Provider("capture")
			for range 2 {
				if out := balanceOf(t, v, http.StatusOK, path+"/payment"); out.State != test.state || out.Due.Amount != 0 {
					t.Errorf("the booking is %s with %v due, want %s with nothing", out.State, out.Due, test.state)
				}
				s.Quiet()
			}
			desk := openDesk(t, s).do(http.StatusOK, http.MethodGet, "/"+v.ReservationID, nil)
			check.Equal(t, desk.Balance.DueMicro, "0", "balance due at the front desk")
			s.Settle()
		})
	}
}

// TestSite_paysBalanceBeside pays in one browser while others change the dates and cancel. In the end nothing is due that the guest has
// paid, and no money is kept for nothing.
func TestSite_paysBalanceBeside(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v, path, booked := owing(t, s)
	payBalance(t, v, path, "card", booked.Due)
	token := "?t=" + booked.ViewToken
	var all sync.WaitGroup
	each := func(act func(*system.Visitor) system.Answer) {
		browser := *v
		browser.Browser = s.Browser()
		all.Go(func() {
			if a := act(&browser); !slices.Contains([]int{200, 201, 303, 402, 409, 503}, a.Status) {
				t.Errorf("a call answers %d %s", a.Status, a.Body)
			}
		})
	}
	each(func(b *system.Visitor) system.Answer { return b.Send(http.MethodPost, v.RedirectURL, "action=pay") })
	each(func(b *system.Visitor) system.Answer {
		return b.Send(http.MethodPatch, path+token, datesOf(v, usual()))
	})
	each(func(b *system.Visitor) system.Answer {
		return b.Send(http.MethodPost, path+"/cancel"+token, map[string]any{})
	})
	for range 3 {
		each(func(b *system.Visitor) system.Answer {
			return b.Send(http.MethodPost, path+"/payment"+token, map[string]any{})
		})
		each(func(b *system.Visitor) system.Answer {
			return b.Send(http.MethodPost, path+"/payment"+token, map[string]any{"method": "card", "due": booked.Due})
		})
	}
	all.Wait()
	s.Advance(time.Minute) // circuit breakers and leases
	s.Quiet()
	v.Must(http.StatusOK, http.MethodPost, path+"/cancel", map[string]any{})
	if out := balanceOf(t, v, http.StatusOK, path+"/payment"); out.State != "cancelled" || out.Due.Amount != 0 {
		t.Errorf("the booking is %s with %v due, want cancelled with nothing", out.State, out.Due)
	}
	s.Settle()
}
