package booking

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A confirmTest holds a stored reservation and fake services.
type confirmTest struct {
	*Confirmer
	db            *pgtest.Database
	r             *Reservation
	fakeInventory *fakeInventory
	fakePayments  *fakePayments
	t             testing.TB
	owner         *pgx.Conn // for assertions; nil: opened by the first
}

// set stores a held reservation and creates an inventory with just enough rooms for it.
func set(t testing.TB, db *pgtest.Database) *confirmTest {
	t.Helper()
	e := db.Env()
	s := &confirmTest{db: db, r: aStored(t, e, id.New[id.Tenant]()), fakeInventory: newFakeInventory(e.Now, 1), fakePayments: newFakePayments(), t: t}
	s.fakeInventory.place(s.r)
	s.Confirmer = &Confirmer{OpenReservations(e), s.fakeInventory, s.fakePayments, e.Now, nil}
	return s
}

// pays adds an intent to the payment service.
func (s *confirmTest) pays(i Intent) Intent {
	s.fakePayments.mu.Lock()
	defer s.fakePayments.mu.Unlock()
	s.fakePayments.intents[i.ID] = &i
	return i
}

func (s *confirmTest) confirm(intent *id.Intent) error {
	claim := Claim{Scope: access.Scope{Tenant: s.r.Tenant}, Reservation: s.r.ID, Intent: intent}
	_, err := s.Confirm(s.t.Context(), claim, func(ctx context.Context, f func(postgres.Tx) error) error {
		return s.reservations.In(ctx, s.r.Tenant, f)
	})
	return err
}

// change applies a change to the stored reservation.
func (s *confirmTest) change(act func(*Reservation) error) {
	s.t.Helper()
	err := s.reservations.In(s.t.Context(), s.r.Tenant, func(tx postgres.Tx) error {
		r, err := s.reservations.Lock(s.t.Context(), tx, access.Scope{Tenant: s.r.Tenant}, s.r.ID)
		if err != nil {
			return err
		}
		if err := act(r); err != nil {
			return err
		}
		say := HoldRanOut
		if r.State == Cancelled {
			say = ReservationCancelled
		}
		return s.reservations.Save(s.t.Context(), tx, r, say(r))
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// sell gives the rooms to another guest after they are free.
func (s *confirmTest) sell() {
	s.t.Helper()
	other := *s.r
	other.Hold = other.wanted(id.New[id.Request](), "hold", stay.MaxHold)
	if _, err := s.fakeInventory.Hold(s.t.Context(), &other, other.Hold); err != nil {
		s.t.Fatal(err)
	}
}

func (s *confirmTest) now() *Reservation {
	s.t.Helper()
	r, err := s.reservations.Get(s.t.Context(), access.Scope{Tenant: s.r.Tenant}, s.r.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func TestConfirm_outcomes(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	expire := func(s *confirmTest) { s.pass(10 * time.Minute) }
	late := func(s *confirmTest) {
		expire(s)
		s.arrived(-1)
	}
	for _, test := range []struct {
		name      string
		before    func(*confirmTest)
		claim     func(*confirmTest) *id.Intent
		want      error
		state     State
		kept      bool // the hotel keeps the money or the promise
		published []string
	}{
		{"capture", nothing, captured, nil, Confirmed, true, []string{"held", "confirmed"}},
		{"capture after the hold", expire, captured, nil, Confirmed, true, []string{"held", "confirmed"}},
		{"capture after the sweep", func(s *confirmTest) { expire(s); s.change((*Reservation).Expire) }, captured, nil, Confirmed, true, []string{"held", "hold_expired", "confirmed"}},
		{"capture after inventory lost the hold", func(s *confirmTest) { s.lose() }, captured, nil, Confirmed, true, []string{"held", "confirmed"}},
		{"capture after the rooms were sold", func(s *confirmTest) { expire(s); s.sell() }, captured, ErrOverbooked, Cancelled, true, []string{"held", "cancelled"}},
		{"capture after a cancellation", func(s *confirmTest) { s.change(unpaid) }, captured, ErrIllegalTransition, Cancelled, false, []string{"held", "cancelled"}},
		{"capture after the guest was expected", late, captured, ErrOverbooked, Cancelled, true, []string{"held", "cancelled"}},
		{"cash after the guest was expected", late, cash, ErrHoldExpired, ExpiredHold, false, []string{"held"}},
		{"captured too little", nothing, short, ErrTooLittle, Held, false, []string{"held"}},
		{"captured too much", nothing, tooMuch, nil, Confirmed, true, []string{"held", "confirmed"}},
		{"captured too much, after the hold", expire, tooMuch, nil, Confirmed, true, []string{"held", "confirmed"}},
		{"nothing captured", nothing, open, ErrNotCaptured, Held, false, []string{"held"}},
		{"unknown intent", nothing, unknown, ErrNotCaptured, Held, false, []string{"held"}},
		{"cash during the hold", nothing, cash, nil, Confirmed, true, []string{"held", "confirmed"}},
		{"cash after the hold", expire, cash, ErrHoldExpired, ExpiredHold, false, []string{"held"}},
		{"cash after inventory lost the hold", func(s *confirmTest) { s.lose() }, cash, ErrHoldExpired, Held, true, []string{"held"}},
		{"cash after a cancellation", func(s *confirmTest) { s.change(unpaid) }, cash, ErrIllegalTransition, Cancelled, false, []string{"held", "cancelled"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := set(t, db)
			test.before(s)
			intent := test.claim(s)
			for range 2 { // a repetition changes nothing
				err := s.confirm(intent)
				if !errors.Is(err, test.want) && !errors.Is(err, ErrIllegalTransition) && !errors.Is(err, ErrNotCaptured) {
					t.Errorf("got %v, want %v", err, test.want)
				}
			}
			if got := s.now().EffectiveState(); got != test.state {
				t.Errorf("state is %s, want %s", got, test.state)
			}
			if got := published(t, s.db, s.r); !slices.Equal(got, test.published) {
				t.Errorf("published %v, want %v", got, test.published)
			}
			s.balances(test.kept)
		})
	}
}

// arrived sets the arrival to that many days before the noShowAt of today, so that the guest was expected before.
func (s *confirmTest) arrived(days int) {
	s.t.Helper()
	today := s.now().Local.Date(s.db.Env().Now())
	_, err := s.db.Owner(s.t).Exec(s.t.Context(), `
		UPDATE reservation.reservations SET stay_start = @start, stay_end = @end WHERE reservation_id = @reservation`,
		pgx.StrictNamedArgs{"reservation": s.r.ID, "start": today.AddDays(days - 2), "end": today.AddDays(days + 1)})
	if err != nil {
		s.t.Fatal(err)
	}
}

// pass lets time pass for the stored hold and the rooms of the fake inventory, and for no other test of the database.
func (s *confirmTest) pass(by time.Duration) {
	s.t.Helper()
	err := s.db.Owner(s.t).QueryRow(s.t.Context(), `
		UPDATE reservation.holds SET placed_at = placed_at - @by::interval, expires_at = expires_at - @by::interval WHERE hold_id = @hold
		RETURNING placed_at, expires_at`, pgx.StrictNamedArgs{"by": by, "hold": s.r.Hold.ID}).Scan(&s.r.Hold.PlacedAt, &s.r.Hold.ExpiresAt)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, room := range s.fakeInventory.taken {
		room.expires = room.expires.Add(-by)
	}
}

func nothing(*confirmTest) {}

func unpaid(r *Reservation) error { return r.CancelUnpaid(noon) }

func captured(s *confirmTest) *id.Intent { i := s.pays(aCapture(s.r)); return &i.ID }

func short(s *confirmTest) *id.Intent {
	i := s.pays(with(aCapture, func(i *Intent) { i.Captured-- })(s.r))
	return &i.ID
}

func tooMuch(s *confirmTest) *id.Intent {
	i := s.pays(with(aCapture, func(i *Intent) { i.Captured += 90; i.Refunded = 30 })(s.r))
	return &i.ID
}

func open(s *confirmTest) *id.Intent {
	i := s.pays(with(aCapture, func(i *Intent) { i.Status, i.Captured, i.CaptureEvent = "requires_payment", 0, nil })(s.r))
	return &i.ID
}

func unknown(*confirmTest) *id.Intent { i := id.New[id.Intent](); return &i }

func cash(*confirmTest) *id.Intent { return nil }

// lose releases the rooms in inventory before the hold expires.
func (s *confirmTest) lose() {
	if err := s.fakeInventory.Release(s.t.Context(), s.r, s.r.Hold.Allocations); err != nil {
		s.t.Fatal(err)
	}
}

// balances fails the test if money is kept without rooms, or if rooms are allocated twice.
func (s *confirmTest) balances(kept bool) {
	s.t.Helper()
	r := s.now()
	s.fakePayments.mu.Lock()
	defer s.fakePayments.mu.Unlock()
	has := false
	for _, i := range s.fakePayments.intents {
		asked := r.Cancellation != nil && slices.ContainsFunc(r.Cancellation.Refunds, func(back Refund) bool { return back.Intent == i.ID && back.Amount == i.kept() })
		if i.kept() > 0 && !r.paidByIntent(i.ID) && !asked {
			s.t.Errorf("intent %s: %d not refunded without a reservation", i.ID, i.kept())
		}
		if r.State == Confirmed && r.paidByIntent(i.ID) && i.kept() > r.Total {
			s.t.Errorf("intent %s: %d not refunded, want %d", i.ID, i.kept(), r.Total)
		}
		has = has || i.kept() > 0 || i.Status == PendingCash
	}
	if has != kept {
		s.t.Errorf("money kept = %v, want %v", has, kept)
	}
	if r.State == Confirmed && s.fakeInventory.let(r) != len(r.Items) {
		s.t.Errorf("%d rooms are allocated, want %d", s.fakeInventory.let(r), len(r.Items))
	}
}

func TestConfirm_resumes(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for name, before := range map[string]func(*confirmTest, id.Intent){
		"with the rooms of its hold": func(*confirmTest, id.Intent) {},
		"with rooms taken again":     func(s *confirmTest, _ id.Intent) { s.pass(10 * time.Minute) },
		"after those have lapsed": func(s *confirmTest, i id.Intent) {
			s.pass(10 * time.Minute)
			if _, err := s.fakeInventory.Hold(s.t.Context(), s.r, s.r.retryHold(i, 0)); err != nil {
				s.t.Fatal(err)
			}
			s.pass(stay.MinHold)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := set(t, db)
			intent := captured(s)
			before(s, *intent)
			claim := Claim{Scope: access.Scope{Tenant: s.r.Tenant}, Reservation: s.r.ID, Intent: intent}
			cut := errors.New("cut off")
			if _, err := s.Confirm(t.Context(), claim, func(context.Context, func(postgres.Tx) error) error { return cut }); !errors.Is(err, cut) {
				t.Fatalf("got %v", err)
			}
			if err := s.confirm(intent); err != nil {
				t.Fatal(err)
			}
			s.balances(true)
		})
	}
}

// If every retried hold expires, the money is refunded.
func TestConfirm_refundsAfterLastRetry(t *testing.T) {
	t.Parallel()
	s := set(t, pgtest.New(t))
	intent := captured(s)
	s.pass(10 * time.Minute)
	for attempt := range maxHoldRetries {
		if _, err := s.fakeInventory.Hold(t.Context(), s.r, s.r.retryHold(*intent, attempt)); err != nil {
			t.Fatal(err)
		}
		s.pass(stay.MinHold)
	}
	if err := s.confirm(intent); !errors.Is(err, ErrOverbooked) {
		t.Errorf("got %v, want %v", err, ErrOverbooked)
	}
	if got := s.now().State; got != Cancelled {
		t.Errorf("state is %s", got)
	}
	s.balances(true)
}

// An attempt commits the rooms in time and fails before it saves. Then the hold expires, the sweep publishes it, and
// another guest asks for the rooms.
func TestConfirm_afterUnsavedCommit(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for name, claim := range map[string]func(*confirmTest) *id.Intent{"captured": captured, "cash": cash} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := set(t, db)
			intent := claim(s)
			cut := errors.New("cut off")
			lost := func(context.Context, func(postgres.Tx) error) error { return cut }
			if _, err := s.Confirm(t.Context(), Claim{Scope: access.Scope{Tenant: s.r.Tenant}, Reservation: s.r.ID, Intent: intent}, lost); !errors.Is(err, cut) {
				t.Fatalf("got %v", err)
			}
			s.pass(10 * time.Minute)
			s.change((*Reservation).Expire)
			rival := *s.r
			rival.Hold = rival.wanted(id.New[id.Request](), "hold", stay.MaxHold)
			if _, err := s.fakeInventory.Hold(t.Context(), &rival, rival.Hold); !errors.Is(err, ErrOverbooked) {
				t.Errorf("a rival's hold: %v, want %v", err, ErrOverbooked)
			}
			for range 2 {
				if err := s.confirm(intent); err != nil {
					t.Fatal(err)
				}
			}
			if got := s.now(); got.State != Confirmed || !slices.Equal(got.Hold.Allocations, s.r.Hold.Allocations) {
				t.Errorf("it is %s with %v, want %s with the original %v", got.State, got.Hold.Allocations, Confirmed, s.r.Hold.Allocations)
			}
			if got, want := published(t, s.db, s.r), []string{"held", "hold_expired", "confirmed"}; !slices.Equal(got, want) {
				t.Errorf("published %v, want %v", got, want)
			}
			if s.fakePayments.promises > 1 {
				t.Errorf("got %d promises, want at most 1", s.fakePayments.promises)
			}
			s.balances(true)
		})
	}
}

func TestConfirm_methodMismatch(t *testing.T) {
	t.Parallel()
	s := set(t, pgtest.New(t))
	claim := Claim{Scope: access.Scope{Tenant: s.r.Tenant}, Reservation: s.r.ID, Intent: captured(s), Method: PayPal}
	if _, err := s.Confirm(t.Context(), claim, nil); !errors.Is(err, fault.ErrValidation) {
		t.Errorf("got %v", err)
	}
}

// A caller with an old version confirms nothing; a repetition after the confirmation answers all the same.
func TestConfirm_match(t *testing.T) {
	t.Parallel()
	s := set(t, pgtest.New(t))
	claim := Claim{Scope: access.Scope{Tenant: s.r.Tenant}, Reservation: s.r.ID, Intent: captured(s), Allows: func(v int64) bool { return v != int64(s.r.Version) }}
	if _, err := s.Confirm(t.Context(), claim, nil); !errors.Is(err, fault.ErrStale) {
		t.Errorf("Confirm() = %v, want %v", err, fault.ErrStale)
	}
	if err := s.confirm(claim.Intent); err != nil {
		t.Fatal(err)
	}
	claim.Allows = func(int64) bool { return false }
	if r, err := s.Confirm(t.Context(), claim, nil); err != nil || r.State != Confirmed {
		t.Errorf("Confirm() = %v, want the confirmed reservation", err)
	}
}
