package journeys

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// A bookedStay is what a guest's site shows of a booking.
type bookedStay struct {
	State        string
	StayWindow   struct{ CheckIn, CheckOut string }
	Total, Due   money.Minor
	ViewToken    string
	FreeUntil    time.Time `json:"freeCancellationUntil"`
	Cancellation struct {
		Refund money.Minor
	}
}

// bookStay books by card and returns the guest and the path of the confirmation.
func bookStay(t *testing.T, s *system.System, w system.Wish) (v *system.Visitor, path string, booked bookedStay) {
	t.Helper()
	v = s.Visit(demo.KabulGrand).Book(w, "card")
	v.Press("pay")
	if a := v.Return(); a.Status != http.StatusOK {
		t.Fatalf("the booking answers %d %s, want 200", a.Status, a.Body)
	}
	path = "/confirmation/" + v.ReservationID
	v.Must(http.StatusOK, http.MethodGet, path, nil).Into(t, &booked)
	return v, path, booked
}

// datesOf returns the body of a change to the dates of a wish.
func datesOf(v *system.Visitor, w system.Wish, more ...any) map[string]any {
	body := map[string]any{"stayWindow": v.QuoteBody(w)["stayWindow"]}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return body
}

// TestSite_changesStay changes a paid booking through the whole system: a longer stay at the price of the dry run, which takes effect when it
// is paid, again in another browser, without rooms, at another hotel, and after the deadline. Then the guest cancels.
func TestSite_changesStay(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	wish := last(2)
	units := wish.Rooms
	wish.Rooms = 1
	v, path, booked := bookStay(t, s, wish)
	longer := wish
	longer.Nights = 3
	var dry, changed, seen bookedStay
	v.Must(http.StatusOK, http.MethodPatch, path, datesOf(v, longer, "dryRun", true)).Into(t, &dry)
	if dry.Total.Amount <= booked.Total.Amount || dry.Due.Amount != dry.Total.Amount-booked.Total.Amount {
		t.Errorf("three nights cost %d with %d due, two %d: want more, with the difference due", dry.Total.Amount, dry.Due.Amount, booked.Total.Amount)
	}
	v.Refused(http.StatusConflict, "BFF.TENANT.PRICE_CHANGED", http.MethodPatch, path, datesOf(v, longer, "total", booked.Total))
	if v.Must(http.StatusOK, http.MethodGet, path, nil).Into(t, &seen); seen.StayWindow != booked.StayWindow {
		t.Errorf("a dry run and a refused price changed the stay to %v", seen.StayWindow)
	}
	v.Must(http.StatusOK, http.MethodPatch, path, datesOf(v, longer, "total", dry.Total)).Into(t, &changed)
	check.Equal(t, changed.StayWindow, booked.StayWindow)
	check.Equal(t, changed.Due, dry.Due)
	payBalance(t, v, path, "card", changed.Due)
	v.Press("pay")
	balanceOf(t, v, http.StatusOK, path+"/payment")
	s.Quiet() // the event of the capture may be exchanging the rooms
	changed = dry
	other := *v
	other.Browser = s.Browser()
	byToken := path + "?t=" + booked.ViewToken
	if other.Must(http.StatusOK, http.MethodGet, byToken, nil).Into(t, &seen); seen.StayWindow != changed.StayWindow || seen.Total != dry.Total {
		t.Errorf("another browser shows %v for %v, want %v for %v", seen.StayWindow, seen.Total, changed.StayWindow, dry.Total)
	}
	other.Must(http.StatusOK, http.MethodPatch, byToken, datesOf(v, longer, "total", booked.Total)) // nothing changes, so the price does not matter
	other.Must(http.StatusOK, http.MethodPatch, byToken, map[string]any{"specialRequest": map[string]any{"tags": []string{"cot"}, "freeText": "For a child"}})

	full := last(2)
	full.From, full.Rooms = 30, units
	s.Visit(demo.KabulGrand).RequestQuote(full).Hold()
	full.Rooms = 1
	v.Refused(http.StatusConflict, "RESERVATION.OVERBOOKING_BLOCKED", http.MethodPatch, path, datesOf(v, full))
	herat := s.Visit(demo.HeratGarden)
	herat.Refused(http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND", http.MethodPatch, byToken, datesOf(v, wish))
	if v.Must(http.StatusOK, http.MethodGet, path, nil).Into(t, &seen); seen.StayWindow != changed.StayWindow {
		t.Errorf("after refusals the stay is %v, want %v", seen.StayWindow, changed.StayWindow)
	}
	s.Quiet()
	desk := openDesk(t, s).do(http.StatusOK, http.MethodGet, "/"+v.ReservationID, nil)
	check.Equal(t, desk.Balance.DueMicro, "0", "balance due at the front desk")
	s.Advance(booked.FreeUntil.Sub(s.Env().Now()) + time.Second)
	v.Refused(http.StatusConflict, "RESERVATION.CHANGE_NOT_ALLOWED", http.MethodPatch, path, datesOf(v, system.Wish{Hotel: wish.Hotel, Room: 2, From: 20, Nights: 1}))
	v.Must(http.StatusOK, http.MethodPatch, path, map[string]any{"specialRequest": map[string]any{"tags": []string{"quiet_room"}}})
	s.Settle()
}

// TestSite_equalChanges changes to the same dates in 16 windows at once. Each gets the booking, whose change waits for its payment.
func TestSite_equalChanges(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v, path, booked := bookStay(t, s, usual())
	w := usual()
	w.Nights++
	var all sync.WaitGroup
	for range 16 {
		window := *v
		window.Browser = s.Browser()
		all.Go(func() {
			a := window.Send(http.MethodPatch, path+"?t="+booked.ViewToken, datesOf(v, w))
			check.Equal(t, a.Status, http.StatusOK, "a change: %s", a.Body)
		})
	}
	all.Wait()
	s.Quiet()
	var waits, after bookedStay
	if v.Must(http.StatusOK, http.MethodGet, path, nil).Into(t, &waits); waits.StayWindow != booked.StayWindow || waits.Due.Amount <= 0 {
		t.Errorf("before the payment the stay is %v with %v due, want %v with an amount due", waits.StayWindow, waits.Due, booked.StayWindow)
	}
	s.Settle() // the rooms of one change are held
	payBalance(t, v, path, "card", waits.Due)
	v.Press("pay")
	balanceOf(t, v, http.StatusOK, path+"/payment")
	s.Quiet()
	if v.Must(http.StatusOK, http.MethodGet, path, nil).Into(t, &after); after.Total.Amount <= booked.Total.Amount {
		t.Errorf("the longer stay costs %d, want more than %d", after.Total.Amount, booked.Total.Amount)
	}
	s.Settle()
}

// TestSite_changesBesideCancel changes dates in some browsers while another cancels. The cancellation succeeds at once, and the money of
// all changes is settled.
func TestSite_changesBesideCancel(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v, path, booked := bookStay(t, s, usual())
	var all sync.WaitGroup
	for nights := 1; nights <= 4; nights++ {
		if nights == usual().Nights {
			continue
		}
		browser := *v
		browser.Browser = s.Browser()
		w := usual()
		w.Nights = nights
		all.Go(func() {
			a := browser.Send(http.MethodPatch, path+"?t="+booked.ViewToken, datesOf(v, w))
			if !slices.Contains([]int{http.StatusOK, http.StatusConflict, http.StatusServiceUnavailable}, a.Status) {
				t.Errorf("a change answers %d %s, want 200, 409 or 503", a.Status, a.Body)
			}
		})
	}
	browser := *v
	browser.Browser = s.Browser()
	all.Go(func() {
		browser.Send(http.MethodPost, path+"/cancel?t="+booked.ViewToken, map[string]any{}).Want(t, http.StatusOK)
	})
	all.Wait()
	s.Quiet()
	var end bookedStay
	v.Must(http.StatusOK, http.MethodPost, path+"/cancel", map[string]any{})
	if v.Must(http.StatusOK, http.MethodGet, path, nil).Into(t, &end); end.State != "cancelled" || end.Cancellation.Refund.Amount == 0 {
		t.Errorf("the booking is %s with a refund of %d, want cancelled with a refund", end.State, end.Cancellation.Refund.Amount)
	}
	v.Refused(http.StatusConflict, "RESERVATION.ILLEGAL_TRANSITION", http.MethodPatch, path, datesOf(v, usual(), "dryRun", true))
	s.Settle()
}
