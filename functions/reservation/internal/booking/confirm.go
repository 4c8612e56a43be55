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
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Claim states that a reservation has been paid for. It is not trusted: Confirm asks the payment service.
type Claim struct {
	access.Scope
	Reservation id.Reservation
	Intent      *id.Intent // nil: cash on arrival, the promise is created now
	Method      Method     // as the caller states it; empty: not checked against the intent

	Allows func(version int64) bool // reports whether If-Match allows the version; nil: all
}

// A Within runs f in the transaction of the use case: a tenant transaction, or the one of an event's inbox.
type Within func(ctx context.Context, f func(postgres.Tx) error) error

// inventoryService is the part of Inventory that confirming needs.
type inventoryService interface {
	Hold(context.Context, *Reservation, Hold) (HoldResult, error)
	Commit(context.Context, *Reservation, Hold) error
	Release(context.Context, *Reservation, []id.Allocation) error
}

// paymentService is the part of Payments that confirming needs.
type paymentService interface {
	Intent(context.Context, id.Tenant, id.Intent) (Intent, error)
	Promise(context.Context, *Reservation) (Intent, error)
	Refund(context.Context, id.Tenant, Refund, Cause) error
}

// A Confirmer confirms reservations. The confirm endpoint and the handler of payment captures use it and may run
// concurrently: the first one confirms, the second one finds the reservation confirmed.
type Confirmer struct {
	reservations Reservations
	inventory    inventoryService
	payments     paymentService
	now          func() time.Time
	payChange    func(context.Context, *Reservation, Intent, Within) (*Reservation, error) // the change that an intent pays for
}

// OpenConfirmer opens a Confirmer with its store and clients.
func OpenConfirmer(e env.Env, up Upstreams) *Confirmer {
	return &Confirmer{reservations: OpenReservations(e), inventory: up.Inventory, payments: up.Payments, now: e.Now, payChange: OpenChanger(e, up).PayChange}
}

// Confirm confirms a reservation. It returns
//
// - ErrNotCaptured if the money has not been captured,
// - ErrHoldExpired if the hold expired before a payment,
// - ErrTooMuchHeld if a promise of cash does not fit into the quota,
// - ErrOverbooked if the hold expired and the rooms are sold; the reservation is then cancelled and a refund requested,
// - ErrIllegalTransition if another payment confirmed the reservation or it was cancelled; this payment is then refunded.
//
// Confirm is idempotent and resumes an interrupted attempt.
func (c *Confirmer) Confirm(ctx context.Context, claim Claim, within Within) (r *Reservation, err error) {
	err = Again(ctx, func() error {
		r, err = c.attempt(ctx, claim, within)
		return err
	})
	return r, err
}

func (c *Confirmer) attempt(ctx context.Context, claim Claim, within Within) (*Reservation, error) {
	r, err := c.reservations.Get(ctx, claim.Scope, claim.Reservation)
	if err != nil || r.PaidBy(claim.Intent) && !r.mayHaveCollected(claim.Intent) {
		return r, err
	}
	if claim.Allows != nil && !claim.Allows(int64(r.Version)) {
		return nil, fault.ErrStale
	}
	intent, err := c.intent(ctx, r, claim)
	if err != nil {
		return nil, err
	}
	if r.paysChange(intent) {
		if r.waitsForRooms() {
			return nil, errChanging
		}
		return c.payPendingChange(ctx, *r, intent, within)
	}
	if r.canUse(intent) {
		return r, c.collect(ctx, r, intent, within)
	}
	refused := r.Accepts(intent)
	if errors.Is(refused, ErrOverbooked) {
		return nil, c.soldOut(ctx, r, intent, within)
	}
	if refused != nil {
		return nil, c.giveBack(ctx, r, intent, refused)
	}
	if intent.kept() == 0 && r.EffectiveState() == Held { // the rooms are promised beyond the hold: the guest's contact data count too
		if err := c.reservations.Admit(ctx, r, nil); err != nil {
			return nil, err
		}
	}
	hold, err := c.rooms(ctx, r, intent)
	if errors.Is(err, ErrOverbooked) {
		return nil, c.soldOut(ctx, r, intent, within)
	}
	if err != nil {
		return nil, err
	}
	// Refund before saving: an attempt interrupted here is repeated, a saved one is not.
	if back, over := r.Surplus(intent); over {
		if intent, err = refund(ctx, c.payments, r, intent, back, Surplus); err != nil {
			return nil, err
		}
	}
	if err := r.Confirm(intent, hold, c.now()); err != nil {
		return nil, err
	}
	return r, c.save(ctx, r, within, ReservationConfirmed)
}

// payPendingChange makes the change that an intent pays for, or refunds the intent if an assigned room is not free for it.
func (c *Confirmer) payPendingChange(ctx context.Context, r Reservation, i Intent, within Within) (*Reservation, error) {
	before := r
	changed, err := c.payChange(ctx, &r, i, within)
	if !errors.Is(err, ErrRoomUnavailable) {
		return changed, err
	}
	if i, err = c.payments.Intent(ctx, r.Tenant, i.ID); err != nil { // a surplus may be refunded already
		return nil, err
	}
	return nil, c.giveBack(ctx, &before, i, ErrIllegalTransition)
}

// collect stores a capture that pays what a booked reservation owes: promised cash, or the balance after a change. The
// surplus is refunded. It publishes no event, because the reservation is confirmed already.
func (c *Confirmer) collect(ctx context.Context, r *Reservation, i Intent, within Within) (err error) {
	if i.Captured <= 0 {
		return nil // promised cash that has not been collected
	}
	if back, over := r.Surplus(i); over {
		if i, err = refund(ctx, c.payments, r, i, back, Surplus); err != nil {
			return err
		}
	}
	r.Collect(i)
	return within(ctx, func(tx postgres.Tx) error { return c.reservations.Save(ctx, tx, r) })
}

// intent returns the payment intent of the claim. It creates a cash promise only if the rooms are held, or if an
// interrupted attempt committed them in time.
func (c *Confirmer) intent(ctx context.Context, r *Reservation, claim Claim) (Intent, error) {
	if claim.Intent == nil {
		if r.over() {
			return Intent{}, ErrHoldExpired
		}
		switch r.EffectiveState() {
		case Held:
			return c.payments.Promise(ctx, r)
		case ExpiredHold:
			if err := c.inventory.Commit(ctx, r, r.Hold); err != nil {
				return Intent{}, err
			}
			return c.payments.Promise(ctx, r)
		default:
			return Intent{}, r.illegal()
		}
	}
	intent, err := c.payments.Intent(ctx, r.Tenant, *claim.Intent)
	if err == nil && claim.Method != "" && claim.Method != intent.Method {
		return Intent{}, fault.ErrValidation.With(fault.Violation{Pointer: "/method", Rule: "match", Message: "is not the method of the payment intent"})
	}
	return intent, err
}

// rooms commits the rooms of the hold. If the hold has expired, it holds and commits the same rooms again. It always
// tries the original allocations first: an earlier attempt may have committed them in time and failed before it saved.
// Inventory keeps committed rooms when the hold expires.
func (c *Confirmer) rooms(ctx context.Context, r *Reservation, i Intent) (Hold, error) {
	err := c.inventory.Commit(ctx, r, r.Hold)
	if !errors.Is(err, ErrHoldExpired) || i.kept() == 0 { // only a captured payment justifies a second hold
		return r.Hold, err
	}
	// If inventory has lost one of several rooms, the others may still be held and would block the new hold.
	if err := c.inventory.Release(ctx, r, r.Hold.Allocations); err != nil {
		return Hold{}, err
	}
	for attempt := range maxHoldRetries {
		hold := r.retryHold(i.ID, attempt)
		placed, err := c.inventory.Hold(ctx, r, hold)
		if err == nil {
			err = c.inventory.Commit(ctx, r, hold)
		}
		if !errors.Is(err, ErrHoldExpired) {
			return hold.placed(placed), err
		}
	}
	return Hold{}, ErrOverbooked // out of derived ids: refund instead of retrying forever
}

// refund asks the payment service for a refund of an intent of the reservation, and returns the intent after it.
func refund(ctx context.Context, p paymentService, r *Reservation, i Intent, back Refund, cause Cause) (Intent, error) {
	if err := p.Refund(ctx, r.Tenant, back, cause); err != nil {
		return Intent{}, err
	}
	return i.refunded(back), nil
}

// soldOut cancels a reservation whose rooms are sold, or whose guest was expected before, and requests a refund. It returns ErrOverbooked.
func (c *Confirmer) soldOut(ctx context.Context, r *Reservation, i Intent, within Within) error {
	if err := r.CancelSoldOut(i, c.now()); err != nil {
		return err
	}
	if err := c.save(ctx, r, within, ReservationCancelled); err != nil {
		return err
	}
	return ErrOverbooked
}

// giveBack refunds an intent that can no longer confirm the reservation and releases rooms that an attempt with it may
// hold. It returns refused, or the error of the refund or release.
func (c *Confirmer) giveBack(ctx context.Context, r *Reservation, i Intent, refused error) error {
	if orphaned := r.OrphanedAllocations(i); orphaned != nil {
		if err := c.inventory.Release(ctx, r, orphaned); err != nil {
			return err
		}
	}
	if back, refundable := r.RefundableAmount(i); refundable {
		if err := c.payments.Refund(ctx, r.Tenant, back, BoughtNothing); err != nil {
			return err
		}
	}
	return refused
}

func (c *Confirmer) save(ctx context.Context, r *Reservation, within Within, newEvent func(*Reservation) event.Draft) error {
	return within(ctx, func(tx postgres.Tx) error {
		return c.reservations.Save(ctx, tx, r, newEvent(r))
	})
}
