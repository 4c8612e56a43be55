package tenantbooking_test

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/hold"
	"melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/fntest"
)

// Whoever begins one booking after the other and pays for none must not empty the hotel.
func TestABrowserHoldsAFewRoomsAndThenOneNowAndThen(t *testing.T) {
	t.Parallel()
	s := tenantbookingtest.Build(t)
	s.Front = fntest.Behind(t, s.Env.With("RATE_LIMIT_SESSION", "20/60"), s.Front.Issuer(), quote.Function, hold.Function)
	g := s.Guest(0)
	held := func() (rooms int) {
		for range 20 {
			if a := g.Ask().Send("POST", "/hold", g.Holding()); a.Status == http.StatusTooManyRequests {
				break
			}
			rooms++
		}
		return rooms
	}
	if n := held(); n != 10 {
		t.Errorf("%d rooms at once", n)
	}
	s.Env.Advance(10 * time.Minute)
	if n := held(); n != 10 {
		t.Errorf("%d rooms at once after ten minutes", n)
	}
	s.Env.Advance(time.Minute)
	if n := held(); n != 2 {
		t.Errorf("%d rooms in a minute", n)
	}
	s.Guest(0).Ask().Hold() // another browser's
}
