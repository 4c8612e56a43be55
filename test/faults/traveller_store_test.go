package faults

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestTravellerStore_handoffWithout takes the store away from a traveller who has a session, and from one who comes then.
// They look for a hotel, look at it and are sent on to it; what they looked at before may be forgotten, and the session is not.
func TestTravellerStore_handoffWithout(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]int64{"down": down, "hanging": hanging, "garbled": garbled} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, own := openWithFaultyStore(t)
			day := s.Env().Now().AddDate(0, 0, 7)
			stay := map[string]any{"checkIn": day.Format(time.DateOnly), "checkOut": day.AddDate(0, 0, 2).Format(time.DateOnly)}
			people, hotel := map[string]any{"adults": 2, "children": 0, "rooms": 1}, demo.KabulGrand
			known := s.Browser().AtAll()
			known.Must(http.StatusOK, http.MethodGet, "/session", nil)
			session := known.Session()
			own.failure.Store(failure)
			for who, v := range map[string]*system.Visitor{"session from before": known, "new session": s.Browser().AtAll()} {
				t.Run(who, func(t *testing.T) {
					v.Must(http.StatusOK, http.MethodPost, "/search", map[string]any{"geo": map[string]any{"mode": "city", "city": "Kabul"}, "dates": stay, "occupancy": people})
					began := v.Session()
					v.Must(http.StatusOK, http.MethodGet, "/hotels/"+hotel.Property.String(), nil)
					v.Must(http.StatusCreated, http.MethodPost, "/handoff/"+hotel.Tenant.String()+"/"+hotel.Property.String(), map[string]any{"dates": stay, "occupancy": people})
					check.NotZero(t, began)
					check.Equal(t, v.Session(), began)
					if v == known && began != session {
						t.Errorf("session = %s after the outage began, want %s", began, session)
					}
				})
			}
			if own.used.Load() == 0 {
				t.Error("own.used.Load() = 0, want uses of the store")
			}
			own.failure.Store(healthy)
			s.Settle()
		})
	}
}
