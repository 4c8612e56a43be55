package directory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// A Room is one physical room of a property.
type Room struct {
	ID         id.Room     `json:"roomId" db:"room_id"`
	RoomType   id.RoomType `json:"roomTypeId" db:"room_type_id"`
	Number     string      `json:"number" db:"number"`
	Floor      int         `json:"floor" db:"floor"`
	OutOfOrder *Outage     `json:"outOfOrder,omitzero" db:"-"` // the current period, else the next one
}

// An Outage is a period in which a room is out of order.
type Outage struct {
	From       stay.Date `json:"from"`
	Until      stay.Date `json:"until"` // the first day on which the room can be used again
	ReasonCode string    `json:"reasonCode"`
}

// Rooms stores the physical rooms of all properties.
type Rooms struct{ standin.Store }

// OpenRooms opens the store.
func OpenRooms(e env.Env) Rooms { return Rooms{standin.OpenStore(e)} }

// Of lists the rooms of a property by number. It returns ErrNotFound for an unknown property.
func (s Rooms) Of(ctx context.Context, p id.Property) (all []Room, err error) {
	tenant, err := standin.PropertyOwner(ctx, s.DB, p)
	if err != nil {
		return nil, err
	}
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		all, err = readRooms(ctx, tx, p, nil)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("rooms: of %s: %w", p, err)
	}
	return all, nil
}

// TakeOut takes a room out of order for a period, lowers the capacity of its room type for these nights, and publishes
// the event. A repetition of the same period changes and publishes nothing; the first reason remains.
func (s Rooms) TakeOut(ctx context.Context, room id.Room, o Outage) (r Room, err error) {
	tenant, err := standin.Owner(ctx, s.DB, `SELECT tenant_id FROM sandbox.rooms WHERE room_id = @key`, room)
	if err != nil {
		return r, err
	}
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		if err := s.takeOut(ctx, tx, tenant, room, o); err != nil {
			return err
		}
		all, err := readRooms(ctx, tx, id.Property{}, &room)
		if err == nil && len(all) == 0 {
			err = fault.ErrNotFound
		}
		if err == nil {
			r = all[0]
		}
		return err
	})
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		err = fmt.Errorf("rooms: take out %s: %w", room, err)
	}
	return r, err
}

func (s Rooms) takeOut(ctx context.Context, tx postgres.Tx, tenant id.Tenant, room id.Room, o Outage) error {
	var fresh bool
	args := pgx.StrictNamedArgs{"room": room, "start": o.From, "end": o.Until, "reason": o.ReasonCode}
	err := tx.QueryRow(ctx, `SELECT sandbox.take_room_out(@room, @start, @end, @reason)`, args).Scan(&fresh)
	if err != nil || !fresh {
		return err
	}
	taken := takenOut{Tenant: tenant, Room: room, Outage: o}
	var version int
	err = tx.QueryRow(ctx, `SELECT property_id, room_type_id, version, platform.now() FROM sandbox.rooms WHERE room_id = @room`,
		pgx.StrictNamedArgs{"room": room}).Scan(&taken.Property, &taken.RoomType, &version, &taken.OccurredAt)
	if err != nil {
		return err
	}
	// Search finds hotels by the least capacity of their room types, which may be lower now.
	if _, err := search.Index(ctx, tx, s.Outbox, tenant, &taken.Property); err != nil {
		return err
	}
	return s.Outbox.Append(ctx, tx, event.Draft{Subject: RoomTakenOutV1, Tenant: tenant,
		OrderingKey: tenant.String() + ":" + taken.Property.String(), AggregateVersion: version, Payload: taken})
}

// takenOut is the payload of RoomTakenOutV1.
type takenOut struct {
	Tenant   id.Tenant   `json:"tenantId"`
	Property id.Property `json:"propertyId"`
	Room     id.Room     `json:"roomId"`
	RoomType id.RoomType `json:"roomTypeId"`
	Outage
	OccurredAt time.Time `json:"occurredAt"`
}

// readRooms returns the rooms of a property, or the given room, by number.
func readRooms(ctx context.Context, tx postgres.Tx, p id.Property, one *id.Room) ([]Room, error) {
	args := pgx.StrictNamedArgs{"property": p, "one": one}
	rows, _ := tx.Query(ctx, `
		SELECT r.room_id, r.room_type_id, r.number, r.floor
		FROM sandbox.rooms AS r
		WHERE r.room_id = @one OR @one::uuid IS NULL AND r.property_id = @property
		ORDER BY length(r.number), r.number`, args)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[Room])
	if err != nil {
		return nil, err
	}
	rows, _ = tx.Query(ctx, `
		SELECT o.room_id, o.starts_on, o.ends_on, o.reason_code
		FROM sandbox.room_outages AS o
		JOIN sandbox.rooms AS r USING (room_id)
		JOIN sandbox.properties AS p USING (property_id)
		WHERE (r.room_id = @one OR @one::uuid IS NULL AND r.property_id = @property)
		  AND o.ends_on > (platform.now() AT TIME ZONE p.time_zone)::date
		ORDER BY o.room_id, o.starts_on, o.ends_on`, args)
	outages := map[id.Room]*Outage{}
	var room id.Room
	var o Outage
	_, err = pgx.ForEachRow(rows, []any{&room, &o.From, &o.Until, &o.ReasonCode}, func() error {
		first := outages[room]
		switch {
		case first == nil:
			found := o
			outages[room] = &found
		case !first.Until.Before(o.From) && first.Until.Before(o.Until): // the period continues
			first.Until = o.Until
		}
		return nil
	})
	for n := range all {
		all[n].OutOfOrder = outages[all[n].ID]
	}
	return all, err
}
