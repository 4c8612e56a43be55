package booking

import (
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
)

// The errors of this service, with the messages that clients read.
var (
	ErrNotFound          = fault.ErrNotFound
	ErrIllegalTransition = fault.New(fault.Conflict, "RESERVATION.ILLEGAL_TRANSITION", "The reservation is not in a state that allows this.")
	ErrBeforeArrival     = fault.New(fault.Conflict, "RESERVATION.BEFORE_ARRIVAL", "The guest arrives later, on arrivalDate.")
	ErrOverbooked        = fault.New(fault.Conflict, "RESERVATION.OVERBOOKING_BLOCKED", "These rooms are no longer available for these dates.")
	ErrHoldExpired       = fault.New(fault.Gone, "RESERVATION.HOLD_EXPIRED", "The rooms are no longer held. Ask for a new quote.")
	ErrQuoteExpired      = fault.New(fault.Gone, "BFF.TENANT.QUOTE_EXPIRED", "The quoted price is no longer valid. Ask for a new quote.")
	ErrRoomUnavailable   = fault.New(fault.Conflict, "RESERVATION.ROOM_UNAVAILABLE", "This room cannot be assigned: it is occupied, out of order, or of another type.")
	ErrGuestsExpected    = fault.New(fault.Conflict, "RESERVATION.GUESTS_EXPECTED", "Guests of expectedRooms rooms have not arrived. Remove these rooms or record a no-show first.")
	ErrFolioUnsettled    = fault.New(fault.Conflict, "RESERVATION.FOLIO_UNSETTLED", "The folio is not settled. A manager can check the guest out anyway.")
	ErrBalanceDue        = fault.New(fault.Conflict, "RESERVATION.BALANCE_DUE", "The guest still has to pay dueMicro, which the folio does not carry. A manager can check the guest out anyway.")
	ErrPenaltyChanged    = fault.New(fault.Conflict, "RESERVATION.PENALTY_CHANGED", "The cancellation now costs more than was shown.")
	ErrChangeNotAllowed  = fault.New(fault.Conflict, "RESERVATION.CHANGE_NOT_ALLOWED", "The rate of this booking no longer allows a change of dates. Contact the hotel.")
	ErrPriceChanged      = fault.New(fault.Conflict, "BFF.TENANT.PRICE_CHANGED", "The stay now costs more than was shown.")
	ErrTooMuchHeld       = ratelimit.ErrLimited.Saying("Too many rooms are held or booked without payment. Finish, pay for or cancel another booking, or try again later.")
	ErrTooManyRequests   = fault.New(fault.Conflict, "RESERVATION.REQUEST_LIMIT", "The reservation already has 20 special requests.")
	ErrNotCaptured       = fault.New(fault.Conflict, "PAYMENT.NOT_CAPTURED", "The payment for this reservation has not been captured.").After(2 * time.Second)
)

// illegal returns ErrIllegalTransition with the present state. Only staff read its sentence: the middleware gives guests the general one.
func (r *Reservation) illegal() error {
	return r.illegalBecause("The reservation is in the state " + string(r.EffectiveState()) + ", which does not allow this.")
}

// illegalBecause returns ErrIllegalTransition with the reason.
func (r *Reservation) illegalBecause(detail string) error {
	return ErrIllegalTransition.Saying(detail).Showing(map[string]any{"state": r.EffectiveState()})
}

// beforeArrival returns ErrBeforeArrival with the date.
func (r *Reservation) beforeArrival() error {
	detail := "Arrival is on " + r.Stay.Start.Time().Format("2 January 2006") + "."
	return ErrBeforeArrival.Saying(detail).Showing(map[string]any{"arrivalDate": r.Stay.Start})
}

// errStepStuck is the error of a saga step that has had more than five attempts. The tick answers 503: the watcher works, so that the
// step raises its own alert and not that of a schedule without success.
var errStepStuck = fault.New(fault.Unavailable, "RESERVATION.STEP_STUCK", "A step of a reservation does not end.")

// Final failures of a payment. Each is the cause of an ErrNotCaptured. An ErrNotCaptured without such a cause means
// that the money may still arrive.
var (
	ErrTooLittle = errors.New("the captured amount does not cover the stay; it is refunded")
	ErrForeign   = errors.New("the payment intent belongs to another reservation")

	errTooLittle = ErrNotCaptured.After(0).Because(ErrTooLittle)
	errForeign   = ErrNotCaptured.After(0).Because(ErrForeign)
)
