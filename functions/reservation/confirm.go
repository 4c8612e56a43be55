package reservation

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Claim says that a reservation has been paid for. It is not believed: the payment service is asked.
type Claim struct {
	Scope
	Reservation id.Reservation
	Intent      *id.Intent // nil: cash on arrival, promised now
	Method      Method     // as the caller says; empty where the intent alone tells
}

// A Within runs f in the one transaction that a use case writes in: the tenant's, or that of an event's inbox.
type Within func(ctx context.Context, f func(postgres.Tx) error) error

// stock is what confirming needs of inventory.
type stock interface {
	Hold(context.Context, *Reservation, Hold) (HoldResult, error)
	Commit(context.Context, *Reservation, Hold) error
	Release(context.Context, *Reservation, []id.Allocation) error
}

// till is what confirming needs of payment.
type till interface {
	Intent(context.Context, id.Tenant, id.Intent) (Intent, error)
	Promise(context.Context, *Reservation) (Intent, error)
	Refund(context.Context, id.Tenant, Refund, Cause) error
}

// A Confirmer confirms reservations. A call and the event of the capture both use it, at the same time if need be:
// whichever comes first wins, and the other finds it done.
type Confirmer struct {
	reservations Reservations
	stock        stock
	till         till
	now          func() time.Time
}

// OpenConfirmer opens what confirming needs.
func OpenConfirmer(e env.Env) *Confirmer {
	return &Confirmer{reservations: OpenReservations(e), stock: OpenInventory(e), till: OpenPayments(e), now: e.Now}
}

// Confirm makes a reservation the guest's for good, or says why not: ErrNotCaptured, ErrHoldExpired (no money has come),
// ErrOverbooked (the hold was over, the rooms are sold; the reservation is cancelled and its money asked back) or
// ErrIllegalTransition (it stands on another payment or was cancelled; this money is given back). Doing it again, or
// going on where an attempt was cut off, does it once.
func (c *Confirmer) Confirm(ctx context.Context, claim Claim, within Within) (r *Reservation, err error) {
	err = Again(ctx, func() error {
		r, err = c.attempt(ctx, claim, within)
		return err
	})
	return r, err
}

func (c *Confirmer) attempt(ctx context.Context, claim Claim, within Within) (*Reservation, error) {
	r, err := c.reservations.Get(ctx, claim.Scope, claim.Reservation)
	if err != nil || r.PaidBy(claim.Intent) {
		return r, err
	}
	intent, err := c.intent(ctx, r, claim)
	if err != nil {
		return nil, err
	}
	if refused := r.Accepts(intent); refused != nil {
		return nil, c.giveBack(ctx, r, intent, refused)
	}
	hold, err := c.rooms(ctx, r, intent)
	if errors.Is(err, ErrOverbooked) {
		return nil, c.soldOut(ctx, r, intent, within)
	}
	if err != nil {
		return nil, err
	}
	// Before the reservation is saved: an attempt that is cut off here is repeated, one that has saved is not.
	if back, over := r.Surplus(intent); over {
		if err := c.till.Refund(ctx, r.Tenant, back, Surplus); err != nil {
			return nil, err
		}
	}
	if err := r.Confirm(intent, hold, c.now()); err != nil {
		return nil, err
	}
	return r, c.save(ctx, r, within, BookingConfirmed)
}

// intent asks the payment service what the claim is worth. Cash is promised only for rooms that are held, or that an attempt
// that was cut off has committed in time.
func (c *Confirmer) intent(ctx context.Context, r *Reservation, claim Claim) (Intent, error) {
	if claim.Intent == nil {
		switch r.EffectiveState() {
		case Held:
			return c.till.Promise(ctx, r)
		case ExpiredHold:
			if err := c.stock.Commit(ctx, r, r.Hold); err != nil {
				return Intent{}, err
			}
			return c.till.Promise(ctx, r)
		}
		return Intent{}, ErrIllegalTransition
	}
	intent, err := c.till.Intent(ctx, r.Tenant, *claim.Intent)
	if err == nil && claim.Method != "" && claim.Method != intent.Method {
		return Intent{}, fault.ErrValidation.With(fault.Violation{Pointer: "/method", Rule: "match", Message: "is not the method of the payment intent"})
	}
	return intent, err
}

// rooms commits the rooms of the hold, or holds and commits the same rooms again if the hold is over. However late it is,
// the original allocations are committed first: an earlier attempt may have committed them in time and failed before it
// saved that. Inventory keeps committed rooms when the hold expires.
func (c *Confirmer) rooms(ctx context.Context, r *Reservation, i Intent) (Hold, error) {
	err := c.stock.Commit(ctx, r, r.Hold)
	if !errors.Is(err, ErrHoldExpired) || i.kept() == 0 { // only money asks for rooms a second time
		return r.Hold, err
	}
	// If inventory has lost one of several rooms, the others may still be held and stand in the way of their own guest.
	if err := c.stock.Release(ctx, r, r.Hold.Allocations); err != nil {
		return Hold{}, err
	}
	for attempt := range maxHoldRetries {
		hold := r.retryHold(i.ID, attempt)
		placed, err := c.stock.Hold(ctx, r, hold)
		if err == nil {
			err = c.stock.Commit(ctx, r, hold)
		}
		if !errors.Is(err, ErrHoldExpired) {
			return hold.placed(placed), err
		}
	}
	return Hold{}, ErrOverbooked // by no more ids can they be asked for: the money goes back, rather than wait for ever
}

// soldOut ends a reservation whose rooms are gone, and has its money asked back.
func (c *Confirmer) soldOut(ctx context.Context, r *Reservation, i Intent, within Within) error {
	if err := r.CancelSoldOut(i, c.now()); err != nil {
		return err
	}
	if err := c.save(ctx, r, within, BookingCancelled); err != nil {
		return err
	}
	return ErrOverbooked
}

// giveBack returns what the intent has brought and what an attempt with it may have taken, where nothing can come of it
// any more. The refusal is returned, so that a failure here is the only other outcome.
func (c *Confirmer) giveBack(ctx context.Context, r *Reservation, i Intent, refused error) error {
	if stray := r.OrphanedAllocations(i); stray != nil {
		if err := c.stock.Release(ctx, r, stray); err != nil {
			return err
		}
	}
	if back, refundable := r.RefundableAmount(i); refundable {
		if err := c.till.Refund(ctx, r.Tenant, back, BoughtNothing); err != nil {
			return err
		}
	}
	return refused
}

func (c *Confirmer) save(ctx context.Context, r *Reservation, within Within, told func(*Reservation) event.Draft) error {
	return within(ctx, func(tx postgres.Tx) error {
		return c.reservations.Save(ctx, tx, r, told(r))
	})
}
