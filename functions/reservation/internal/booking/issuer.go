package booking

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// An Issuer gets the keys that reservations wait for.
type Issuer struct {
	reservations Reservations
	locks        Locks
	now          func() time.Time
}

// OpenIssuer opens an Issuer with its store and client.
func OpenIssuer(e env.Env, up Upstreams) *Issuer {
	return &Issuer{reservations: OpenReservations(e), locks: up.Locks, now: e.Now}
}

// Ask asks the lock service for the pending keys of a reservation and stores the result. If the lock service does not answer,
// the reservation keeps waiting, and Ask returns it unchanged.
func (s *Issuer) Ask(ctx context.Context, who access.Scope, rsv id.Reservation) (r *Reservation, err error) {
	err = Again(ctx, func() error {
		if r, err = s.reservations.Get(ctx, who, rsv); err != nil || r.Saga.Pending != AwaitKeys {
			return err
		}
		// A key that was issued before the check-in, or for another room, must not open that room for its next guest.
		if old := r.unclosed(); len(old) > 0 {
			if err := s.locks.Revoke(ctx, r.Tenant, old...); err != nil {
				return nil // the watch asks again
			}
			r.close()
		}
		answered := s.issue(ctx, r)
		return s.reservations.In(ctx, who.Tenant, func(tx postgres.Tx) error { return s.store(ctx, tx, r, answered...) })
	})
	return r, err
}

// issue returns the pending keys with the statuses that the lock service answers, or none if it does not answer: the watch asks again.
func (s *Issuer) issue(ctx context.Context, r *Reservation) (answered []Key) {
	for _, k := range r.Keys {
		if k.Status != KeyPending {
			continue
		}
		status, err := s.locks.Issue(ctx, r, k)
		if err != nil {
			return nil
		}
		k.Status = status
		answered = append(answered, k)
	}
	return answered
}

// GiveUp stores the pending keys of a reservation as failed: the desk hands out keys by hand.
func (s *Issuer) GiveUp(ctx context.Context, r *Reservation) error {
	var failed []Key
	for _, k := range r.Keys {
		if k.Status == KeyPending {
			k.Status = KeyFailed
			failed = append(failed, k)
		}
	}
	return s.reservations.In(ctx, r.Tenant, func(tx postgres.Tx) error { return s.store(ctx, tx, r, failed...) })
}

// store stores the statuses of keys, and what else has changed, if anything has. It counts the reservation once if the desk
// must hand out keys by hand.
func (s *Issuer) store(ctx context.Context, tx postgres.Tx, r *Reservation, keys ...Key) error {
	byHand := r.keyByHand()
	for _, k := range keys {
		if _, err := r.SetKey(k); err != nil {
			return err
		}
	}
	if r.Version == r.unsaved.version {
		return nil
	}
	var events []event.Draft
	done, err := r.FinishKeys(s.now())
	if err != nil {
		return err
	}
	if done {
		events = append(events, GuestCheckedIn(r))
	}
	if err := s.reservations.Save(ctx, tx, r, events...); err != nil {
		return err
	}
	if r.keyByHand() && !byHand {
		observe.Count(ctx, observe.ManualKeys)
	}
	return nil
}

// Report stores what an event says about a key. An issued key that opens nothing any more is revoked. Report returns
// ErrNotFound for an unknown reservation.
func (s *Issuer) Report(ctx context.Context, who access.Scope, rsv id.Reservation, k Key, within Within) error {
	r, err := s.reservations.Get(ctx, who, rsv)
	if err != nil {
		return err
	}
	if _, unwanted := r.SetKey(k); errors.Is(unwanted, ErrIllegalTransition) {
		if err := s.locks.Revoke(ctx, who.Tenant, k.ID); err != nil {
			return err
		}
		return within(ctx, func(postgres.Tx) error { return nil })
	}
	return within(ctx, func(tx postgres.Tx) error {
		r, err := s.reservations.Lock(ctx, tx, who, rsv)
		if err != nil {
			return err
		}
		if err := s.store(ctx, tx, r, k); errors.Is(err, ErrIllegalTransition) {
			return fault.ErrVersionConflict.Because(err) // revoked in the meantime: the event is delivered again
		} else if err != nil {
			return err
		}
		return nil
	})
}
