package booking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// An Outage is a room that its property took out of order.
type Outage struct {
	Tenant   id.Tenant
	Property id.Property
	Room     id.Room
	Period   OutOfOrder
	At       time.Time
}

// A Mover gives guests other rooms while theirs is out of order.
type Mover struct {
	reservations Reservations
	rooms        func(context.Context, id.Tenant, id.Property) ([]Room, error)
	basis        func(context.Context, id.Tenant, id.Property) (quotes.Basis, error)
	changer      *Changer
}

// OpenMover opens a Mover with its store and clients.
func OpenMover(e env.Env, up Upstreams) *Mover {
	return &Mover{reservations: OpenReservations(e), rooms: up.Rooms, basis: quotes.OpenQuoter(e, up.Sources).Basis, changer: OpenChanger(e, up)}
}

// Move stores the outage and moves the guests who have the room in that period to other free rooms of the same type. An outage that
// begins today begins with the running night, because a guest may sleep in the room. If it begins later, a guest in house keeps the room
// until then: the sweep moves the guest when it begins. A guest without an alternative keeps the room: the front desk sees the reservation
// in its list of attention. A guest for whom no room is free until the departure moves for the nights of the outage and then gets the
// present room again. Move returns the number of such guests. Repeated for the same event, it moves no guest twice.
func (m *Mover) Move(ctx context.Context, event id.Event, o Outage) (unmoved int, err error) {
	basis, err := m.basis(ctx, o.Tenant, o.Property)
	if err != nil {
		return 0, err
	}
	running := basis.BusinessDate(o.At)
	if !basis.Date(o.At).Before(o.Period.From) && running.Before(o.Period.From) {
		o.Period.From = running
	}
	affected, err := m.reservations.takeOut(ctx, o)
	if err != nil {
		return 0, err
	}
	return m.moveAll(ctx, id.Derive[id.Request](event, "outage"), o, affected)
}

// Sweep moves the guests of a stored outage who still have the room, now that it has begun, and those who get it again, now that it has
// ended.
func (m *Mover) Sweep(ctx context.Context, o Outage) error {
	affected, err := m.reservations.occupants(ctx, o)
	if err != nil {
		return err
	}
	_, err = m.moveAll(ctx, id.Derive[id.Request](o.Room, o.Period.From.String()+"/"+o.Period.Until.String()), o, affected)
	return err
}

// moveAll moves the guests for whom the outage has begun.
func (m *Mover) moveAll(ctx context.Context, cause id.Request, o Outage, affected []occupant) (unmoved int, err error) {
	if len(affected) == 0 {
		return 0, nil
	}
	rooms, err := m.rooms(ctx, o.Tenant, o.Property)
	if err != nil {
		return 0, err
	}
	for _, a := range affected {
		a.outage = o
		moved, err := m.moveOne(ctx, cause, access.Scope{Tenant: o.Tenant}, a, rooms)
		if err != nil {
			return unmoved, err
		}
		if !moved {
			unmoved++
			observe.Count(ctx, observe.RoomsWithoutAlternative)
		}
	}
	return unmoved, nil
}

// moveOne moves one guest to the first free room.
func (m *Mover) moveOne(ctx context.Context, cause id.Request, who access.Scope, a occupant, rooms []Room) (moved bool, err error) {
	for n, move := range a.moves(rooms) {
		act := id.Derive[id.Request](cause, fmt.Sprintf("%s/%s/%d", a.Item, move.Room, n))
		call := ChangeCall{
			Principal: access.Principal{Scope: who, Actor: saga()}, Act: act, Reservation: a.Reservation, Allows: func(int64) bool { return true },
		}
		_, _, err := m.changer.Change(ctx, call, m.changer.moveFrom(act, a, move))
		switch {
		case err == nil, errors.Is(err, errMoved), errors.Is(err, errNotNow):
			return true, nil
		case errors.Is(err, ErrIllegalTransition) && a.State == CheckInStarted:
			return false, errChanging // the event is delivered again
		case errors.Is(err, ErrIllegalTransition): // the guest is leaving
			return true, nil
		case !errors.Is(err, ErrRoomUnavailable):
			return false, err
		}
	}
	return false, nil
}

// moves returns the moves to try, the best first: for a guest who returns, the former room and then the present one; another room until
// the departure; and another room for the nights of the outage only.
func (a occupant) moves(rooms []Room) (all []RoomMove) {
	var short []RoomMove
	first := func(r Room) int {
		switch r.ID {
		case a.outage.Room:
			return 0
		case a.Room:
			return 1
		}
		return 2
	}
	rooms = slices.Clone(rooms)
	slices.SortStableFunc(rooms, func(x, y Room) int { return first(x) - first(y) })
	for _, candidate := range rooms {
		if candidate.Type != a.RoomType || !a.returns() && candidate.ID == a.Room {
			continue
		}
		move := RoomMove{Item: a.Item, Room: &candidate.ID}
		all = append(all, move)
		if candidate.ID != a.outage.Room {
			move.Returns = Returns{ReturnRoom: &a.outage.Room, ReturnFrom: &a.outage.Period.Until}
			short = append(short, move)
		}
	}
	return append(all, short...)
}

// returns reports whether the guest gets the room of the outage again, instead of having it.
func (a occupant) returns() bool { return a.Room != a.outage.Room }

// errMoved ends a proposal for a guest who has another room by now.
var errMoved = errors.New("the guest has another room")

// errNotNow ends a proposal for a guest who can stay in the room: the outage has not begun, or is over for a guest who does not return.
var errNotNow = errors.New("the outage begins later, or is over")

// moveFrom proposes a move of an occupant.
func (c *Changer) moveFrom(act id.Request, a occupant, move RoomMove) Proposal {
	return func(ctx context.Context, r *Reservation) (*Plan, error) {
		at, err := r.itemAt(a.Item)
		if err != nil || !equal(r.Items[at].Room, &a.Room) || !equal(r.Items[at].ReturnRoom, a.ReturnRoom) {
			return nil, errMoved
		}
		night, item := r.currentNight(c.now()), r.Items[at]
		running := a.outage.Period.during(stay.Window{Start: night, End: night.AddDays(1)})
		switch {
		case a.returns() && night.Before(*item.ReturnFrom), !a.returns() && !running:
			return nil, errNotNow
		case move.ReturnRoom != nil && (!running || !a.outage.Period.Until.Before(r.Stay.End) || !a.returns() && item.ReturnRoom != nil):
			return nil, ErrRoomUnavailable // the whole stay was tried before
		case !a.returns():
			move.Returns = cmp.Or(move.Returns, item.Returns)
		}
		return c.Room(act, move)(ctx, r)
	}
}

// An occupant is an item whose guest has a room, or gets it again.
type occupant struct {
	Reservation id.Reservation `db:"reservation_id"`
	Item        id.Item        `db:"item_id"`
	Room        id.Room        `db:"room_id"`
	ReturnRoom  *id.Room       `db:"return_room_id"`
	RoomType    id.RoomType    `db:"room_type_id"`
	State       State

	outage Outage
}

// takeOut stores an outage and returns the items whose guests have the room in its period.
func (s Reservations) takeOut(ctx context.Context, o Outage) (affected []occupant, err error) {
	err = s.In(ctx, o.Tenant, func(tx postgres.Tx) error {
		tx.Queue(`
			INSERT INTO reservation.rooms_out_of_order (tenant_id, property_id, room_id, from_date, until_date, since)
			VALUES (@tenant, @property, @room, @from, @until, @at)
			ON CONFLICT DO NOTHING`,
			pgx.StrictNamedArgs{"tenant": o.Tenant, "property": o.Property, "room": o.Room, "from": o.Period.From, "until": o.Period.Until, "at": o.At})
		affected, err = readOccupants(ctx, tx.Last(), o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reservations: take out %s: %w", o.Room, err)
	}
	return affected, nil
}

// occupants returns the items whose guests have the room of an outage in its period.
func (s Reservations) occupants(ctx context.Context, o Outage) (affected []occupant, err error) {
	err = s.In(ctx, o.Tenant, func(tx postgres.Tx) error {
		affected, err = readOccupants(ctx, tx.Last(), o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reservations: occupants of %s: %w", o.Room, err)
	}
	return affected, nil
}

func readOccupants(ctx context.Context, tx postgres.Tx, o Outage) ([]occupant, error) {
	rows, _ := tx.Query(ctx, `
		SELECT reservation_id, i.item_id, i.room_id, i.return_room_id, i.room_type_id, r.state
		FROM reservation.reservations AS r JOIN reservation.reservation_items AS i USING (tenant_id, reservation_id)
		WHERE tenant_id = @tenant AND r.property_id = @property
		  AND r.state IN ('confirmed', 'check_in_started', 'checked_in', 'checkout_started')
		  AND (i.room_id = @room AND r.stay_start < @until AND r.stay_end > @from OR i.return_room_id = @room)
		ORDER BY r.stay_start, i.item_id`,
		pgx.StrictNamedArgs{"tenant": o.Tenant, "property": o.Property, "room": o.Room, "from": o.Period.From, "until": o.Period.Until})
	return pgx.CollectRows(rows, pgx.RowToStructByName[occupant])
}

// BegunOutages lists the outages of all tenants that have begun somewhere on earth and have not ended everywhere a week ago, so that
// guests return to their rooms: those after the given one, the earliest first. They have no At.
func (s Reservations) BegunOutages(ctx context.Context, after Outage, limit int) (begun []Outage, err error) {
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT tenant_id, property_id, room_id, from_date, until_date FROM reservation.rooms_out_of_order
			WHERE from_date <= ((platform.now() + interval '14 hours') AT TIME ZONE 'UTC')::date
			  AND until_date >= ((platform.now() - interval '8 days') AT TIME ZONE 'UTC')::date
			  AND (from_date, room_id, until_date) > (@from, @room, @until)
			ORDER BY from_date, room_id, until_date LIMIT @limit`,
			pgx.StrictNamedArgs{"from": after.Period.From, "room": after.Room, "until": after.Period.Until, "limit": limit})
		begun, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (o Outage, err error) {
			err = row.Scan(&o.Tenant, &o.Property, &o.Room, &o.Period.From, &o.Period.Until)
			return o, err
		})
		if err != nil {
			return fmt.Errorf("reservations: begun outages: %w", err)
		}
		return nil
	})
	return begun, err
}

// Validate rejects a period without a night.
func (o OutOfOrder) Validate() error { return stay.Window{Start: o.From, End: o.Until}.Validate() }
