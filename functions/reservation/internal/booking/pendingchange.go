package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// A PendingChange is a change of dates that the guest of a paid booking asked for and that costs more than was paid. It takes effect when
// the guest pays; until then the booking stays as it is, and inventory holds the added nights. Another one replaces it. Like a [Plan] it is
// stored before inventory is asked, so that equal calls ask for the same rooms, and a concurrent act knows which rooms to release. After
// Until it has no effect, and its hold in inventory expires; there is no sweep. A late payment still makes the change if the rooms are free.
type PendingChange struct {
	Plan     Plan            `json:"plan"`
	Held     []id.Allocation `json:"heldAllocationIds"`               // of the added nights
	Replaced []id.Allocation `json:"replacedAllocationIds,omitempty"` // of earlier pending changes, until inventory has exchanged them
	Waiting  bool            `json:"waiting,omitzero"`                // inventory has not answered yet
	Version  int             `json:"version"`                         // of the reservation that first had it
	Until    time.Time       `json:"until"`
	Nights   int             `json:"unpaidRoomNights"` // of the booking after the change
}

// held returns the allocations for which the pending change and those that it replaces have asked inventory.
func (p *PendingChange) held() []id.Allocation {
	if p == nil {
		return nil
	}
	return slices.Concat(p.Held, p.Replaced)
}

// prepaid reports whether the guest paid before arrival. Cash is collected at the hotel, also for what a change adds.
func (r *Reservation) prepaid() bool {
	return r.Payment.PaymentStatus == Captured && !slices.ContainsFunc(r.Payment.Intents, func(p IntentPayment) bool { return p.Method == CashOnArrival })
}

// fits reports whether the change is one of the booking as it is now.
func (p *PendingChange) fits(r *Reservation) bool {
	return p != nil && r.State == Confirmed && p.Plan.Reserved.Total-*p.Plan.PriceDelta == r.Total && slices.Equal(p.Plan.Releases, r.Hold.Allocations)
}

// live reports whether the change fits and has not ended.
func (p *PendingChange) live(r *Reservation) bool { return p.fits(r) && r.AsOf.Before(p.Until) }

// pendingChange returns the change that the guest can pay for in time, or nil.
func (r *Reservation) pendingChange() *PendingChange {
	if !r.Change.live(r) || r.Change.Waiting {
		return nil
	}
	return r.Change
}

// waitsForRooms reports whether inventory has not answered yet about rooms of a change, so that a payment must wait.
func (r *Reservation) waitsForRooms() bool {
	return r.Saga.Plan != nil || r.Change.live(r) && r.Change.Waiting
}

// paysChange reports whether the intent pays for the pending change. A late payment does, too, as long as a guest may change the dates.
func (r *Reservation) paysChange(i Intent) bool {
	return r.Change.fits(r) && r.AsOf.Before(*r.freeUntil()) && r.owns(i) && i.Currency == r.Currency && !r.paidByIntent(i.ID) &&
		i.kept() > 0 && i.kept() >= r.dueUnder(r.Change.Plan.Reserved)
}

// added returns the nights of a stay that the booking does not have, as stays.
func (r *Reservation) added(to stay.Window) (all []stay.Window) {
	if !to.Start.Before(r.Stay.End) || !r.Stay.Start.Before(to.End) {
		return []stay.Window{to}
	}
	if to.Start.Before(r.Stay.Start) {
		all = append(all, stay.Window{Start: to.Start, End: r.Stay.Start})
	}
	if r.Stay.End.Before(to.End) {
		all = append(all, stay.Window{Start: r.Stay.End, End: to.End})
	}
	return all
}

// awaitPayment stores a planned change as a pending one, unless an equal one is pending. It returns ErrOverbooked if the added nights are
// not available, and ErrTooMuchHeld if they do not fit into the quota.
func (c *Changer) awaitPayment(ctx context.Context, r *Reservation, p *Plan) (*Reservation, error) {
	change := &PendingChange{Plan: *p, Waiting: true, Version: r.Version + 1, Until: event.Time(r.AsOf.Add(r.changeTTL())), Nights: r.unpaidOf(p.Reserved)}
	if r.Change.live(r) {
		if terms := r.Change.Plan.Reserved; terms.Stay == p.Reserved.Stay && terms.Total == p.Reserved.Total {
			return c.resume(ctx, r)
		}
		change.Replaced = r.Change.held()
	}
	for _, added := range r.holdsFor(change) {
		change.Held = append(change.Held, added.Hold.Allocations...)
	}
	r.Change = change
	r.Version++
	if err := c.saveWithinQuota(ctx, r); err != nil {
		return nil, err
	}
	return c.holdAddedNights(ctx, r)
}

// resume returns the reservation with its pending change. It asks inventory for the rooms if an earlier call was interrupted before
// inventory answered.
func (c *Changer) resume(ctx context.Context, r *Reservation) (*Reservation, error) {
	if r.Change.Waiting {
		return c.holdAddedNights(ctx, r)
	}
	return r, nil
}

// changeTTL returns how long the rooms of a pending change are held: as long as those of the booking were.
func (r *Reservation) changeTTL() time.Duration { return time.Duration(r.Hold.TTL) * time.Second }

// holdsFor returns the reservation once for each range of nights that a pending change adds, with the hold to ask inventory for. An act
// whose change was replaced before it was answered tries again: the version gives its new change other rooms than those replaced.
func (r *Reservation) holdsFor(change *PendingChange) (all []Reservation) {
	for n, nights := range r.added(change.Plan.Reserved.Stay) {
		added := *r
		added.Stay = nights
		added.Hold = added.wanted(change.Plan.Modification.ID, fmt.Sprintf("change/%d/%d", change.Version, n), r.changeTTL())
		all = append(all, added)
	}
	return all
}

// holdAddedNights asks inventory for the rooms of the stored pending change, in exchange for those of earlier ones. It can be repeated. If
// inventory refuses, no change is pending, and holdAddedNights returns ErrOverbooked.
func (c *Changer) holdAddedNights(ctx context.Context, r *Reservation) (*Reservation, error) {
	change, holds := *r.Change, r.holdsFor(r.Change)
	for n, added := range holds {
		if n == 0 {
			added.Hold.Replaces = change.Replaced
		}
		result, err := c.inventory.Hold(ctx, &added, added.Hold)
		if errors.Is(err, ErrOverbooked) || errors.Is(err, ErrHoldExpired) {
			return nil, c.dropChange(ctx, r)
		}
		if err != nil {
			return nil, err
		}
		if until := event.Time(result.ExpiresAt); n == 0 || until.Before(change.Until) {
			change.Until = until
		}
	}
	if len(holds) == 0 && len(change.Replaced) > 0 { // a dearer change without more nights
		_ = c.inventory.Release(ctx, r, change.Replaced) // on an error they expire
	}
	change.Waiting, change.Replaced = false, nil
	r.Change = &change
	r.Version++
	err := c.save(ctx, r)
	if errors.Is(err, fault.ErrVersionConflict) {
		c.releaseUnlessStored(ctx, r)
	}
	return r, err
}

// dropChange deletes the pending change that inventory has refused. It returns ErrOverbooked.
func (c *Changer) dropChange(ctx context.Context, r *Reservation) error {
	held := r.Change.held()
	r.Change = nil
	r.Version++
	if err := c.save(ctx, r); err != nil {
		return err
	}
	_ = c.inventory.Release(ctx, r, held) // one of two ranges, and what was to be replaced; on an error they expire
	return ErrOverbooked
}

// releaseUnlessStored releases the rooms of a pending change that another act has ended concurrently, such as a cancellation. If that
// fails, they expire. They stay if the stored change or plan has them.
func (c *Changer) releaseUnlessStored(ctx context.Context, r *Reservation) {
	held := r.Change.Held
	if len(held) == 0 {
		return
	}
	stored, err := c.reservations.Get(ctx, access.Scope{Tenant: r.Tenant}, r.ID)
	if err != nil || stored.Change.fits(stored) && slices.Contains(stored.Change.held(), held[0]) {
		return
	}
	if plan := stored.Saga.Plan; plan != nil && slices.Contains(plan.Releases, held[0]) {
		return
	}
	_ = c.inventory.Release(ctx, r, held)
}

// saveWithinQuota saves the reservation, or returns ErrTooMuchHeld if it does not fit into its quota.
func (c *Changer) saveWithinQuota(ctx context.Context, r *Reservation) error {
	return c.reservations.In(ctx, r.Tenant, func(tx postgres.Tx) error {
		if err := c.reservations.admit(ctx, tx, r, nil); err != nil {
			return err
		}
		return c.reservations.Save(ctx, tx, r)
	})
}

// PayChange stores the payment of a pending change and makes the change. The rooms of one that has ended are tried again; if they are sold, the
// booking stays as it was and the payment is refunded. The change is stored with the payment: if this call is interrupted, the watch
// completes it. PayChange returns ErrRoomUnavailable, and stores nothing, if an assigned room belongs to another guest in the added nights.
func (c *Changer) PayChange(ctx context.Context, r *Reservation, i Intent, within Within) (_ *Reservation, err error) {
	p := r.Change.Plan
	if over := i.kept() - r.dueUnder(p.Reserved); over > 0 {
		if i, err = refund(ctx, c.payments, r, i, i.refund(Surplus, over), Surplus); err != nil {
			return nil, err
		}
	}
	p.Releases, p.Paid = append(slices.Clone(p.Releases), r.Change.held()...), &i.ID
	r.Change = nil
	r.Collect(i)
	r.prepare(&p, c.now())
	if err := within(ctx, func(tx postgres.Tx) error { return c.reservations.Save(ctx, tx, r) }); err != nil {
		return nil, err
	}
	stored := *r
	changed, err := c.Complete(ctx, r)
	switch {
	case err == nil:
		return changed, nil
	case errors.Is(err, ErrOverbooked):
		return c.reservations.Get(ctx, access.Scope{Tenant: r.Tenant}, r.ID)
	default: // the watch completes it
		return &stored, nil
	}
}

// giveBack refunds the payment of a change that inventory has refused.
func (c *Changer) giveBack(ctx context.Context, r *Reservation) error {
	paid := r.Saga.Plan.Paid
	if paid == nil {
		return nil
	}
	i, err := c.payments.Intent(ctx, r.Tenant, *paid)
	if err != nil || i.kept() <= 0 {
		return err
	}
	if i, err = refund(ctx, c.payments, r, i, i.refund(BoughtNothing, i.kept()), BoughtNothing); err != nil {
		return err
	}
	r.Learn(i)
	return nil
}
