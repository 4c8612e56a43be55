package booking

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A RefundRecorder records the refunds that the payment service has executed.
type RefundRecorder struct {
	reservations Reservations
	payments     intentReader
	now          func() time.Time
}

// intentReader is the part of Payments that a RefundRecorder needs.
type intentReader interface {
	Intent(context.Context, id.Tenant, id.Intent) (Intent, error)
}

// OpenRefundRecorder opens a RefundRecorder with its store and client.
func OpenRefundRecorder(e env.Env, up Upstreams) *RefundRecorder {
	return &RefundRecorder{reservations: OpenReservations(e), payments: up.Payments, now: e.Now}
}

// A RefundClaim states that an intent was refunded. It is not trusted: Record asks the payment service.
type RefundClaim struct {
	access.Scope
	Event       id.Event
	Reservation id.Reservation
	Intent      id.Intent
}

// Record stores what was refunded of an intent. If the guest is in house, it publishes the balance before and after; it never
// asks for another refund. It returns ErrNotFound for an unknown reservation, and ErrForeign for an intent of another one.
func (s *RefundRecorder) Record(ctx context.Context, claim RefundClaim, within Within) error {
	return Again(ctx, func() error {
		r, err := s.reservations.Get(ctx, claim.Scope, claim.Reservation)
		if err != nil {
			return err
		}
		i, err := s.payments.Intent(ctx, claim.Tenant, claim.Intent)
		if err != nil {
			return err
		}
		changed, events, err := r.refunded(i, id.Derive[id.Modification](claim.Event, "refund"), s.now())
		if err != nil {
			return err
		}
		return within(ctx, func(tx postgres.Tx) error {
			if !changed {
				return nil
			}
			return s.reservations.Save(ctx, tx, r, events...)
		})
	})
}

// returned stores an intent that was captured after the cancellation and went back completely, so that the balance shows it. It reports
// whether it did.
func (r *Reservation) returned(i Intent) bool {
	if r.State != Cancelled || i.Captured == 0 || i.kept() != 0 || r.capturedOf(i.ID) > 0 {
		return false
	}
	r.pay(i)
	return true
}

// refunded stores the refunds of an intent that the reservation knows or that came after its cancellation. It returns the events to publish.
func (r *Reservation) refunded(i Intent, m id.Modification, now time.Time) (changed bool, events []event.Draft, err error) {
	if !r.owns(i) {
		return false, nil, errForeign
	}
	before := r.Balance()
	if !r.Learn(i) && !r.returned(i) {
		return false, nil, nil
	}
	if !r.State.inside() {
		r.Version++
		return true, nil, nil
	}
	after := r.Balance()
	change := Modification{ID: m, Type: RateChange, OccurredAt: event.Time(now), Actor: saga()}
	if err := r.modify(change, RateOf{Balance: &before}, RateOf{Balance: &after}); err != nil {
		return false, nil, err
	}
	return true, []event.Draft{ReservationModified(r)}, nil
}
