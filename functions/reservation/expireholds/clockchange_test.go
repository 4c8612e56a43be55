package expireholds

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// TestExpire_clockChange holds rooms five minutes before the clocks go back or forward by an hour in Beirut, in a database whose sessions
// use that time zone. The hold lasts ten minutes.
func TestExpire_clockChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, change string }{
		{"back", "2027-10-30T21:00:00Z"},
		{"forward", "2028-03-25T22:00:00Z"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			change, err := time.Parse(time.RFC3339, test.change)
			if err != nil {
				t.Fatal(err)
			}
			db := pgtest.New(t)
			owner := db.Owner(t)
			var database string
			if err := owner.QueryRow(t.Context(), `SELECT current_database()`).Scan(&database); err != nil {
				t.Fatal(err)
			}
			if _, err := owner.Exec(t.Context(), `ALTER DATABASE `+pgx.Identifier{database}.Sanitize()+` SET timezone TO 'Asia/Beirut'`); err != nil {
				t.Fatal(err)
			}
			e := db.Env()
			db.Advance(change.Add(-5 * time.Minute).Sub(e.Now()))
			r := reservationtest.Held(t, e, id.New[id.Tenant](), id.New[id.Property]())
			sweep, err := New(e)
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range []struct {
				advance time.Duration
				state   booking.State
				events  []string
			}{
				{advance: reservationtest.TTL - time.Minute, state: booking.Held, events: []string{"held"}},
				{advance: time.Minute, state: booking.ExpiredHold, events: []string{"held", "hold_expired"}},
			} {
				db.Advance(step.advance)
				if err := sweep(t.Context(), e.Now()); err != nil {
					t.Fatal(err)
				}
				if got := reservationtest.Now(t, db, r); got.EffectiveState() != step.state {
					t.Errorf("%v after the hold the state is %s, want %s", e.Now().Sub(r.Hold.PlacedAt), got.EffectiveState(), step.state)
				}
				reservationtest.ExpectEvents(t, db, r, step.events...)
			}
		})
	}
}
