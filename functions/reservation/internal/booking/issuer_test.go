package booking

import (
	"context"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A lockServiceAnswering answers each request for a key with the same status.
type lockServiceAnswering KeyStatus

func (l lockServiceAnswering) Issue(context.Context, *Reservation, Key) (KeyStatus, error) {
	return KeyStatus(l), nil
}

func (l lockServiceAnswering) Revoke(context.Context, id.Tenant, ...id.KeyCredential) error {
	return nil
}

// TestIssuer_countsManualKeys has the lock service answer and then report the same key twice by event.
func TestIssuer_countsManualKeys(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, test := range []struct {
		name             string
		answer, reported KeyStatus
		change           bool // of the key of a guest who has checked in
		state            State
		manual           int64
	}{
		{"issued", KeyIssued, KeyIssued, false, CheckedIn, 0},
		{"pending", KeyPending, KeyPending, false, CheckInStarted, 0},
		{"failed", KeyFailed, KeyFailed, false, CheckedIn, 1},
		{"failed_by_event", KeyPending, KeyFailed, false, CheckedIn, 1},
		{"issued_by_event", KeyPending, KeyIssued, false, CheckedIn, 0},
		{"change_failed", KeyPending, KeyFailed, true, CheckedIn, 1},
		{"change_issued", KeyIssued, KeyIssued, true, CheckedIn, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := aStoredBooking(t, db, id.New[id.Tenant]())
			s := &Issuer{reservations: OpenReservations(db.Env()), locks: lockServiceAnswering(test.answer), now: func() time.Time { return arrival }}
			store := func(events ...event.Draft) {
				t.Helper()
				err := save(t, s.reservations, r, events...)
				if err == nil {
					r, err = s.reservations.Get(t.Context(), access.Scope{Tenant: r.Tenant}, r.ID)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			of, rooms := roomsFor(r)
			if _, err := r.StartCheckIn(rooms, of, access.Actor{Type: access.Staff, ID: "usr_desk"}, arrival); err != nil {
				t.Fatal(err)
			}
			store(CheckInBegun(r))
			if test.change {
				issueKeys(t, r)
				store(GuestCheckedIn(r))
				r.Version++
				r.wantKeys(arrival, r.itemIDs()...)
				store()
			}
			var counts observe.Counts
			ctx := observe.WithCounts(t.Context(), &counts)
			if _, err := s.Ask(ctx, access.Scope{Tenant: r.Tenant}, r.ID); err != nil {
				t.Fatal(err)
			}
			within := func(ctx context.Context, write func(postgres.Tx) error) error {
				return s.reservations.In(ctx, r.Tenant, write)
			}
			for _, key := range slices.Concat(r.Keys, r.Keys) {
				if key.Status != KeyPending {
					continue
				}
				key.Status = test.reported
				if err := s.Report(ctx, access.Scope{Tenant: r.Tenant}, r.ID, key, within); err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.reservations.Get(t.Context(), access.Scope{Tenant: r.Tenant}, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			if got.State != test.state {
				t.Errorf("state = %s, want %s", got.State, test.state)
			}
			if n := counts[observe.ManualKeys].Load(); n != test.manual {
				t.Errorf("manual keys = %d, want %d", n, test.manual)
			}
		})
	}
}
