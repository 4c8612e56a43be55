package booking

import (
	"context"
	"errors"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/fault"
)

// closedDetails are the sentences of ErrDraftClosed by the final state of the draft. A guest who has paid must not be told to book again,
// so each sentence is also true for a guest whose money is on its way.
var closedDetails = map[State]string{
	Confirmed: "This booking was confirmed. See its confirmation.",
	Abandoned: "This booking was given up before it was confirmed. A payment that still arrives is refunded.",
	Failed:    "This booking could not be confirmed. A payment that has arrived or still arrives is refunded.",
}

// Explain returns an error of a call as its guest sees it. A problem of a draft shows the draft's state, and to its own session also the
// reservation once that is booked, so that a client need not guess from the code what has become of the booking.
func (r *Refusals) Explain(ctx context.Context, caller session.Session, shown error) error {
	d, f := flowOf(ctx).draft, fault.From(shown)
	if d == nil || f.Kind.Status() >= 500 {
		return shown
	}
	if f.Is(ErrDraftClosed) && closedDetails[d.State] != "" {
		f = f.Saying(closedDetails[d.State])
	}
	members := map[string]any{"flowState": d.State}
	if d.State == Confirmed && d.Session == caller.ID {
		members["reservationId"], members["reservationCode"] = d.Hold.Reservation, d.Hold.Code
	}
	return f.Showing(members)
}

// afterPayment returns an error of a confirmation whose money was captured, with a sentence for a guest who has paid.
func afterPayment(err error) error {
	f := fault.From(err)
	switch {
	case errors.Is(err, ErrNotCaptured) && f.RetryAfter > 0:
		return f.Saying("The payment was received and is being processed. Try again in a moment.")
	case errors.Is(err, ErrNotCaptured):
		return f.Saying("The payment was not the amount of the booking. It is refunded.")
	case isFinal(err):
		return f.Saying("The payment was received, but the rooms are no longer available. It is refunded.")
	}
	return err
}
