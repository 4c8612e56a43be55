package tenantbooking_test

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// TestHold_clockChange holds rooms five minutes before the clocks of Beirut go back or forward by an hour. The guest has ten minutes, and
// a stay over the change has as many nights as its dates.
func TestHold_clockChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, change string }{
		{"back", "2027-10-30T21:00:00Z"},
		{"forward", "2028-03-25T22:00:00Z"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			change, err := time.Parse(time.RFC3339, test.change)
			check.Must(t, err)
			s := tenantbookingtest.Build(t, funnel()...)
			s.DB.Advance(change.Add(-5 * time.Minute).Sub(s.Env.Now()))
			g := s.Guest(0).RequestQuote().Hold().SetGuest()
			late := s.Guest(0).RequestQuote().Hold().SetGuest()
			s.DB.Advance(9 * time.Minute) // after the change
			g.Pay("card")
			g.Platform.Pay(g.Intent, true)
			g.Must(http.StatusOK, "POST", "/draft/"+g.Draft.String()+"/return", nil)
			seen := fntest.Read[booking.Confirmation](t, g.Must(http.StatusOK, "GET", "/confirmation/"+g.Stay.String(), nil))
			check.Equal(t, seen.Stay.Nights, 2, "nights of the stay")
			s.DB.Advance(time.Minute)
			late.Send("POST", "/draft/"+late.Draft.String()+"/payment-intent", `{"method":"card"}`).WantProblem(t, http.StatusGone, "RESERVATION.HOLD_EXPIRED")
		})
	}
}
