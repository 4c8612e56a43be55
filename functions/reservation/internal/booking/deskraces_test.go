package booking

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/seedrand"
)

// race runs rounds, and ten times as many in a full run, of concurrent acts on two confirmed bookings of one hotel. Nothing fails.
// After each round, all events are delivered, and rooms, nights and money must agree with the reservations. The act returns the
// name of the outcome.
func race(t *testing.T, rounds int, act func(*sequence) (outcome string)) {
	t.Helper()
	t.Parallel()
	seed, db, outcomes := seedrand.New(t), pgtest.New(t), map[string]int{}
	owner := db.Owner(t)
	for n := range seedrand.Iterations(t, rounds, 10*rounds) {
		s := aSequence(t, db, owner, seed.Of("round", n))
		s.sure, s.now = true, noon
		outcomes[act(s)]++
		s.settle()
		s.check(n)
		s.checkNights()
		if t.Failed() {
			t.Fatalf("round %d", n)
		}
	}
	t.Logf("outcomes: %v", outcomes)
}

// again does an act on the stored reservation, and repeats it after a version conflict as the functions do.
func (s *sequence) again(n int, act func(*Reservation) error) error {
	return Again(s.t.Context(), s.once(n, act))
}

// once returns a use case that does an act on the stored reservation.
func (s *sequence) once(n int, act func(*Reservation) error) func() error {
	return func() error {
		r, err := s.changer.reservations.Get(s.t.Context(), access.Scope{Tenant: s.tenant}, s.booked[n].ID)
		if err == nil {
			err = s.learn(s.t.Context(), r)
		}
		if err != nil {
			return err
		}
		return act(r)
	}
}

// cancel cancels a booking for the guest, as the function does.
func (s *sequence) cancel(n int) error {
	return Outlast(s.t.Context(), s.once(n, func(r *Reservation) error {
		if err := r.CancelOnWish(CancelWish{Code: GuestCancelled, By: access.Actor{Type: access.Guest, ID: "gst_someone"}}, s.now); err != nil {
			return err
		}
		return s.save(r, ReservationCancelled(r))
	}))
}

// sweep records a no-show if the guest is late, as the scheduled function does.
func (s *sequence) sweep(n int) error {
	return s.again(n, func(r *Reservation) error {
		if !r.Overdue(s.now) {
			return nil
		}
		if _, err := r.Miss(MissBySweep(), s.now); err != nil {
			return err
		}
		return s.save(r, GuestMissed(r))
	})
}

// checkIn checks the guest of a booking in. The guest of item i gets the room at index i.
func (s *sequence) checkIn(n int, rooms []Room) error {
	desk := &Receptionist{reservations: s.changer.reservations, rooms: s.changer.rooms, keys: s.changer.keys}
	var assigned []AssignedRoom
	for i, item := range s.booked[n].Items {
		assigned = append(assigned, AssignedRoom{Item: item.ID, Room: rooms[i].ID})
	}
	by := access.Principal{Scope: access.Scope{Tenant: s.tenant}, Actor: access.Actor{Type: access.Staff, ID: "usr_desk"}}
	_, err := desk.CheckIn(s.t.Context(), by, s.booked[n].ID, assigned, s.now, func(int64) bool { return true })
	return err
}

// assign gives the first item of a booking a room.
func (s *sequence) assign(n int, to Room) error {
	act := id.New[id.Request]()
	return s.change(s.booked[n], act, s.changer.Room(act, RoomMove{Item: s.booked[n].Items[0].ID, Room: &to.ID}))
}

// pair returns a room of each booked type.
func (s *sequence) pair() []Room {
	var all []Room
	for _, kind := range s.types {
		all = append(all, s.rooms[slices.IndexFunc(s.rooms, func(room Room) bool { return room.Type == kind })])
	}
	return all
}

// countEvents returns how many events with a subject were published about a booking.
func (s *sequence) countEvents(n int, subject string) (times int) {
	s.t.Helper()
	err := s.owner.QueryRow(s.t.Context(), `SELECT count(*) FROM reservation.outbox WHERE ordering_key = @key AND subject = @subject`,
		pgx.StrictNamedArgs{"key": s.tenant.String() + ":" + s.booked[n].ID.String(), "subject": "melmastoon.reservation." + subject + ".v1"}).Scan(&times)
	if err != nil {
		s.t.Fatal(err)
	}
	return times
}

// wantEvents fails the test unless an event was published that number of times.
func (s *sequence) wantEvents(n int, subject string, want int) {
	s.t.Helper()
	if got := s.countEvents(n, subject); got != want {
		s.t.Errorf("published %s %d times, want %d", subject, got, want)
	}
}

// wantError fails the test unless the error is nil or one of those.
func (s *sequence) wantError(act string, err error, allowed ...error) {
	s.t.Helper()
	if err != nil && !slices.ContainsFunc(allowed, func(target error) bool { return errors.Is(err, target) }) {
		s.t.Errorf("%s: %v, want nil or one of %v", act, err, allowed)
	}
}

// checkNights fails the test unless the remaining nights of assigned rooms are those of the reservations that occupy them.
func (s *sequence) checkNights() {
	s.t.Helper()
	for n := range s.booked {
		r, want := s.stored(n), 0
		rooms := []id.Room{}
		if slices.Contains(occupying, r.State) {
			for _, assigned := range r.Rooms() {
				rooms = append(rooms, assigned.Room)
			}
			want = len(rooms) * r.nightsFrom(r.Local.Date(s.now)).Nights()
		}
		var stored, own int
		err := s.owner.QueryRow(s.t.Context(), `
			SELECT count(*), count(*) FILTER (WHERE room_id = ANY (@rooms))
			FROM reservation.room_nights WHERE tenant_id = @tenant AND reservation_id = @reservation AND night >= @today`,
			pgx.StrictNamedArgs{"tenant": s.tenant, "reservation": r.ID, "rooms": rooms, "today": r.Local.Date(s.now)}).Scan(&stored, &own)
		if err != nil {
			s.t.Fatal(err)
		}
		if stored != want {
			s.t.Errorf("%s: %d nights of rooms are stored, want %d", r.State, stored, want)
		}
		if own != want {
			s.t.Errorf("%s: %d nights of its own rooms are stored, want %d", r.State, own, want)
		}
	}
}

// Two desks give two guests the same room for the same nights.
func TestDeskRace_oneRoom(t *testing.T) {
	t.Parallel()
	assign := func(s *sequence, n int) error { return s.assign(n, s.rooms[0]) }
	checkIn := func(s *sequence, n int) error { return s.checkIn(n, s.pair()) }
	for _, test := range []struct {
		name string
		acts [2]func(*sequence, int) error
	}{
		{"two assignments", [2]func(*sequence, int) error{assign, assign}},
		{"two check-ins", [2]func(*sequence, int) error{checkIn, checkIn}},
		{"an assignment and a check-in", [2]func(*sequence, int) error{assign, checkIn}},
	} {
		t.Run(test.name, func(t *testing.T) {
			race(t, 35, func(s *sequence) string {
				s.now = arrival
				var errs [2]error
				together(func() { errs[0] = test.acts[0](s, 0) }, func() { errs[1] = test.acts[1](s, 1) })
				winners, outcome := 0, ""
				for n, err := range errs {
					s.wantError(test.name, err, ErrRoomUnavailable)
					has := slices.ContainsFunc(s.stored(n).Rooms(), func(a AssignedRoom) bool { return a.Room == s.rooms[0].ID })
					if has != (err == nil) {
						s.t.Errorf("booking %d has the room: %v, want %v after %v", n, has, err == nil, err)
					}
					if has {
						winners++
						outcome = []string{"the first desk", "the second desk"}[n]
					}
				}
				if winners != 1 {
					s.t.Errorf("%d guests have the room, want 1", winners)
				}
				return outcome
			})
		})
	}
}

// A guest cancels while the desk changes the booking. The cancellation waits for a change in progress.
func TestDeskRace_cancelAndModification(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		assigned bool // a room, before
		propose  func(*sequence, id.Request) Proposal
	}{
		{"another type", false, func(s *sequence, act id.Request) Proposal {
			return s.changer.Room(act, RoomMove{Item: s.booked[0].Items[0].ID, RoomType: &s.types[1]})
		}},
		{"another room", false, func(s *sequence, act id.Request) Proposal {
			return s.changer.Add(act, quotes.AskedItem{RoomType: s.types[1], RatePlan: s.booked[0].Items[0].RatePlan, Occupants: s.booked[0].Items[0].Occupants})
		}},
		{"a room less", false, func(s *sequence, _ id.Request) Proposal { return s.changer.Remove(s.booked[0].Items[1].ID) }},
		{"a lower rate", false, func(s *sequence, _ id.Request) Proposal {
			return s.changer.Rate(s.booked[0].Items[0].ID, 50_000_000, "agreed")
		}},
		{"more nights", true, func(s *sequence, act id.Request) Proposal {
			return s.changer.Dates(act, stay.Window{Start: s.booked[0].Stay.Start, End: s.booked[0].Stay.End.AddDays(2)})
		}},
		{"fewer nights", true, func(s *sequence, act id.Request) Proposal {
			return s.changer.Dates(act, stay.Window{Start: s.booked[0].Stay.Start, End: s.booked[0].Stay.End.AddDays(-1)})
		}},
		{"other nights", true, func(s *sequence, act id.Request) Proposal {
			return s.changer.Dates(act, stay.Window{Start: s.booked[0].Stay.Start.AddDays(9), End: s.booked[0].Stay.End.AddDays(9)})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			race(t, 35, func(s *sequence) string {
				if test.assigned {
					if err := s.assign(0, s.rooms[0]); err != nil {
						s.t.Fatal(err)
					}
				}
				act := id.New[id.Request]()
				var cancelled, changed error
				together(
					func() { cancelled = s.cancel(0) },
					func() { changed = s.change(s.booked[0], act, test.propose(s, act)) },
				)
				s.wantError("cancellation", cancelled)
				s.wantError("change", changed, ErrIllegalTransition)
				outcome := "cancelled first"
				if changed == nil {
					outcome = "changed, then cancelled"
				}
				r := s.stored(0)
				if r.State != Cancelled {
					s.t.Errorf("state = %s, want %s", r.State, Cancelled)
				}
				if _, stored := r.modification(id.Derive[id.Modification](act, "modification")); stored != (changed == nil) {
					s.t.Errorf("the modification is stored: %v, want %v", stored, changed == nil)
				}
				s.wantEvents(0, "cancelled", 1)
				return outcome
			})
		})
	}
}

// late is the time at which a guest of the bookings counts as a no-show. A check-in is still possible.
func (s *sequence) late() time.Time { return s.booked[0].noShowAt() }

// The guest arrives as the sweep gives up the room.
func TestDeskRace_sweepAndCheckIn(t *testing.T) {
	race(t, 100, func(s *sequence) string {
		s.now = s.late()
		var arrived error
		sweep := func() { s.wantError("sweep", s.sweep(0)) }
		together(sweep, func() { arrived = s.checkIn(0, s.pair()) }, sweep)
		s.wantError("check-in", arrived, ErrIllegalTransition)
		r, missed := s.stored(0), 0
		if arrived == nil {
			if r.State != CheckInStarted {
				s.t.Errorf("state = %s, want %s", r.State, CheckInStarted)
			}
			if r.Missed != nil {
				s.t.Errorf("the no-show %v is stored, want none", r.Missed)
			}
		} else {
			missed = 1
			if r.State != NoShow {
				s.t.Errorf("state = %s, want %s", r.State, NoShow)
			}
			if r.CheckIn != nil {
				s.t.Errorf("the check-in %v is stored, want none", r.CheckIn)
			}
		}
		s.wantEvents(0, "no_show", missed)
		s.wantEvents(0, "check_in_started", 1-missed)
		return string(r.State)
	})
}

// A manager reinstates a guest while the sweep runs. The guest is spared until the end of the grace after the
// present date at the property, then missed again.
func TestDeskRace_sweepAndOverride(t *testing.T) {
	race(t, 100, func(s *sequence) string {
		s.now = s.late()
		if err := s.sweep(0); err != nil {
			s.t.Fatal(err)
		}
		act := id.New[id.Request]()
		sweep := func() { s.wantError("sweep", s.sweep(0)) }
		var reinstated error
		together(sweep, func() { reinstated = s.change(s.booked[0], act, s.changer.Override(act, Confirmed, "typed wrong")) }, sweep, sweep)
		s.wantError("override", reinstated)
		r := s.stored(0)
		if r.State != Confirmed {
			s.t.Fatalf("state = %s, want %s", r.State, Confirmed)
		}
		until := r.expectedUntil(r.Local.Date(s.now))
		if r.SparedUntil == nil || !r.SparedUntil.Equal(until) {
			s.t.Errorf("spared until %v, want %v", r.SparedUntil, until)
		}
		s.wantEvents(0, "no_show", 1)
		s.now = until.Add(-time.Second)
		if err := s.sweep(0); err != nil {
			s.t.Error(err)
		}
		if got := s.stored(0).State; got != Confirmed {
			s.t.Errorf("before that, state = %s, want %s", got, Confirmed)
		}
		if s.random.IntN(2) == 0 {
			return "not swept again"
		}
		s.now = until
		if err := s.sweep(0); err != nil {
			s.t.Error(err)
		}
		if got := s.stored(0).State; got != NoShow {
			s.t.Errorf("at that time, state = %s, want %s", got, NoShow)
		}
		s.wantEvents(0, "no_show", 2)
		return "swept again"
	})
}

// The hotel refunds a part by hand while the guest cancels. No money goes back twice, and none beyond the penalty is kept.
func TestDeskRace_refundAndCancel(t *testing.T) {
	race(t, 100, func(s *sequence) string {
		if s.random.IntN(2) == 0 {
			s.now = arrival // a penalty is due
		}
		intent := s.fakePayments.intents[s.booked[0].Payment.Intents[0].Intent]
		const part money.Micro = 3_000_000
		given := false
		refund := func() {
			back := Refund{ID: id.New[id.Refund](), Intent: intent.ID, Amount: part}
			if err := s.fakePayments.Refund(s.t.Context(), s.tenant, back, ""); err != nil {
				return // the cash was only promised
			}
			given = true
			recorder := &RefundRecorder{s.changer.reservations, s.fakePayments, s.changer.now}
			claim := RefundClaim{Scope: access.Scope{Tenant: s.tenant}, Event: id.New[id.Event](), Reservation: s.booked[0].ID, Intent: intent.ID}
			for range 2 { // the event is delivered twice
				err := recorder.Record(s.t.Context(), claim, func(ctx context.Context, f func(postgres.Tx) error) error {
					return s.changer.reservations.In(ctx, s.tenant, f)
				})
				s.wantError("refund", err)
			}
		}
		together(refund, func() { s.wantError("cancellation", s.cancel(0)) })
		r := s.stored(0)
		if r.State != Cancelled {
			s.t.Errorf("state = %s, want %s", r.State, Cancelled)
		}
		if given && r.Balance().Refunded < part {
			s.t.Errorf("refunded %d, want at least %d", r.Balance().Refunded, part)
		}
		s.wantEvents(0, "cancelled", 1)
		s.wantEvents(0, "modified", 0)
		switch {
		case !given:
			return "promised cash"
		case r.Payment.kept() < r.priceDue():
			return "cancelled before the refund"
		}
		return "refunded before the cancellation"
	})
}
