package journeys

import (
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestSitePaying_cancelledReservation tries to pay, on every way and on the bank's page that is still open, after the reservation was cancelled.
func TestSitePaying_cancelledReservation(t *testing.T) {
	t.Parallel()
	for name, dies := range map[string]func(*system.Visitor){
		"five declines": func(v *system.Visitor) {
			for range 5 {
				v.Press("decline")
			}
		},
		"the desk cancels": func(v *system.Visitor) {
			v.System().Must(http.StatusOK, system.Request{Method: http.MethodPost, Path: "/api/v1/reservations/" + v.ReservationID + "/cancel",
				Key: system.Key(), Header: map[string]string{"X-Tenant-Id": v.Hotel.Tenant.String()}, Body: map[string]any{"reasonCode": "guest_cancelled"}})
		},
	} {
		for when, wait := range map[string]bool{"at once": false, "after the events": true} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				s := system.Open(t)
				v := s.Visit(demo.KabulGrand).Book(usual(), "card")
				s.Quiet()
				dies(v)
				if wait {
					s.Quiet()
				}
				for _, method := range []string{"mfs", "cash_on_arrival", "card"} {
					v.Refused(http.StatusConflict, "BFF.TENANT.DRAFT_CLOSED", http.MethodPost, v.Draft("/payment-intent"), map[string]any{"method": method})
				}
				check.Equal(t, v.State(), "failed", "the draft is %s", v.FlowState)
				s.Settle()
				v.Press("pay")
				s.Settle()
				ended(t, v, "failed", "failed", "cancelled")
				if intents, captured := payments(t, v); intents != 1 || captured != 0 {
					t.Errorf("%d intents, %d captured, want one and none", intents, captured)
				}
			})
		}
	}
}

// payments counts the intents of the visitor's reservation, and those that money came by.
func payments(t *testing.T, v *system.Visitor) (intents, captured int) {
	t.Helper()
	reservation, err := id.Parse[id.Reservation](v.ReservationID)
	check.Must(t, err)
	err = v.System().DB.Owner(t).QueryRow(t.Context(), `
		SELECT count(*), count(*) FILTER (WHERE captured_micro > 0) FROM sandbox.intents WHERE reservation_id = @reservation`,
		pgx.StrictNamedArgs{"reservation": reservation}).Scan(&intents, &captured)
	check.Must(t, err)
	return intents, captured
}

// TestSitePaying_lostEvent closes the tab after paying. The sweep converts the draft long before the hold is over.
func TestSitePaying_lostEvent(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	v := s.Visit(demo.KabulGrand).Book(usual(), "card")
	for range 2 {
		sweep(s, time.Minute)
	}
	v.Press("pay")
	for range 3 {
		sweep(s, time.Minute)
	}
	v.Expect(created, intended, converted, held, confirmed, allocated, captured)
	ended(t, v, "confirmed", "converted", "confirmed")
}
