package booking

import (
	"context"
	"errors"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// A Changer changes booked reservations. A change that needs rooms has three steps: it stores the plan, asks inventory to
// exchange the rooms, and applies or drops the plan. A stored plan is completed first by a repetition of the call,
// by the next change, or by the watch.
type Changer struct {
	reservations Reservations
	inventory    reallocator
	payments     paymentService
	pricing      func(context.Context, id.Tenant, quotes.Ask) (quotes.Price, error)
	rooms        func(context.Context, id.Tenant, id.Property) ([]Room, error)
	learn        func(context.Context, *Reservation) error // sets the amount already refunded
	keys         *Issuer
	now          func() time.Time
}

// reallocator is the part of Inventory that a Changer needs.
type reallocator interface {
	Hold(context.Context, *Reservation, Hold) (HoldResult, error)
	Reallocate(context.Context, *Reservation, []id.Allocation, []Take) error
	Release(context.Context, *Reservation, []id.Allocation) error
}

// OpenChanger opens a Changer with its stores and clients.
func OpenChanger(e env.Env, up Upstreams) *Changer {
	return &Changer{
		reservations: OpenReservations(e), inventory: up.Inventory, payments: up.Payments, pricing: up.Price,
		rooms: up.Rooms, learn: up.Payments.Learn, keys: OpenIssuer(e, up), now: e.Now,
	}
}

// A ChangeCall is a request to change a reservation.
type ChangeCall struct {
	access.Principal
	Act         id.Request
	Reservation id.Reservation
	Allows      func(version int64) bool // reports whether If-Match allows the version
	DryRun      bool                     // computes the change and stores nothing
	ByGuest     bool                     // the guest asked for the change
}

// A Proposal plans one change of a reservation.
type Proposal func(context.Context, *Reservation) (*Plan, error)

// Change makes a change, once per act, and returns the changed reservation with its modification. It returns ErrOverbooked if
// inventory has no rooms for it, and then nothing has changed. A guest's change of a paid booking that costs more becomes a [PendingChange].
func (c *Changer) Change(ctx context.Context, call ChangeCall, propose Proposal) (r *Reservation, m Modification, err error) {
	err = Again(ctx, func() error {
		r, m, err = c.attempt(ctx, call, propose)
		return err
	})
	if err != nil || call.DryRun || r.Saga.Pending != AwaitKeys {
		return r, m, err
	}
	r, err = c.keys.Ask(ctx, call.Scope, r.ID)
	return r, m, err
}

func (c *Changer) attempt(ctx context.Context, call ChangeCall, propose Proposal) (*Reservation, Modification, error) {
	r, err := c.reservations.Get(ctx, call.Scope, call.Reservation)
	if err != nil {
		return nil, Modification{}, err
	}
	mod := id.Derive[id.Modification](call.Act, "modification")
	asked := r.Saga.Plan != nil && r.Saga.Plan.Modification.ID == mod
	if r.Saga.Plan != nil && !call.DryRun {
		if r, err = c.Complete(ctx, r); err != nil {
			return nil, Modification{}, err
		}
	}
	if m, done := r.modification(mod); done {
		return r, m, nil
	}
	if !call.DryRun && r.Change.live(r) && r.Change.Plan.Modification.ID == mod {
		m := r.Change.Plan.Modification
		r, err = c.resume(ctx, r)
		return r, m, err
	}
	if asked { // by an earlier attempt of this act, and refused
		return nil, Modification{}, ErrOverbooked
	}
	if !call.Allows(int64(r.Version)) {
		return nil, Modification{}, fault.ErrStale
	}
	p, err := propose(ctx, r)
	if errors.Is(err, errSameDates) { // the loser of equal calls gets the result of the winner
		return r, *r.lastDateChange(), nil
	}
	if err != nil {
		return nil, Modification{}, err
	}
	p.Modification.ID, p.OccurredAt, p.Actor = mod, event.Time(c.now()), call.Actor
	if call.ByGuest {
		p.Actor = call.ForGuest(r.Guest)
	}
	if r, err = c.run(ctx, r, p, call); err != nil {
		return nil, Modification{}, err
	}
	m, done := r.modification(mod)
	if !done {
		m = r.Change.Plan.Modification
	}
	return r, m, nil
}

// modification returns a modification of the reservation.
func (r *Reservation) modification(m id.Modification) (Modification, bool) {
	at := slices.IndexFunc(r.Modified, func(known Modification) bool { return known.ID == m })
	if at < 0 {
		return Modification{}, false
	}
	return r.Modified[at], true
}

// errSameDates ends a proposal of dates that an earlier change has set.
var errSameDates = errors.New("an earlier change has set these dates")

// lastDateChange returns the change of dates that has set the present stay, or nil if it is the one that was booked.
func (r *Reservation) lastDateChange() *Modification {
	for i := range slices.Backward(r.Modified) {
		if r.Modified[i].Type == DateChange {
			return &r.Modified[i]
		}
	}
	return nil
}

// changedTo reports whether an earlier change has set these dates.
func (r *Reservation) changedTo(to stay.Window) bool {
	return to == r.Stay && r.lastDateChange() != nil
}

// run makes a planned change.
func (c *Changer) run(ctx context.Context, r *Reservation, p *Plan, call ChangeCall) (*Reservation, error) {
	if err := c.learnRefunds(ctx, r, p); err != nil {
		return nil, err
	}
	if due := r.dueUnder(p.Reserved); call.ByGuest && !call.DryRun && r.prepaid() && due > 0 && *p.PriceDelta > 0 {
		p.Request = &MoneyRequest{Amount: due, Direction: "charge"}
		return c.awaitPayment(ctx, r, p)
	}
	if r.Change.live(r) { // the change ends the pending one
		p.Releases = append(p.Releases, r.Change.held()...)
	}
	dry, limited := call.DryRun, call.ByGuest && r.unpaidOf(p.Reserved) > r.unpaidRoomNights()
	if !dry && len(p.Takes) > 0 {
		r.prepare(p, c.now())
		var err error
		if limited {
			err = c.saveWithinQuota(ctx, r)
		} else {
			err = c.save(ctx, r)
		}
		if err != nil {
			return nil, err
		}
		return c.Complete(ctx, r)
	}
	stay := r.Stay
	if err := r.apply(p, c.now()); err != nil {
		return nil, err
	}
	if dry && limited {
		return r, c.reservations.Admit(ctx, r, nil)
	}
	if dry {
		return r, nil
	}
	if len(p.Releases) > 0 {
		r.await(AwaitRelease, c.now())
		r.Saga.Plan = &Plan{Modification: p.Modification, Releases: p.Releases, Reserved: r.reserved()}
	}
	if err := c.save(ctx, r, changed(r, p, stay)...); err != nil || r.Saga.Plan == nil {
		return r, err
	}
	return c.release(ctx, r), nil
}

// release releases the rooms that a change has given up, and returns the reservation as it is stored then. The change is made: if this
// fails, the watch releases them.
func (c *Changer) release(ctx context.Context, r *Reservation) *Reservation {
	latest := r
	_ = Again(ctx, func() error {
		released, err := c.Complete(ctx, latest)
		if err == nil {
			latest = released
			return nil
		}
		if stored, unread := c.reservations.Get(ctx, access.Scope{Tenant: r.Tenant}, r.ID); unread == nil {
			stored.Person, latest = r.Person, stored // names are read for staff only
		}
		if latest.Saga.Plan == nil {
			return nil // the watch was first
		}
		return err
	})
	return latest
}

// learnRefunds sets the amounts already refunded, if the plan lowers the price and so requires a refund.
func (c *Changer) learnRefunds(ctx context.Context, r *Reservation, p *Plan) error {
	if p.PriceDelta == nil || *p.PriceDelta >= 0 {
		return nil
	}
	return c.learn(ctx, r)
}

// Complete completes the stored plan of a reservation: it exchanges the rooms and applies the change, or drops the change if
// inventory refuses it; then it returns ErrOverbooked.
func (c *Changer) Complete(ctx context.Context, r *Reservation) (*Reservation, error) {
	p := r.Saga.Plan
	err := c.inventory.Reallocate(ctx, r, p.Releases, p.Takes)
	switch {
	case r.Saga.Pending == AwaitRelease && err == nil:
		r.Saga = Saga{}
		if len(r.keys(KeyPending)) > 0 {
			r.await(AwaitKeys, c.now())
		}
		r.Version++
		return r, c.save(ctx, r)
	case errors.Is(err, ErrOverbooked), errors.Is(err, ErrHoldExpired):
		if err := c.giveBack(ctx, r); err != nil {
			return nil, err
		}
		r.drop()
		if err := c.save(ctx, r); err != nil {
			return nil, err
		}
		return nil, ErrOverbooked
	case err != nil:
		return nil, err
	}
	if err := c.learnRefunds(ctx, r, p); err != nil {
		return nil, err
	}
	before := r.Stay
	if err := r.apply(p, c.now()); err != nil {
		return nil, err
	}
	return r, c.save(ctx, r, changed(r, p, before)...)
}

// changed returns the events of an applied plan.
func changed(r *Reservation, p *Plan, before stay.Window) []event.Draft {
	events := []event.Draft{ReservationModified(r)}
	if p.Type == DateChange {
		events = append(events, DatesChanged(r, before))
	}
	return events
}

func (c *Changer) save(ctx context.Context, r *Reservation, events ...event.Draft) error {
	return c.reservations.In(ctx, r.Tenant, func(tx postgres.Tx) error { return c.reservations.Save(ctx, tx, r, events...) })
}
