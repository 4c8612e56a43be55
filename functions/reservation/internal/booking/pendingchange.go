package booking

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A PendingChange is a change of dates that the guest of a paid booking asked for and that costs more than was paid. It takes effect when
// the guest pays. Until then the booking stays as it is, and inventory holds the added nights. No sweep ends it: after Until it counts for
// nothing, and inventory ends its rooms. Only a late payment still uses it, if the rooms are free.
type PendingChange struct {
	Plan   Plan            `json:"plan"`
	Held   []id.Allocation `json:"heldAllocationIds"` // of the added nights
	Until  time.Time       `json:"until"`
	Nights int             `json:"unpaidRoomNights"` // of the booking after the change
}

// held returns the allocations of the pending change, if any.
func (p *PendingChange) held() []id.Allocation {
	if p == nil {
		return nil
	}
	return p.Held
}

// prepaid reports whether the guest paid before arrival. Cash is collected at the hotel, also for what a change adds.
func (r *Reservation) prepaid() bool {
	return r.Payment.PaymentStatus == Captured && !slices.ContainsFunc(r.Payment.Intents, func(p IntentPayment) bool { return p.Method == CashOnArrival })
}

// fits reports whether the change is one of the booking as it is now.
func (p *PendingChange) fits(r *Reservation) bool {
	return p != nil && r.State == Confirmed && p.Plan.Reserved.Total-*p.Plan.PriceDelta == r.Total && slices.Equal(p.Plan.Releases, r.Hold.Allocations)
}

// pendingChange returns the change that the guest can still pay for in time, or nil.
func (r *Reservation) pendingChange() *PendingChange {
	if r.Change.fits(r) && r.AsOf.Before(r.Change.Until) {
		return r.Change
	}
	return nil
}

// paysChange reports whether the intent pays for the pending change. A late payment does, too, as long as a guest may change the dates.
func (r *Reservation) paysChange(i Intent) bool {
	return r.Change.fits(r) && r.AsOf.Before(*r.freeUntil()) && r.owns(i) && i.Currency == r.Currency && !r.paidByIntent(i.ID) &&
		i.kept() > 0 && i.kept() >= r.dueUnder(r.Change.Plan.Reserved)
}

// added returns the nights of a stay that the booking does not have, as stays.
func (r *Reservation) added(to Stay) (all []Stay) {
	if !to.Start.Before(r.Stay.End) || !r.Stay.Start.Before(to.End) {
		return []Stay{to}
	}
	if to.Start.Before(r.Stay.Start) {
		all = append(all, Stay{Start: to.Start, End: r.Stay.Start})
	}
	if r.Stay.End.Before(to.End) {
		all = append(all, Stay{Start: r.Stay.End, End: to.End})
	}
	return all
}

// awaitPayment stores a planned change as a pending one. The rooms of an earlier one are exchanged. It returns ErrOverbooked if
// the added nights are not available, and ErrTooMuchHeld if they do not fit into the quota.
func (c *Changer) awaitPayment(ctx context.Context, r *Reservation, p *Plan) (*Reservation, error) {
	ttl := time.Duration(r.Hold.TTL) * time.Second
	earlier, change := r.Change, &PendingChange{Plan: *p, Until: at(r.AsOf.Add(ttl)), Nights: r.unpaidOf(p.Reserved)}
	r.Change = change
	if err := c.reservations.Admit(ctx, r, nil); err != nil { // before rooms are asked for; a concurrent call may still be counted first, below
		return nil, err
	}
	replaced := earlier.held()
	for n, nights := range r.added(p.Reserved.Stay) {
		asked := *r
		asked.Stay = nights
		hold := asked.wanted(p.Modification.ID, "change/"+strconv.Itoa(n), ttl)
		hold.Replaces = replaced
		placed, err := c.inventory.Hold(ctx, &asked, hold)
		if err != nil {
			c.giveUp(ctx, r, change)
			return nil, err
		}
		change.Held, replaced = append(change.Held, hold.Allocations...), nil
		if until := at(placed.ExpiresAt); until.Before(change.Until) {
			change.Until = until
		}
	}
	r.Version++
	if err := c.saveWithinQuota(ctx, r); err != nil {
		if errors.Is(err, ErrTooMuchHeld) {
			c.giveUp(ctx, r, change)
		}
		return nil, err
	}
	return r, nil
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

// giveUp releases the rooms of a pending change that is not stored. If that fails, they become free when their hold expires.
func (c *Changer) giveUp(ctx context.Context, r *Reservation, change *PendingChange) {
	if len(change.Held) > 0 {
		_ = c.inventory.Release(ctx, r, change.Held)
	}
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
	p.Releases, p.Paid = append(slices.Clone(p.Releases), r.Change.Held...), &i.ID
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
		return c.reservations.Get(ctx, Scope{Tenant: r.Tenant}, r.ID)
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
