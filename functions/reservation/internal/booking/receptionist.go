package booking

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Receptionist checks guests in.
type Receptionist struct {
	reservations Reservations
	rooms        func(context.Context, id.Tenant, id.Property) ([]Room, error)
	keys         *Issuer
}

// OpenReceptionist opens a Receptionist with its store and clients.
func OpenReceptionist(e env.Env, up Upstreams) *Receptionist {
	return &Receptionist{reservations: OpenReservations(e), rooms: up.Rooms, keys: OpenIssuer(e, up)}
}

// CheckIn assigns the rooms of the guests who are there and asks for their keys. Repeated with the same rooms, it only asks for keys that are outstanding. It
// returns fault.ErrStale if allows rejects the reservation's version.
func (d *Receptionist) CheckIn(ctx context.Context, by access.Principal, rsv id.Reservation, rooms []AssignedRoom, now time.Time, allows func(int64) bool) (*Reservation, error) {
	if err := Again(ctx, func() error { return d.start(ctx, by, rsv, rooms, now, allows) }); err != nil {
		return nil, err
	}
	return d.keys.Ask(ctx, by.Scope, rsv)
}

// start starts the check-in, unless the same request has started it before.
func (d *Receptionist) start(ctx context.Context, by access.Principal, rsv id.Reservation, rooms []AssignedRoom, now time.Time, allows func(int64) bool) error {
	r, err := d.reservations.Get(ctx, by.Scope, rsv)
	if err != nil {
		return err
	}
	version, first := int64(r.Version), r.CheckIn == nil
	of, err := d.rooms(ctx, by.Tenant, r.Property)
	if err != nil {
		return err
	}
	started, err := r.StartCheckIn(rooms, of, by.Actor, now)
	if err != nil || !started {
		return err
	}
	if !allows(version) {
		return fault.ErrStale
	}
	begun := ItemsCheckedIn(r, by.Actor, now)
	if first {
		begun = CheckInBegun(r)
	}
	return d.reservations.In(ctx, by.Tenant, func(tx postgres.Tx) error { return d.reservations.Save(ctx, tx, r, begun) })
}
