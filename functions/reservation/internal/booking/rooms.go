package booking

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// An AssignedRoom is the physical room of an item.
type AssignedRoom struct {
	Item id.Item `json:"itemId"`
	Room id.Room `json:"roomId"`
}

// A Room is one physical room of a property.
type Room struct {
	ID         id.Room     `json:"roomId"`
	Type       id.RoomType `json:"roomTypeId"`
	Number     string      `json:"number"`
	OutOfOrder *OutOfOrder `json:"outOfOrder"` // the current or next period
}

// An OutOfOrder is a period in which a room cannot be used, from the night of From to the night before Until.
type OutOfOrder struct {
	From  stay.Date `json:"from"`
	Until stay.Date `json:"until"`
}

// during reports whether the period overlaps with the nights.
func (o OutOfOrder) during(s stay.Window) bool {
	return o.From.Before(s.End) && s.Start.Before(o.Until)
}

// Rooms returns the assigned rooms.
func (r *Reservation) Rooms() []AssignedRoom {
	all := []AssignedRoom{}
	for _, item := range r.Items {
		if item.Room != nil {
			all = append(all, AssignedRoom{item.ID, *item.Room})
		}
	}
	return all
}

// businessDate returns the business date of the property.
func (r *Reservation) businessDate(now time.Time) stay.Date {
	return r.Local.BusinessDate(now, r.NoShowGrace)
}

// currentNight returns the night of the stay that is running, the first one before the stay, or the last one after it.
func (r *Reservation) currentNight(now time.Time) stay.Date {
	night, last := r.businessDate(now), r.Stay.End.AddDays(-1)
	switch {
	case night.Before(r.Stay.Start):
		return r.Stay.Start
	case last.Before(night):
		return last
	}
	return night
}

// nightsFrom returns the nights of the stay from a date on.
func (r *Reservation) nightsFrom(from stay.Date) stay.Window {
	if from.Before(r.Stay.Start) {
		from = r.Stay.Start
	}
	return stay.Window{Start: from, End: r.Stay.End}
}

// assign gives an item a physical room for the nights from a date on. The room must be one of the property, of the item's
// type, and usable in these nights; otherwise assign returns ErrRoomUnavailable. Whether another guest has the room is
// decided when the reservation is saved.
func (r *Reservation) assign(item *Item, room id.Room, of []Room, from stay.Date) error {
	at := slices.IndexFunc(of, func(candidate Room) bool { return candidate.ID == room })
	if at < 0 || of[at].Type != item.RoomType {
		return ErrRoomUnavailable
	}
	if o := of[at].OutOfOrder; o != nil && o.during(r.nightsFrom(from)) {
		return ErrRoomUnavailable
	}
	item.assign(&room)
	r.roomsChange(from)
	return nil
}

// assign sets the room of the item until the end of the stay; nil: none.
func (i *Item) assign(room *id.Room) { i.Room, i.Returns = room, Returns{} }

// roomsChange records that the assigned rooms have changed from a night on. Save then stores the nights.
func (r *Reservation) roomsChange(from stay.Date) {
	r.unsaved.items = true
	if r.unsaved.rooms == nil || from.Before(*r.unsaved.rooms) {
		r.unsaved.rooms = &from
	}
}

// occupying are the states in which a reservation occupies its assigned rooms.
var occupying = []State{Confirmed, CheckInStarted, CheckedIn, CheckoutStarted}

// saveRooms replaces the nights of the assigned rooms from a night on. It returns ErrRoomUnavailable if another guest has a
// room in one of these nights, or has not left it yet. The primary key of room_nights decides between concurrent calls.
func (r *Reservation) saveRooms(ctx context.Context, tx postgres.Tx, from stay.Date) error {
	nights, inside := r.nightsFrom(from), r.State.inside()
	if p := r.Saga.Plan; p != nil { // until inventory decides, the nights and rooms before and after the change
		inside = inside || p.Reserved.State.inside()
		if p.Reserved.Stay.Start.Before(nights.Start) && !p.Reserved.Stay.Start.Before(from) {
			nights.Start = p.Reserved.Stay.Start
		}
		if nights.End.Before(p.Reserved.Stay.End) {
			nights.End = p.Reserved.Stay.End
		}
	}
	last := nights.End
	if inside && !from.Before(nights.End) { // a guest who overstays has the room in the running night
		nights.End = from.AddDays(1)
	}
	tx.Queue(`
		DELETE FROM reservation.room_nights WHERE tenant_id = @tenant AND reservation_id = @reservation AND night >= @from`,
		pgx.StrictNamedArgs{"tenant": r.Tenant, "reservation": r.ID, "from": from})
	var items []id.Item
	var rooms []id.Room
	var froms, untils []*stay.Date
	var arrived []bool
	for _, u := range r.occupied() {
		items, rooms, froms, untils = append(items, u.item), append(rooms, u.room), append(froms, u.from), append(untils, u.until)
		arrived = append(arrived, u.arrived)
	}
	var blocked bool
	err := tx.QueryRow(ctx, `
		WITH wanted AS (
			SELECT a.item_id, a.room_id, greatest(a.from_date, @start) AS from_date, a.arrived,
				least(a.until_date, CASE WHEN a.arrived THEN @end::date ELSE @last::date END) AS until_date
			FROM unnest(@items::uuid[], @rooms::uuid[], @froms::date[], @untils::date[], @arrived::boolean[])
				AS a (item_id, room_id, from_date, until_date, arrived)
		), taken AS (
			INSERT INTO reservation.room_nights (tenant_id, room_id, night, reservation_id, item_id)
			SELECT @tenant, w.room_id, w.from_date + n, @reservation, w.item_id
			FROM wanted AS w CROSS JOIN generate_series(0, w.until_date - w.from_date - 1) AS n
			ORDER BY w.room_id, w.from_date + n) -- in one order, so that two desks do not block each other
		SELECT EXISTS ( -- the guest before is still inside
			SELECT FROM wanted AS w
			JOIN reservation.reservation_items AS i ON i.tenant_id = @tenant AND i.room_id = w.room_id AND i.reservation_id <> @reservation
			JOIN reservation.reservations AS other ON other.tenant_id = @tenant AND other.reservation_id = i.reservation_id
			WHERE @inside AND w.arrived AND other.state IN ('check_in_started', 'checked_in', 'checkout_started')
			  AND (i.arrived_at IS NOT NULL OR other.expected_rooms = 0)
			  AND (least(other.stay_end, i.return_from) <= w.from_date OR @end <= @start))`,
		pgx.StrictNamedArgs{"tenant": r.Tenant, "reservation": r.ID, "start": nights.Start, "end": nights.End, "last": last, "items": items, "rooms": rooms,
			"froms": froms, "untils": untils, "arrived": arrived, "inside": inside}).Scan(&blocked)
	if postgres.Violates(err, "room_nights_pkey") {
		return ErrRoomUnavailable.Because(err)
	}
	if err != nil {
		return fmt.Errorf("rooms of %s: %w", r.ID, err)
	}
	if blocked {
		return ErrRoomUnavailable.Because(fmt.Errorf("rooms of %s: a guest has not left yet", r.ID))
	}
	return nil
}

// A use is a room that an item occupies, from a night on (nil: the first) until another (nil: the last).
type use struct {
	item        id.Item
	room        id.Room
	from, until *stay.Date
	arrived     bool // the guests of the item have come
}

// uses returns the rooms that the item occupies: during an outage another one than afterwards.
func (i Item) uses() (all []use) {
	if i.Room != nil {
		all = append(all, use{item: i.ID, room: *i.Room, until: i.ReturnFrom, arrived: i.ArrivedAt != nil})
	}
	if i.ReturnRoom != nil {
		all = append(all, use{item: i.ID, room: *i.ReturnRoom, from: i.ReturnFrom, arrived: i.ArrivedAt != nil})
	}
	return all
}

// occupied returns the rooms that the items occupy, also those of a planned change. It returns none if the reservation occupies no
// room.
func (r *Reservation) occupied() (all []use) {
	var items []Item
	if slices.Contains(occupying, r.State) {
		items = append(items, r.Items...)
	}
	if p := r.Saga.Plan; p != nil && slices.Contains(occupying, p.Reserved.State) {
		for _, planned := range p.Reserved.Items { // the plan mostly keeps the room
			if !slices.ContainsFunc(items, func(i Item) bool { return i.ID == planned.ID && equal(i.Room, planned.Room) }) {
				items = append(items, planned)
			}
		}
	}
	for _, item := range items {
		all = append(all, item.uses()...)
	}
	return all
}

// checkRooms rejects unknown items, an item twice, and an empty list.
func (r *Reservation) checkRooms(rooms []AssignedRoom) error {
	seen, taken := map[id.Item]bool{}, map[id.Room]bool{}
	for i, assigned := range rooms {
		taken[assigned.Room] = true
		known := slices.ContainsFunc(r.Items, func(item Item) bool { return item.ID == assigned.Item })
		if !known || seen[assigned.Item] {
			return fault.ErrValidation.With(fault.Violation{
				Pointer: fmt.Sprintf("/rooms/%d/itemId", i), Rule: "item", Message: "must be an item of the reservation, once",
			})
		}
		seen[assigned.Item] = true
	}
	if len(seen) == 0 {
		return fault.ErrValidation.With(fault.Violation{Pointer: "/rooms", Rule: "required", Message: "must assign a room to an item"})
	}
	if len(taken) < len(rooms) {
		return ErrRoomUnavailable // of two items, only one can have the room
	}
	return nil
}
