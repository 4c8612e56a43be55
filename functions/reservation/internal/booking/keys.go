package booking

import (
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/shared/id"
)

// A Key is an electronic key of one room.
type Key struct {
	ID     id.KeyCredential `json:"keyCredentialId"`
	Item   id.Item          `json:"itemId"`
	Room   id.Room          `json:"roomId"`
	Status KeyStatus        `json:"status"`
	Closed bool             `json:"closed,omitzero"` // revoked at the lock service by a call of this service
}

// A KeyStatus is the status of a key.
type KeyStatus string

// The statuses in ascending rank (see outranks).
const (
	KeyPending KeyStatus = "pending"
	KeyFailed  KeyStatus = "failed"
	KeyIssued  KeyStatus = "issued"
	KeyRevoked KeyStatus = "revoked"
)

// outranks reports whether a report of s changes a key with the status known. A status only rises, so all orders of the reports of
// one key have the same result. Issued outranks failed, because an issued key opens a room until it is revoked.
func (s KeyStatus) outranks(known KeyStatus) bool {
	ranks := []KeyStatus{KeyPending, KeyFailed, KeyIssued, KeyRevoked}
	return slices.Index(ranks, s) > slices.Index(ranks, known)
}

// KeyPeriod returns the time during which a new key of the reservation opens its room.
func (r *Reservation) KeyPeriod() (from, until time.Time) {
	day := r.Stay.End
	for until = r.Local.CheckOut(day); !r.AsOf.Before(until); until = r.Local.CheckOut(day) {
		day = day.AddDays(1) // a guest who overstays needs a key until the next check-out
	}
	return r.Local.Midnight(r.Stay.Start), until
}

// checkOutUntil returns the time until which the guest may stay on the day of departure.
func (r *Reservation) checkOutUntil() time.Time {
	return r.Local.CheckOut(r.Stay.End)
}

// wantKeys replaces the keys of the given items and waits for the new ones.
func (r *Reservation) wantKeys(now time.Time, items ...id.Item) {
	r.revokeKeys(items...)
	r.askForKeys(now, items...)
}

// askForKeys adds a pending key for each given item whose guests have arrived, and waits for them. The ids derive from the reservation's version, so that repeated
// attempts ask for the same keys.
func (r *Reservation) askForKeys(now time.Time, items ...id.Item) {
	for _, item := range r.Items {
		if item.ArrivedAt != nil && slices.Contains(items, item.ID) {
			key := id.Derive[id.KeyCredential](item.ID, strconv.Itoa(r.Version)+"/"+item.Room.String())
			r.Keys = append(r.Keys, Key{ID: key, Item: item.ID, Room: *item.Room, Status: KeyPending})
			if r.Saga.Pending != AwaitKeys { // the attempts at earlier keys count: otherwise late guests would delay the manual key
				r.await(AwaitKeys, now)
			}
		}
	}
}

// revokeKeys marks the keys of the items as revoked. The lock service revokes them because of the event. A failed key is marked too, so
// that its failure does not count against the next key.
func (r *Reservation) revokeKeys(items ...id.Item) {
	r.revokeKeysThat(func(k Key) bool { return slices.Contains(items, k.Item) })
}

// revokeKeysOfOtherRooms marks the keys of the items that open another room than the assigned ones. The lock service may have issued them before the
// check-in.
func (r *Reservation) revokeKeysOfOtherRooms(items ...id.Item) {
	r.revokeKeysThat(func(k Key) bool {
		return slices.Contains(items, k.Item) && !slices.Contains(r.Rooms(), AssignedRoom{k.Item, k.Room})
	})
}

func (r *Reservation) revokeKeysThat(are func(Key) bool) {
	r.Keys = slices.Clone(r.Keys)
	for i := range r.Keys {
		if k := &r.Keys[i]; are(*k) && k.Status != KeyRevoked {
			k.Status = KeyRevoked
		}
	}
	r.noteManualKey()
}

// noteManualKey records whether the desk must hand out a manual key: while a key of a present room has failed.
func (r *Reservation) noteManualKey() {
	if r.CheckIn == nil {
		return
	}
	noted := *r.CheckIn
	noted.ManualKey = len(r.keys(KeyFailed)) > 0
	r.CheckIn = &noted
}

// validKeys returns the ids of the pending and issued keys of the items.
func (r *Reservation) validKeys(items ...id.Item) (valid []id.KeyCredential) {
	for _, k := range r.Keys {
		if slices.Contains(items, k.Item) && (k.Status == KeyPending || k.Status == KeyIssued) {
			valid = append(valid, k.ID)
		}
	}
	return valid
}

// keys returns the ids of the keys with a status.
func (r *Reservation) keys(status KeyStatus) []id.KeyCredential {
	all := []id.KeyCredential{}
	for _, k := range r.Keys {
		if k.Status == status {
			all = append(all, k.ID)
		}
	}
	return all
}

// unclosed returns the ids of the keys that are revoked here, and that the lock service has not been asked to revoke.
func (r *Reservation) unclosed() (all []id.KeyCredential) {
	for _, k := range r.Keys {
		if k.Status == KeyRevoked && !k.Closed {
			all = append(all, k.ID)
		}
	}
	return all
}

// close records that the lock service has revoked the keys that are revoked here.
func (r *Reservation) close() {
	r.Keys = slices.Clone(r.Keys)
	for i := range r.Keys {
		r.Keys[i].Closed = r.Keys[i].Status == KeyRevoked
	}
	r.Version++
}

// SetKey stores what became of a key. A key that the lock service issued on its own is added, if the reservation is booked. It
// returns ErrIllegalTransition for an issued key that opens nothing any more: the caller has it revoked. A repetition, and a
// report that the key's status outranks, change nothing.
func (r *Reservation) SetKey(k Key) (changed bool, err error) {
	at := slices.IndexFunc(r.Keys, func(known Key) bool { return known.ID == k.ID })
	if at < 0 && k.Status == KeyIssued && slices.Contains(occupying, r.State) {
		r.Keys = append(slices.Clone(r.Keys), k)
		r.Version++
		return true, nil
	}
	if k.Status == KeyIssued && (at < 0 || r.Keys[at].Status == KeyRevoked) {
		return false, ErrIllegalTransition
	}
	if at < 0 || !k.Status.outranks(r.Keys[at].Status) {
		return false, nil
	}
	r.Keys = slices.Clone(r.Keys)
	r.Keys[at].Status = k.Status
	r.noteManualKey()
	r.Version++
	return true, nil
}
