package booking

import (
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

// StartCheckIn assigns the rooms and waits for their keys. It returns ErrBeforeArrival before the business date of the arrival,
// ErrIllegalTransition from the check-out time of the day of departure on, and ErrRoomUnavailable for a room that cannot be assigned. Repeated with
// the same rooms, it changes nothing.
func (r *Reservation) StartCheckIn(rooms []AssignedRoom, of []Room, by access.Actor, now time.Time) (started bool, err error) {
	if err := r.checkRooms(rooms); err != nil {
		return false, err
	}
	if r.CheckIn != nil && r.sameRooms(rooms) && (r.State == CheckInStarted || r.State == CheckedIn) {
		return false, nil
	}
	switch state := r.EffectiveState(); {
	case state == Confirmed && r.firstCheckIn(now).Before(r.Stay.Start):
		return false, r.beforeArrival()
	case state == Confirmed && !now.Before(r.checkOutUntil()):
		return false, r.illegalBecause("The stay has ended.")
	}
	if err := r.move(r.EffectiveState(), CheckInStarted); err != nil {
		return false, err
	}
	for i := range r.Items {
		at := slices.IndexFunc(rooms, func(a AssignedRoom) bool { return a.Item == r.Items[i].ID })
		if err := r.assign(&r.Items[i], rooms[at].Room, of, r.currentNight(now)); err != nil {
			return false, err
		}
	}
	r.CheckIn = &CheckIn{StartedAt: event.Time(now), By: by, Early: now.Before(r.Local.Hour(r.Stay.Start, r.Local.CheckInFrom))}
	r.revokeKeysOfOtherRooms()
	r.askForKeys(now, r.itemIDs()...)
	return true, nil
}

// firstCheckIn returns the latest arrival whose guests can check in: the business date, or for a walk-in the present date, because the
// desk has just sold that night to a guest who stands there.
func (r *Reservation) firstCheckIn(now time.Time) stay.Date {
	if r.Channel == WalkIn {
		return r.Local.Date(now)
	}
	return r.businessDate(now)
}

// sameRooms reports whether these rooms are assigned.
func (r *Reservation) sameRooms(rooms []AssignedRoom) bool {
	return !slices.ContainsFunc(r.Rooms(), func(a AssignedRoom) bool { return !slices.Contains(rooms, a) })
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
	return r.event(CheckInStartedV1, checkInStarted{
		reference: r.reference(), StartedAt: r.CheckIn.StartedAt, Items: r.itemIDs(), Actor: r.CheckIn.By,
	})
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

// GuestCheckedIn returns the event for a completed check-in.
func GuestCheckedIn(r *Reservation) event.Draft {
	keys := r.keys(KeyIssued)
	if r.CheckIn.ManualKey {
		keys = []id.KeyCredential{}
	}
	actor := checkInActor{Type: "staff", ID: r.CheckIn.By.ID}
	if r.CheckIn.By.Type == access.Guest {
		actor.Type = "guest_self_service"
	}
	return r.event(CheckedInV1, checkedIn{
		reference: r.reference(), CheckedInAt: *r.CheckIn.At, Rooms: r.Rooms(), Keys: keys, ManualKey: r.CheckIn.ManualKey,
		Actor: actor, Early: r.CheckIn.Early,
	})
}
