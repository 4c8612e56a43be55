package booking

import (
	"context"
	"fmt"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/reservation"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A CancelRequest is a guest's request to cancel a confirmed booking. Penalty is the penalty that the guest was shown; without it any
// penalty is accepted. A dry run changes nothing.
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

// maximum returns the highest penalty that the guest accepts, or nil if the request has no penalty. It returns ErrPenaltyChanged if
// the penalty is not in the currency of the reservation.
func (c CancelRequest) maximum(r Reservation) (*money.Micro, error) {
	shown, given := c.Penalty.Get()
	if !given {
		return nil, nil //nolint:nilnil // no maximum
	}
	if shown.Currency != r.Totals.Currency {
		return nil, ErrPenaltyChanged.Saying("The cancellation is charged in another currency than was shown. Check the amount before you continue.")
	}
	amount, err := shown.Micro()
	return &amount.Micro, err
}

// A Cancellation holds the penalty of a cancellation, and the part of the paid amount that is refunded.
type Cancellation struct {
	Penalty money.Minor `json:"penalty"`
	Refund  money.Minor `json:"refund"`
}

// cancellationFrom converts the amounts to minor units. It returns an error if an amount cannot be converted exactly.
func cancellationFrom(a reservation.Applied) (out Cancellation, err error) {
	if out.Penalty, err = (money.Amount{Micro: a.Penalty, Currency: a.Currency}).Minor(); err != nil {
		return out, err
	}
	out.Refund, err = money.Amount{Micro: a.Refund, Currency: a.Currency}.Minor()
	return out, err
}

// Terms returns the penalty and the refund of a cancelled reservation. The reservation must be [Reservation.Cancelled].
func (r Reservation) Terms() (Cancellation, error) { return cancellationFrom(r.Cancellation.Applied) }

// Cancel cancels a confirmed reservation for its guest and returns the terms. A dry run only returns the terms. Cancel returns
// [ErrIllegalTransition] if the reservation has ended or the stay has begun, and [ErrPenaltyChanged] if the penalty is higher than the
// one that the guest was shown. A repeated call with the same key returns the same result.
func (r Reservations) Cancel(ctx context.Context, b Reservation, c CancelRequest, key string) (after Reservation, terms Cancellation, err error) {
	defer wrapServiceError(ReservationsName, &err)
	maximum, err := c.maximum(b)
	if err != nil {
		return after, terms, err
	}
	in := reservation.CancelRequest{ReasonCode: "guest_cancelled", DryRun: c.DryRun, Max: maximum}
	out, err := r.client.CancelReservation(ctx, b.Tenant, b.ID, key, in)
	if err != nil {
		return after, terms, fmt.Errorf("reservations: cancel %s: %w", b.ID, err)
	}
	terms, err = cancellationFrom(out.Applied)
	if err != nil || out.ID != b.ID || out.State != cancelled && !c.DryRun {
		return after, terms, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("reservations: cancel %s: the answer is incomplete, or for another reservation", b.ID))
	}
	return Reservation{out.Reservation}, terms, nil
}

// cancelled is the state of a cancelled reservation.
const cancelled = "cancelled"

// Cancelled reports whether the reservation was cancelled and has the terms of its cancellation.
func (r Reservation) Cancelled() bool { return r.State == cancelled && r.Cancellation != nil }

// An Access is a caller's request for access to a booking: the id of its reservation, and the view token or "".
type Access struct {
	Reservation id.Reservation
	Token       string
}
