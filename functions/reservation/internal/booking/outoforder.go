package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

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
	changer      *Changer
}

// OpenMover opens a Mover with its store and clients.
func OpenMover(e env.Env, up Upstreams) *Mover {
	return &Mover{reservations: OpenReservations(e), rooms: up.Rooms, changer: OpenChanger(e, up)}
}

// Move stores the outage and moves all guests who have the room in that period to other free rooms of the same type. A guest
// without an alternative keeps the room: the front desk sees the reservation in its list of attention. Move returns the number
// of such guests. Repeated for the same event, it moves no guest twice.
func (m *Mover) Move(ctx context.Context, event id.Event, o Outage) (unmoved int, err error) {
	who := Scope{Tenant: o.Tenant}
	affected, err := m.reservations.takeOut(ctx, o)
	if err != nil || len(affected) == 0 {
		return 0, err
	}
	rooms, err := m.rooms(ctx, o.Tenant, o.Property)
	if err != nil {
		return 0, err
	}
	for _, a := range affected {
		moved, err := m.moveOne(ctx, event, who, a, rooms)
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

// moveOne moves one guest to the first free room of the type.
func (m *Mover) moveOne(ctx context.Context, event id.Event, who Scope, a occupant, rooms []Room) (moved bool, err error) {
	for _, candidate := range rooms {
		if candidate.Type != a.RoomType || candidate.ID == a.Room {
			continue
		}
		act := id.Derive[id.Request](event, a.Item.String()+"/"+candidate.ID.String())
		call := ChangeCall{
			Principal: Principal{Scope: who, Actor: saga()}, Act: act, Reservation: a.Reservation, Allows: func(int64) bool { return true },
		}
		_, _, err := m.changer.Change(ctx, call, m.changer.moveFrom(act, a, candidate.ID))
		switch {
		case err == nil, errors.Is(err, errMoved):
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

// errMoved ends a proposal for a guest who has another room by now.
var errMoved = errors.New("the guest has another room")

// moveFrom proposes to move an occupant to a room.
func (c *Changer) moveFrom(act id.Request, a occupant, to id.Room) Proposal {
	propose := c.Room(act, RoomMove{Item: a.Item, Room: &to})
	return func(ctx context.Context, r *Reservation) (*Plan, error) {
		if at, err := r.itemAt(a.Item); err != nil || !equal(r.Items[at].Room, &a.Room) {
			return nil, errMoved
		}
		return propose(ctx, r)
	}
}

// An occupant is an item whose guest has a room.
type occupant struct {
	Reservation id.Reservation `db:"reservation_id"`
	Item        id.Item        `db:"item_id"`
	Room        id.Room        `db:"room_id"`
	RoomType    id.RoomType    `db:"room_type_id"`
	State       State
}

// takeOut stores an outage and returns the items whose guests have the room in its period.
func (s Reservations) takeOut(ctx context.Context, o Outage) (affected []occupant, err error) {
	err = s.In(ctx, o.Tenant, func(tx postgres.Tx) error {
		tx.Queue(`
			INSERT INTO reservation.rooms_out_of_order (tenant_id, property_id, room_id, from_date, until_date, since)
			VALUES (@tenant, @property, @room, @from, @until, @at)
			ON CONFLICT DO NOTHING`,
			pgx.StrictNamedArgs{"tenant": o.Tenant, "property": o.Property, "room": o.Room, "from": o.Period.From, "until": o.Period.Until, "at": o.At})
		rows, _ := tx.Last().Query(ctx, `
			SELECT reservation_id, i.item_id, i.room_id, i.room_type_id, r.state
			FROM reservation.reservations AS r JOIN reservation.reservation_items AS i USING (tenant_id, reservation_id)
			WHERE tenant_id = @tenant AND r.property_id = @property AND i.room_id = @room
			  AND r.state IN ('confirmed', 'check_in_started', 'checked_in', 'checkout_started')
			  AND r.stay_start < @until AND r.stay_end > @from
			ORDER BY r.stay_start, i.item_id`,
			pgx.StrictNamedArgs{"tenant": o.Tenant, "property": o.Property, "room": o.Room, "from": o.Period.From, "until": o.Period.Until})
		affected, err = pgx.CollectRows(rows, pgx.RowToStructByName[occupant])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reservations: take out %s: %w", o.Room, err)
	}
	return affected, nil
}

// Validate rejects a period without a night.
func (o OutOfOrder) Validate() error { return stay.Window{Start: o.From, End: o.Until}.Validate() }
