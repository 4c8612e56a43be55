package booking

import (
	"cmp"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
)

// A CheckIn records the check-in of a reservation.
type CheckIn struct {
	StartedAt time.Time    `json:"startedAt"`
	By        access.Actor `json:"actor"`
	Early     bool         `json:"earlyCheckIn"`      // before the property's check-in time
	ManualKey bool         `json:"requiresManualKey"` // a key of a present room could not be issued
	At        *time.Time   `json:"checkedInAt,omitzero"`
}

// StartCheckIn checks the guests of some items in: it assigns their rooms and waits for the keys. The first call checks the reservation in,
// later ones add to it. It returns ErrBeforeArrival before the business date of the arrival, ErrIllegalTransition from the check-out time of
// the day of departure on and for another room of guests who have arrived, and ErrRoomUnavailable for a room that cannot be assigned.
// Repeated with the same rooms, it changes nothing.
func (r *Reservation) StartCheckIn(rooms []AssignedRoom, of []Room, by access.Actor, now time.Time) (started bool, err error) {
	if err := r.checkRooms(rooms); err != nil {
		return false, err
	}
	arriving, err := r.arriving(rooms)
	if err != nil || len(arriving) == 0 {
		return false, err
	}
	arrived, items := event.Time(now), []id.Item{}
	switch state := r.EffectiveState(); {
	case state == Confirmed && r.firstCheckIn(now).Before(r.Stay.Start):
		return false, r.beforeArrival()
	case (state == Confirmed || r.CheckIn != nil) && !now.Before(r.checkOutUntil()):
		return false, r.illegalBecause("The stay has ended.")
	case r.Saga.Plan != nil:
		return false, errChanging
	case state == CheckInStarted, state == CheckedIn:
		if arrived.Equal(r.CheckIn.StartedAt) {
			arrived = arrived.Add(time.Millisecond) // distinguishes them from the first guests: see firstRooms
		}
		r.Version++
	default:
		if err := r.move(state, CheckInStarted); err != nil {
			return false, err
		}
		r.CheckIn = &CheckIn{StartedAt: arrived, By: by, Early: now.Before(r.Local.Hour(r.Stay.Start, r.Local.CheckInFrom))}
	}
	for _, a := range arriving {
		at := slices.IndexFunc(r.Items, func(i Item) bool { return i.ID == a.Item })
		if err := r.assign(&r.Items[at], a.Room, of, r.currentNight(now)); err != nil {
			return false, err
		}
		r.Items[at].ArrivedAt, items = &arrived, append(items, a.Item)
	}
	r.unsaved.arrived = arriving
	r.revokeKeysOfOtherRooms(items...)
	r.askForKeys(now, items...)
	return true, nil
}

// arriving returns the rooms whose guests have not arrived yet. It returns ErrIllegalTransition for another room of guests who have.
func (r *Reservation) arriving(rooms []AssignedRoom) (all []AssignedRoom, err error) {
	for _, a := range rooms {
		at := slices.IndexFunc(r.Items, func(i Item) bool { return i.ID == a.Item })
		switch item := r.Items[at]; {
		case item.ArrivedAt == nil || !r.State.inside():
			all = append(all, a)
		case !equal(item.Room, &a.Room):
			return nil, r.illegalBecause("The guests of item " + a.Item.String() + " have another room. Change it with a room_change.")
		case r.State == CheckoutStarted:
			return nil, r.illegal()
		}
	}
	return all, nil
}

// expected returns the items whose guests have not come while others are in the house.
func (r *Reservation) expected() (all []Item) {
	for _, item := range r.Items {
		if r.State.inside() && item.ArrivedAt == nil {
			all = append(all, item)
		}
	}
	return all
}

// arriveTogether completes a check-in by the previous version of the code, which was of all items and recorded no arrivals.
func (r *Reservation) arriveTogether() {
	if r.CheckIn == nil || r.Expected > 0 {
		return
	}
	together := func(items []Item) {
		for i := range items {
			items[i].ArrivedAt = cmp.Or(items[i].ArrivedAt, &r.CheckIn.StartedAt)
		}
	}
	if together(r.Items); r.Saga.Plan != nil {
		together(r.Saga.Plan.Reserved.Items)
	}
}

// firstCheckIn returns the latest arrival whose guests can check in: the business date, or for a walk-in the present date, because the
// desk has just sold that night to a guest who stands there.
func (r *Reservation) firstCheckIn(now time.Time) stay.Date {
	if r.Channel == WalkIn {
		return r.Local.Date(now)
	}
	return r.businessDate(now)
}

func (r *Reservation) itemIDs() []id.Item {
	all := make([]id.Item, len(r.Items))
	for i, item := range r.Items {
		all[i] = item.ID
	}
	return all
}

// FinishKeys ends the wait for keys once none is pending. It returns true if that completes the check-in: every item has an issued
// key, or the lock service has failed and the desk hands out keys by hand.
func (r *Reservation) FinishKeys(now time.Time) (checkedIn bool, err error) {
	if r.Saga.Pending != AwaitKeys {
		return false, nil
	}
	arriving := r.State == CheckInStarted // not: keys of a later change
	if len(r.keys(KeyPending)) > 0 && !(arriving && r.CheckIn.ManualKey) {
		return false, nil
	}
	if !arriving {
		r.Saga = Saga{}
		return false, nil
	}
	if err := r.move(CheckInStarted, CheckedIn); err != nil {
		return false, err
	}
	now = event.Time(now)
	done := *r.CheckIn
	done.At = &now
	r.CheckIn = &done
	if len(r.keys(KeyPending)) > 0 {
		r.await(AwaitKeys, now) // of other rooms than the one whose key has failed
	}
	return true, nil
}

// keyByHand reports whether the desk hands out keys because the lock service could not issue them.
func (r *Reservation) keyByHand() bool { return r.CheckIn != nil && r.CheckIn.ManualKey }

// A checkInStarted is the payload of CheckInStartedV1.
type checkInStarted struct {
	reference
	StartedAt time.Time    `json:"startedAt"`
	Items     []id.Item    `json:"itemIds"`
	Actor     access.Actor `json:"actor"`
}

// CheckInBegun returns the event for a check-in that has started.
func CheckInBegun(r *Reservation) event.Draft {
	started := checkInStarted{reference: r.reference(), StartedAt: r.CheckIn.StartedAt, Actor: r.CheckIn.By}
	for _, a := range r.unsaved.arrived {
		started.Items = append(started.Items, a.Item)
	}
	return r.event(CheckInStartedV1, started)
}

// An itemsCheckedIn is the payload of ItemsCheckedInV1.
type itemsCheckedIn struct {
	reference
	OccurredAt time.Time      `json:"occurredAt"`
	Rooms      []AssignedRoom `json:"assignedRooms"`
	Actor      access.Actor   `json:"actor"`
}

// ItemsCheckedIn returns the event for the guests of further rooms, who have come after the first ones.
func ItemsCheckedIn(r *Reservation, by access.Actor, now time.Time) event.Draft {
	return r.event(ItemsCheckedInV1, itemsCheckedIn{reference: r.reference(), OccurredAt: event.Time(now), Rooms: r.unsaved.arrived, Actor: by})
}

// A checkedIn is the payload of CheckedInV1. The actor is the one who started the check-in.
type checkedIn struct {
	reference
	CheckedInAt time.Time          `json:"checkedInAt"`
	Rooms       []AssignedRoom     `json:"assignedRooms"`
	Keys        []id.KeyCredential `json:"keyCredentialIds"` // empty if a key was handed out by hand
	ManualKey   bool               `json:"requiresManualKey"`
	Actor       checkInActor       `json:"actor"`
	Early       bool               `json:"earlyCheckIn"`
}

// A checkInActor is an Actor in the terms of its event: staff, also through a service, or the guest.
type checkInActor struct {
	Type string      `json:"type"`
	ID   access.Name `json:"id"`
}

// firstRooms returns the rooms of the guests with whom the check-in started. Those of later ones are in ItemsCheckedInV1.
func (r *Reservation) firstRooms() []AssignedRoom {
	rooms := []AssignedRoom{}
	for _, item := range r.Items {
		if item.ArrivedAt != nil && item.ArrivedAt.Equal(r.CheckIn.StartedAt) {
			rooms = append(rooms, AssignedRoom{item.ID, *item.Room})
		}
	}
	return rooms
}

// GuestCheckedIn returns the event for a completed check-in.
func GuestCheckedIn(r *Reservation) event.Draft {
	rooms, keys := r.firstRooms(), []id.KeyCredential{}
	for _, k := range r.Keys {
		if k.Status == KeyIssued && !r.CheckIn.ManualKey && slices.Contains(rooms, AssignedRoom{k.Item, k.Room}) {
			keys = append(keys, k.ID)
		}
	}
	actor := checkInActor{Type: "staff", ID: r.CheckIn.By.ID}
	if r.CheckIn.By.Type == access.Guest {
		actor.Type = "guest_self_service"
	}
	return r.event(CheckedInV1, checkedIn{
		reference: r.reference(), CheckedInAt: *r.CheckIn.At, Rooms: rooms, Keys: keys, ManualKey: r.CheckIn.ManualKey,
		Actor: actor, Early: r.CheckIn.Early,
	})
}
