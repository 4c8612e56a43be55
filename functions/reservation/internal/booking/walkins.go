package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// An AskedRoom is the physical room for one of the asked items.
type AskedRoom struct {
	Item int     `json:"item"` // index in the items of the request
	Room id.Room `json:"roomId"`
}

// A DeskBooking is a booking of a guest who stands at the desk.
type DeskBooking struct {
	Ask    quotes.Ask
	Guest  guests.Person
	Method Method
	Rooms  []AskedRoom // empty: the check-in does not start
}

// Validate rejects impossible stays, guests without a name, other methods of payment than cash on arrival, unknown items, and
// an item twice.
func (w DeskBooking) Validate() error {
	var found []fault.Violation
	if err := w.Ask.Validate(); err != nil {
		found = append(found, fault.From(err).Violations...)
	}
	if err := w.Guest.Validate(); err != nil {
		for _, v := range fault.From(err).Violations {
			v.Pointer = "/guest" + v.Pointer
			found = append(found, v)
		}
	}
	if w.Method != CashOnArrival {
		found = append(found, fault.Violation{Pointer: "/payment/method", Rule: "cash", Message: "must be cash_on_arrival: other methods need a page to pay on"})
	}
	if found = append(found, w.checkRooms()...); found != nil {
		return fault.ErrValidation.With(found...)
	}
	return nil
}

func (w DeskBooking) checkRooms() (found []fault.Violation) {
	seen := map[int]bool{}
	for i, asked := range w.Rooms {
		if asked.Item < 0 || asked.Item >= len(w.Ask.Items) || seen[asked.Item] {
			found = append(found, fault.Violation{Pointer: fmt.Sprintf("/rooms/%d/item", i), Rule: "item", Message: "must be the index of an item, once"})
		}
		seen[asked.Item] = true
	}
	return found
}

// WalkIns books guests who stand at the desk. Each step is idempotent by the act, so that a repetition after a crash continues
// where the act ended.
type WalkIns struct {
	Quoter       *quotes.Quoter
	Holder       *Holder
	Confirm      func(context.Context, Claim, Within) (*Reservation, error) // see [Confirmer.Confirm]
	Receptionist *Receptionist
	Guests       Guests
}

// OpenWalkIns opens the use case with its stores and clients.
func OpenWalkIns(e env.Env, up Upstreams) (*WalkIns, error) {
	guests, err := OpenGuests(e)
	return &WalkIns{
		Quoter: quotes.OpenQuoter(e, up.Sources), Holder: OpenHolder(e, up), Confirm: OpenConfirmer(e, up).Confirm, Receptionist: OpenReceptionist(e, up), Guests: guests,
	}, err
}

// Book quotes, holds and confirms a stay that starts today or in the night that has begun, stores the guest's details and, with rooms, starts the check-in. If
// the confirmation fails for good, the hold is released. If another guest takes a room in the meantime, the reservation stays
// confirmed without a check-in.
func (w *WalkIns) Book(ctx context.Context, act id.Request, by access.Principal, in DeskBooking, now time.Time) (*Reservation, error) {
	r, err := w.hold(ctx, act, by, in, now)
	if err != nil {
		return nil, err
	}
	if r.State == Held || r.State == ExpiredHold || r.State == Cancelled { // the latter two: an earlier attempt of this act has failed
		if r, err = w.confirm(ctx, act, by, r, in.Guest, now); err != nil {
			return nil, err
		}
	}
	if len(in.Rooms) == 0 || r.State != Confirmed && r.State != CheckInStarted {
		return r, nil
	}
	checkedIn, err := w.Receptionist.CheckIn(ctx, by, r.ID, r.assigned(in.Rooms), now, func(int64) bool { return true })
	if errors.Is(err, ErrRoomUnavailable) {
		return r, nil
	}
	return checkedIn, err
}

// hold returns the reservation of the act, and holds its rooms if there is none yet.
func (w *WalkIns) hold(ctx context.Context, act id.Request, by access.Principal, in DeskBooking, now time.Time) (*Reservation, error) {
	reservations := w.Holder.Reservations
	if r, err := reservations.Get(ctx, by.Scope, ReservationID(act)); !errors.Is(err, ErrNotFound) {
		return r, err
	}
	if !by.Allows(in.Ask.Property) {
		return nil, ErrNotFound
	}
	basis, err := w.Quoter.Basis(ctx, by.Tenant, in.Ask.Property)
	if err != nil {
		return nil, err
	}
	running, today := basis.BusinessDate(now), basis.Date(now)
	if start := in.Ask.Stay.Start; start != today && start != running {
		message := "must be today at the property, " + today.String()
		if running != today {
			message += ", or the night that has begun, " + running.String()
		}
		return nil, fault.ErrValidation.With(fault.Violation{Pointer: "/stayWindow/start", Rule: "today", Message: message})
	}
	if err := w.vacant(ctx, by, in); err != nil {
		return nil, err
	}
	quote, err := w.Quoter.Quote(ctx, act, by, in.Ask, now)
	if err != nil {
		return nil, err
	}
	return w.Holder.Hold(ctx, by, quote.ID, Details{Act: act, Channel: WalkIn, CreatedBy: by.Actor}, nil)
}

// vacant returns ErrRoomUnavailable if a room cannot be assigned now. The check-in decides again.
func (w *WalkIns) vacant(ctx context.Context, by access.Principal, in DeskBooking) error {
	if len(in.Rooms) == 0 {
		return nil
	}
	of, err := w.Receptionist.rooms(ctx, by.Tenant, in.Ask.Property)
	if err != nil {
		return err
	}
	r := &Reservation{Stay: in.Ask.Stay}
	rooms := make([]id.Room, len(in.Rooms))
	for i, asked := range in.Rooms {
		if slices.Contains(rooms[:i], asked.Room) {
			return ErrRoomUnavailable // of two items, only one can have it
		}
		item := Item{RoomType: in.Ask.Items[asked.Item].RoomType}
		if err := r.assign(&item, asked.Room, of, r.Stay.Start); err != nil {
			return err
		}
		rooms[i] = asked.Room
	}
	taken, err := w.Holder.Reservations.occupied(ctx, by.Tenant, rooms, r.Stay)
	if err == nil && taken {
		err = ErrRoomUnavailable
	}
	return err
}

// confirm stores the guest's details and confirms the hold with the promise of cash. If that fails for good, it releases the hold.
func (w *WalkIns) confirm(ctx context.Context, act id.Request, by access.Principal, r *Reservation, guest guests.Person, now time.Time) (*Reservation, error) {
	reservations := w.Holder.Reservations
	within := func(ctx context.Context, f func(postgres.Tx) error) error { return reservations.In(ctx, by.Tenant, f) }
	err := within(ctx, func(tx postgres.Tx) error {
		held, err := reservations.Lock(ctx, tx, by.Scope, r.ID)
		if err != nil || held.State != Held {
			return err // an earlier attempt of this act is confirming it
		}
		return w.Guests.Save(ctx, tx, reservations, held, by.Actor, act, guest)
	})
	if err != nil {
		return nil, err
	}
	confirmed, err := w.Confirm(ctx, Claim{Scope: by.Scope, Reservation: r.ID, Method: CashOnArrival}, within)
	if err == nil || !final(err) {
		return confirmed, err
	}
	released := within(ctx, func(tx postgres.Tx) error {
		held, err := reservations.Lock(ctx, tx, by.Scope, r.ID)
		if err != nil || held.CancelUnpaid(now) != nil { // it has expired, or is cancelled
			return err
		}
		return reservations.Save(ctx, tx, held, ReservationCancelled(held))
	})
	return nil, errors.Join(err, released)
}

// final reports whether the same request cannot succeed later.
func final(err error) bool {
	f := fault.From(err)
	return f.Kind != fault.Internal && !f.Retriable()
}

// assigned returns the rooms of the items.
func (r *Reservation) assigned(rooms []AskedRoom) (all []AssignedRoom) {
	for _, asked := range rooms {
		for _, item := range r.Items {
			if item.Position == asked.Item {
				all = append(all, AssignedRoom{Item: item.ID, Room: asked.Room})
			}
		}
	}
	return all
}

// occupied reports whether a guest has one of the rooms in one of the nights, or has not left it yet.
func (s Reservations) occupied(ctx context.Context, tenant id.Tenant, rooms []id.Room, nights stay.Window) (taken bool, err error) {
	err = s.db.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `
			SELECT EXISTS (
				SELECT FROM reservation.room_nights
				WHERE tenant_id = @tenant AND room_id = ANY (@rooms) AND night >= @start AND night < @end
			) OR EXISTS (
				SELECT FROM reservation.reservation_items AS i
				JOIN reservation.reservations AS r USING (tenant_id, reservation_id)
				WHERE i.tenant_id = @tenant AND i.room_id = ANY (@rooms) AND (i.arrived_at IS NOT NULL OR r.expected_rooms = 0)
				  AND r.state IN ('check_in_started', 'checked_in', 'checkout_started') AND least(r.stay_end, i.return_from) <= @start)`,
			pgx.StrictNamedArgs{"tenant": tenant, "rooms": rooms, "start": nights.Start, "end": nights.End}).Scan(&taken)
	})
	if err != nil {
		return false, fmt.Errorf("reservations: occupied rooms: %w", err)
	}
	return taken, nil
}
