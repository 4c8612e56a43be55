package booking

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A CancelRequest is a guest's request to cancel a confirmed booking, optionally with the penalty that the guest was shown. A dry
// run changes nothing.
type CancelRequest struct {
	DryRun  bool
	Penalty fn.Maybe[money.Minor]
}

// Validate returns an error for an invalid penalty.
func (c CancelRequest) Validate() error {
	if shown, given := c.Penalty.Get(); given {
		if _, err := shown.Micro(); err != nil || shown.Amount < 0 {
			return fault.ErrValidation.With(fault.Violation{Pointer: "/penalty", Rule: "form", Message: "must be an amount in a known currency, with its exponent"})
		}
	}
	return nil
}

// maximum returns the highest penalty that the guest accepts, or nil if the guest was shown none. It returns ErrPenaltyChanged if the
// guest was shown another currency.
func (c CancelRequest) maximum(r Reservation) (*money.Micro, error) {
	shown, given := c.Penalty.Get()
	if !given {
		return nil, nil //nolint:nilnil // no maximum
	}
	if shown.Currency != r.Totals.Currency {
		return nil, ErrPenaltyChanged
	}
	amount, err := shown.Micro()
	return &amount.Micro, err
}

// A Cancellation is what the cancellation of a booking costs, and what of the paid amount is refunded.
type Cancellation struct {
	Penalty money.Minor `json:"penalty"`
	Refund  money.Minor `json:"refund"`
}

// applied is the policy in a response of the reservation service.
type applied struct {
	Penalty  money.Micro    `json:"penaltyMicro"`
	Refund   money.Micro    `json:"refundEligibilityMicro"`
	Currency money.Currency `json:"currency"`
}

// toMinor converts the amounts. It returns an error if one cannot be converted exactly.
func (a applied) toMinor() (out Cancellation, err error) {
	if out.Penalty, err = (money.Amount{Micro: a.Penalty, Currency: a.Currency}).Minor(); err != nil {
		return out, err
	}
	out.Refund, err = money.Amount{Micro: a.Refund, Currency: a.Currency}.Minor()
	return out, err
}

// A CancelledReservation is the part of a cancelled reservation that this service reads.
type CancelledReservation struct {
	At      time.Time `json:"cancelledAt"`
	Applied applied   `json:"policyApplied"`
}

// Terms returns what the cancellation cost.
func (c CancelledReservation) Terms() (Cancellation, error) { return c.Applied.toMinor() }

// Cancel cancels a confirmed reservation for its guest, or returns in a dry run what this would cost. It returns
// [ErrIllegalTransition] if the reservation has ended or the stay has begun, and [ErrPenaltyChanged] if the cancellation costs more
// than the guest was shown. A repeated call with the same key returns the same result.
func (r Reservations) Cancel(ctx context.Context, b Reservation, c CancelRequest, key string) (after Reservation, terms Cancellation, err error) {
	defer wrapServiceError(ReservationsName, &err)
	maximum, err := c.maximum(b)
	if err != nil {
		return after, terms, err
	}
	in := struct {
		ReasonCode string       `json:"reasonCode"`
		DryRun     bool         `json:"dryRun,omitzero"`
		Max        *money.Micro `json:"maxPenaltyMicro,omitzero"`
	}{"guest_cancelled", c.DryRun, maximum}
	var out struct {
		Reservation
		Applied applied `json:"policyApplied"`
	}
	if err := r.withRetry.Post(ctx, "/"+b.ID.String()+"/cancel", in, &out, upstream.Tenant(b.Tenant), upstream.Key(key)); err != nil {
		return after, terms, fmt.Errorf("reservations: cancel %s: %w", b.ID, err)
	}
	terms, err = out.Applied.toMinor()
	if err != nil || out.ID != b.ID || out.State != cancelled && !c.DryRun {
		return after, terms, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: cancel %s: the answer is incomplete, or for another reservation", b.ID))
	}
	return out.Reservation, terms, nil
}

// cancelled is the state of a cancelled reservation.
const cancelled = "cancelled"

// Cancelled reports whether the reservation was cancelled.
func (r Reservation) Cancelled() bool { return r.State == cancelled && r.Cancellation != nil }

// An Access is a caller's claim to a booking: the id of its reservation, and a view token if the caller has one.
type Access struct {
	Reservation id.Reservation
	Token       string
}
