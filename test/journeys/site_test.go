package journeys

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// The events of a booking in the order in which Expect lists them: of the site, of the reservation, and of the other
// services.
const (
	created   = "booking.draft.created"
	converted = "booking.draft.converted"
	abandoned = "booking.draft.abandoned"
	intended  = "payment_intent.created"
	viewed    = "confirmation.viewed"
	troubled  = "flow.error_encountered"

	held      = "reservation.held"
	confirmed = "reservation.confirmed"
	cancelled = "reservation.cancelled"
	lapsed    = "reservation.hold_expired"

	allocated = "inventory.allocation.committed"
	captured  = "payment.transaction.captured"
)

// usual is a wish at the first hotel that fits.
func usual() system.Wish { return system.Usual() }

// ended fails the test unless the tables say that the draft came to this end.
func ended(t *testing.T, v *system.Visitor, state, final, reservation string) system.End {
	t.Helper()
	e := v.End()
	check.Equal(t, e.State, state, "the draft in the tables")
	check.Equal(t, e.Final, final, "the draft in the tables")
	check.Equal(t, e.Reservation, reservation, "the draft in the tables")
	check.Equal(t, e.Named, false, "the draft in the tables")
	check.Equal(t, e.Session, v.Session(), "the draft in the tables")
	return e
}

// sweep lets time go by and closes what has lapsed.
func sweep(s *system.System, after time.Duration) {
	s.Quiet()
	s.Advance(after)
	s.Tick("tenantbooking-sweepdrafts")
	s.Quiet()
}

func TestSite_paysByCard(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).Book(usual(), "card")
	check.Equal(t, v.State(), "paying", "with an intent it is %s", v.FlowState)
	if back := v.Press("pay"); !strings.Contains(back, "/"+v.DraftID+"?r=") {
		t.Errorf("the provider leads to %q", back)
	}
	s.Quiet()
	a := v.Return()
	check.Equal(t, a.Status, http.StatusOK)
	check.Equal(t, v.FlowState, "confirmed")
	check.NotZero(t, v.ViewToken)
	confirmation(t, v, "card", "captured")
	v.Expect(created, intended, converted, viewed, held, confirmed, allocated, captured)
	e := ended(t, v, "confirmed", "converted", "confirmed")
	check.Equal(t, e.Method, "card", "the snapshot")
	check.Equal(t, e.EmailHash, true, "the snapshot")
	check.Equal(t, e.Trail, []string{"quoting", "holding", "collecting_details", "paying", "confirmed"}, "the snapshot")
}

// confirmation reads it as the one who booked, as a stranger, and as a stranger with the link.
func confirmation(t *testing.T, v *system.Visitor, method, status string) {
	t.Helper()
	path := "/confirmation/" + v.ReservationID
	var seen struct {
		ReservationID, ReservationCode, State, ViewToken string
		Payment                                          struct{ Method, Status string }
	}
	a := v.Must(http.StatusOK, http.MethodGet, path, nil)
	a.Into(t, &seen)
	check.Equal(t, seen.ReservationID, v.ReservationID)
	check.Equal(t, seen.ReservationCode, v.Code)
	check.Equal(t, seen.State, "confirmed")
	check.Equal(t, seen.Payment.Method, method)
	check.Equal(t, seen.Payment.Status, status)
	check.Equal(t, a.Header.Get("Cache-Control"), "private, no-store", "Cache-Control")
	check.Lacks(t, string(a.Body), "Zarghona", "Ahmadzai", "xample.com", "012")
	stranger := *v
	stranger.Browser = v.System().Browser()
	stranger.Refused(http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND", http.MethodGet, path, nil)
	stranger.Refused(http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND", http.MethodGet, path+"?t=x"+v.ViewToken, nil)
	stranger.Must(http.StatusOK, http.MethodGet, path+"?t="+v.ViewToken, nil)
}

// TestSite_slugOnly books with ids that the hotel's own routes have told, and no other.
func TestSite_slugOnly(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand)
	var front struct {
		Properties []struct {
			PropertyID, Name, TimeZone string
			RoomTypes                  []struct{ RoomTypeID, Name string }
		}
	}
	v.Must(http.StatusOK, http.MethodGet, "/properties?locale=en", nil).Into(t, &front)
	check.MustEqual(t, len(front.Properties), 1)
	check.MustEqual(t, front.Properties[0].Name, "Kabul Grand Hotel")
	check.MustEqual(t, front.Properties[0].TimeZone, "Asia/Kabul")
	house, called := front.Properties[0], map[string]string{}
	for _, r := range house.RoomTypes {
		called[r.RoomTypeID] = r.Name
	}
	wish := v.QuoteBody(usual())
	days := wish["stayWindow"].(map[string]any)
	var found struct {
		Rooms []struct {
			RoomTypeID string
			Rates      []struct{ RatePlanID string }
		}
	}
	v.Must(http.StatusOK, http.MethodGet, fmt.Sprintf("/availability?propertyId=%s&checkIn=%s&checkOut=%s&adults=2", house.PropertyID, days["checkIn"], days["checkOut"]), nil).Into(t, &found)
	wish["propertyId"], wish["roomTypeId"], wish["ratePlanId"] = house.PropertyID, found.Rooms[0].RoomTypeID, found.Rooms[0].Rates[0].RatePlanID
	v.Must(http.StatusCreated, http.MethodPost, "/quote", wish)
	v.Hold().Name().Pay("cash_on_arrival")
	v.Must(http.StatusOK, http.MethodPost, v.Draft("/confirm"), nil)
	var booked struct {
		PropertyID string
		Rooms      []struct{ RoomTypeID string }
	}
	v.Must(http.StatusOK, http.MethodGet, "/confirmation/"+v.ReservationID, nil).Into(t, &booked)
	check.Equal(t, booked.PropertyID, house.PropertyID)
	check.MustEqual(t, len(booked.Rooms), 1)
	check.NotZero(t, called[booked.Rooms[0].RoomTypeID])
}

func TestSite_paysCash(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).Book(usual(), "cash_on_arrival")
	check.Equal(t, v.RedirectURL, "", "redirect URL of a cash payment")
	first := v.Must(http.StatusOK, http.MethodPost, v.Draft("/confirm"), nil)
	second := v.Must(http.StatusOK, http.MethodPost, v.Draft("/confirm"), nil)
	check.Equal(t, string(first.Body), string(second.Body))
	check.Equal(t, v.FlowState, "confirmed")
	confirmation(t, v, "cash_on_arrival", "pending_cash")
	v.Expect(created, intended, converted, viewed, held, confirmed, allocated)
	if e := ended(t, v, "confirmed", "converted", "confirmed"); e.Method != "cash_on_arrival" {
		t.Errorf("in the snapshot: %+v", e)
	}
}

func TestSite_leavesSilently(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		until  func(*system.Visitor)
		events []string
		state  string // of the reservation
	}{
		"from the price":   {func(v *system.Visitor) { v.RequestQuote(usual()) }, []string{abandoned}, ""},
		"from the rooms":   {func(v *system.Visitor) { v.RequestQuote(usual()).Hold() }, []string{created, abandoned, held, lapsed, allocated}, "expired_hold"},
		"from the form":    {func(v *system.Visitor) { v.RequestQuote(usual()).Hold().Name() }, []string{created, abandoned, held, lapsed, allocated}, "expired_hold"},
		"from the promise": {func(v *system.Visitor) { v.Book(usual(), "cash_on_arrival") }, []string{created, intended, abandoned, held, lapsed, allocated}, "expired_hold"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := system.Open(t)
			v := s.Visit(demo.KabulGrand)
			test.until(v)
			sweep(s, 0)
			if e := v.End(); e.Final != "" {
				t.Errorf("ended before its time: %+v", e)
			}
			s.Advance(31 * time.Minute)
			s.Tick("reservation-expireholds")
			sweep(s, 0)
			sweep(s, time.Minute)
			v.Expect(test.events...)
			ended(t, v, "abandoned", "abandoned", test.state)
			v.Must(http.StatusOK, http.MethodGet, v.Draft(""), nil)
			v.Refused(http.StatusConflict, "BFF.TENANT.DRAFT_CLOSED", http.MethodPatch, v.Draft(""), system.GuestDetails())
		})
	}
}

// TestSite_abandons gives the rooms back at once: another guest gets them.
func TestSite_abandons(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).RequestQuote(last(2)).Hold().Name().Pay("card")
	other := s.Visit(demo.KabulGrand).RequestQuote(last(2))
	other.Refused(http.StatusConflict, "RESERVATION.OVERBOOKING_BLOCKED", http.MethodPost, "/hold", other.HoldBody())
	v.Must(http.StatusNoContent, http.MethodDelete, v.Draft(""), nil)
	v.Must(http.StatusNoContent, http.MethodDelete, v.Draft(""), nil)
	s.Quiet()
	other.RequestQuote(last(2)).Hold()
	v.Expect(created, intended, abandoned, held, cancelled, allocated, allocated, "payment.transaction.failed")
	ended(t, v, "abandoned", "abandoned", "cancelled")
}

// TestSite_leavesThenPays leaves the booking while the bank's page is open, the rooms being over already. Who pays there
// nevertheless gets nothing for it, and pays nothing.
func TestSite_leavesThenPays(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).Book(usual(), "card")
	s.Quiet()
	s.Advance(v.HoldExpiresAt.Sub(s.Env().Now()) + time.Second)
	s.Tick("reservation-expireholds")
	v.Must(http.StatusNoContent, http.MethodDelete, v.Draft(""), nil)
	v.Press("pay")
	s.Settle()
	ended(t, v, "abandoned", "abandoned", "cancelled")
}

func TestSite_holdExpires(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		until func(*system.Visitor)
		next  func(*system.Visitor) (status int, code, method, path string, body any)
	}{
		"to say who they are": {
			func(v *system.Visitor) { v.RequestQuote(usual()).Hold() },
			func(v *system.Visitor) (int, string, string, string, any) {
				return http.StatusGone, "RESERVATION.HOLD_EXPIRED", http.MethodPatch, v.Draft(""), system.GuestDetails()
			},
		},
		"to choose how to pay": {
			func(v *system.Visitor) { v.RequestQuote(usual()).Hold().Name() },
			func(v *system.Visitor) (int, string, string, string, any) {
				return http.StatusGone, "RESERVATION.HOLD_EXPIRED", http.MethodPost, v.Draft("/payment-intent"), map[string]any{"method": "card"}
			},
		},
		"to take the price": {
			func(v *system.Visitor) { v.RequestQuote(usual()) },
			func(v *system.Visitor) (int, string, string, string, any) {
				return http.StatusGone, "BFF.TENANT.QUOTE_EXPIRED", http.MethodPost, "/hold", v.HoldBody()
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := system.Open(t)
			v := s.Visit(demo.KabulGrand)
			test.until(v)
			s.Quiet()
			s.Advance(31 * time.Minute)
			s.Tick("reservation-expireholds")
			v.Refused(test.next(v))
			// The draft is not lost: it is asked about anew, and booked.
			v.RequestQuote(usual()).Hold().Name().Pay("card").Press("pay")
			if a := v.Return(); a.Status != http.StatusOK {
				t.Fatalf("after another price: %d %s", a.Status, a.Body)
			}
			s.Settle()
			ended(t, v, "confirmed", "converted", "confirmed")
		})
	}
}

// TestSite_holdExpiresDuringPayment pays at the bank after the rooms were let go. They are still free, so the guest has them.
func TestSite_holdExpiresDuringPayment(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).Book(usual(), "card")
	s.Quiet()
	s.Advance(v.HoldExpiresAt.Sub(s.Env().Now()) + time.Second)
	s.Tick("reservation-expireholds")
	s.Tick("tenantbooking-sweepdrafts")
	v.Press("pay")
	s.Quiet()
	if a := v.Return(); a.Status != http.StatusOK || v.FlowState != "confirmed" {
		t.Errorf("came back to %d %s", a.Status, a.Body)
	}
	v.Expect(created, intended, converted, held, lapsed, confirmed, allocated, captured, allocated)
	ended(t, v, "confirmed", "converted", "confirmed")
}

// TestSite_roomsGoneAtPayment pays for rooms that another guest has booked in the meantime: the payment is refunded.
func TestSite_roomsGoneAtPayment(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	late := s.Visit(demo.KabulGrand).RequestQuote(last(2)).Hold().Name().Pay("card")
	s.Quiet()
	s.Advance(late.HoldExpiresAt.Sub(s.Env().Now()) + time.Second)
	s.Tick("reservation-expireholds")
	quick := s.Visit(demo.KabulGrand).RequestQuote(last(2)).Hold().Name().Pay("cash_on_arrival")
	quick.Must(http.StatusOK, http.MethodPost, quick.Draft("/confirm"), nil)
	late.Press("pay")
	s.Quiet()
	if a := late.Return(); a.Status/100 != 4 {
		t.Errorf("came back to %d %s", a.Status, a.Body)
	}
	late.Refused(http.StatusConflict, "BFF.TENANT.DRAFT_CLOSED", http.MethodPost, late.Draft("/return"), nil)
	s.Settle()
	ended(t, late, "failed", "failed", "cancelled")
	ended(t, quick, "confirmed", "converted", "confirmed")
}

func TestSite_declinedThenPays(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).Book(usual(), "card")
	v.Press("decline")
	v.Refused(http.StatusPaymentRequired, "PAYMENT.DECLINED", http.MethodPost, v.Draft("/return"), nil)
	check.Equal(t, v.State(), "paying", "after a refusal it is %s", v.FlowState)
	v.Press("pay")
	if a := v.Return(); a.Status != http.StatusOK || v.FlowState != "confirmed" {
		t.Errorf("came back to %d %s", a.Status, a.Body)
	}
	v.Expect(created, intended, troubled, converted, held, confirmed, allocated, captured)
	ended(t, v, "confirmed", "converted", "confirmed")
}

func TestSite_declinedFinally(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).Book(usual(), "card")
	for range 5 {
		v.Press("decline")
	}
	s.Quiet()
	v.Refused(http.StatusPaymentRequired, "PAYMENT.DECLINED", http.MethodPost, v.Draft("/return"), nil)
	v.Refused(http.StatusConflict, "BFF.TENANT.DRAFT_CLOSED", http.MethodPost, v.Draft("/return"), nil)
	v.Expect(created, intended, troubled, troubled, held, cancelled, allocated, "payment.transaction.failed")
	ended(t, v, "failed", "failed", "cancelled")
}

// TestSite_hotelHost books there, and in Pashto.
func TestSite_hotelHost(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Browser()
	b.Languages = "ps-AF,ps;q=0.9,en;q=0.5"
	v := b.AtHome(demo.KabulGrand)
	a := v.Must(http.StatusOK, http.MethodGet, "/bootstrap", nil)
	if got := a.Header.Get("Content-Language"); !strings.HasPrefix(got, "ps") {
		t.Errorf("it is in %q", got)
	}
	v.Book(usual(), "card").Press("pay")
	if a := v.Return(); a.Status != http.StatusOK {
		t.Fatalf("came back to %d %s", a.Status, a.Body)
	}
	confirmation(t, v, "card", "captured")
	v.Expect(created, intended, converted, viewed, held, confirmed, allocated, captured)
	ended(t, v, "confirmed", "converted", "confirmed")
}
