package booking

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
)

// reservationService is the part of the reservation service that a Settler uses.
type reservationService interface {
	Get(context.Context, id.Tenant, id.Reservation) (Reservation, error)
	Confirm(context.Context, *Draft) (Reservation, error)
	Release(context.Context, *Draft) error
}

// paymentService is the part of the payment service that a Settler uses.
type paymentService interface {
	Get(context.Context, *Draft) (PaymentState, error)
}

// draftStore is the part of the draft store that a Settler uses.
type draftStore interface {
	Save(context.Context, *Draft, ...event.Draft) error
}

// A Settler finds the outcome of drafts that are being paid for, and ends them. The guest's return from the payment
// provider and the sweep may run it at the same time: the first to save wins, and the other finds the draft ended.
type Settler struct {
	drafts       draftStore
	reservations reservationService
	payments     paymentService
	now          func() time.Time
}

// OpenSettler returns a Settler with its clients and store.
func OpenSettler(e env.Env) *Settler {
	return &Settler{drafts: OpenDrafts(e), reservations: OpenReservations(e), payments: OpenPayments(e), now: e.Now}
}

// A remoteState is the state of a draft at the reservation and the payment service.
type remoteState struct {
	reservation Reservation
	paid        PaymentState // zero if no payment was begun
}

// refresh reads the draft's reservation and payment, and converts the draft if its reservation is confirmed or its money was
// captured. One answer is enough for that: refresh returns an error only if a service did not answer and the other one
// does not confirm the booking.
func (s *Settler) refresh(ctx context.Context, d *Draft) (f remoteState, err error) {
	f.reservation, err = s.reservations.Get(ctx, d.Tenant, d.Hold.Reservation)
	if f.reservation.Confirmed() {
		return f, s.convert(ctx, d, f.reservation)
	}
	if d.Payment == nil {
		return f, err
	}
	paid, unknown := s.payments.Get(ctx, d)
	if paid.Captured() {
		return f, s.Confirm(ctx, d)
	}
	if f.paid = paid; err == nil {
		err = unknown
	}
	return f, err
}

// Payable returns nil if the guest may begin a payment: the rooms are held and not paid for. It converts a paid draft
// and fails a draft whose reservation was cancelled, and returns ErrDraftClosed for both.
func (s *Settler) Payable(ctx context.Context, d *Draft) error {
	if d.State.unpaid() || d.State.Ended() {
		if err := d.May(Pays); err != nil {
			return err
		}
	}
	f, err := s.refresh(ctx, d)
	switch {
	case err != nil:
		return err
	case d.State.Ended():
		return ErrDraftClosed
	case f.reservation.State == "cancelled", f.paid.Status == "failed": // a failed intent also cancels its reservation
		if err := s.fail(ctx, d, ErrDraftClosed, ReservationsName); err != nil {
			return err
		}
		return ErrDraftClosed // the reservation was confirmed meanwhile
	case f.reservation.State == "expired_hold" && f.paid.underWay():
		return ErrIllegalStep.Saying("A payment is under way. Wait for its result before you pay again or ask for a new quote.")
	case f.reservation.State == "expired_hold":
		return ErrHoldExpired
	case f.reservation.State != "held":
		return ErrIllegalStep
	}
	return d.May(Pays)
}

// Returned settles a draft whose guest returns from the payment provider. It returns nil if the reservation is
// confirmed, ErrDeclined if the latest attempt was declined and the guest was not shown that yet, and otherwise a PendingError. While a
// further attempt is under way, the declines before it count as shown: the guest must not pay again.
func (s *Settler) Returned(ctx context.Context, d *Draft) error {
	if d.State == Confirmed {
		return nil
	}
	if err := d.May(Confirms); err != nil {
		return err
	}
	f, err := s.refresh(ctx, d)
	declined := f.paid.Attempts > d.Declines
	switch {
	case err != nil || d.State == Confirmed:
		return err
	case f.paid.CashOnArrival():
		return ErrIllegalStep // cash on arrival is confirmed by Accepted
	case f.paid.Status == "failed" && declined:
		return s.fail(ctx, d, ErrDeclined.Saying("The payment was declined, and this booking has ended."), PaymentsName)
	case f.paid.Status == "failed", f.reservation.State == "cancelled":
		return s.fail(ctx, d, ErrDraftClosed, ReservationsName)
	case declined && f.paid.underWay():
		d.skipDeclines(f.paid.Attempts)
		if err := s.drafts.Save(ctx, d); err != nil {
			return err
		}
	case declined:
		return s.decline(ctx, d, f.paid.Attempts)
	}
	return &PendingError{f.paid}
}

// A PendingError reports that a payment has no outcome yet, with its state. It is never returned to a client.
type PendingError struct{ Payment PaymentState }

// View returns the representation of the payment for the guest.
func (e *PendingError) View() Pending { return Pending{e.Payment.Status, e.Payment.Secret} }

func (e *PendingError) Error() string { return "the payment is pending: " + e.Payment.Status }

// Accepted settles a draft whose guest confirms the booking without a payment page. It confirms a booking that is paid
// in cash on arrival. For any other payment method it returns ErrIllegalStep, unless the money was captured.
func (s *Settler) Accepted(ctx context.Context, d *Draft) error {
	if d.State == Confirmed {
		return nil
	}
	if err := d.May(Confirms); err != nil {
		return err
	}
	if d.Payment.Method == hotel.CashOnArrival {
		return s.Confirm(ctx, d)
	}
	_, err := s.refresh(ctx, d)
	if err == nil && d.State != Confirmed {
		err = ErrIllegalStep
	}
	return err
}

// Confirm confirms the reservation and ends the draft. It saves the confirming state first, so that a retry after an
// interruption knows that the reservation may be confirmed already.
func (s *Settler) Confirm(ctx context.Context, d *Draft) error {
	if d.State == Confirmed {
		return nil
	}
	events, err := d.StartConfirming(s.now())
	if err != nil {
		return err
	}
	if events != nil {
		if err := s.drafts.Save(ctx, d, events...); err != nil {
			return err
		}
	}
	confirmed, err := s.reservations.Confirm(ctx, d)
	if err != nil && d.Payment.Method != hotel.CashOnArrival {
		err = afterPayment(err)
	}
	if err != nil && isFinal(err) {
		return s.fail(ctx, d, err, ReservationsName)
	}
	if err != nil {
		return err
	}
	return s.convert(ctx, d, confirmed)
}

func (s *Settler) convert(ctx context.Context, d *Draft, r Reservation) error {
	events, err := d.Convert(r, s.now())
	if err != nil {
		return err
	}
	return s.drafts.Save(ctx, d, events...)
}

// fail ends the draft, unless its reservation was confirmed concurrently.
func (s *Settler) fail(ctx context.Context, d *Draft, why error, upstream string) error {
	r, err := s.reservations.Get(ctx, d.Tenant, d.Hold.Reservation)
	if err != nil {
		return err
	}
	if r.Confirmed() {
		return s.convert(ctx, d, r)
	}
	events, err := d.Fail(why, upstream, s.now())
	if err != nil {
		return err
	}
	if err := s.drafts.Save(ctx, d, events...); err != nil {
		return err
	}
	return why
}

// decline records the number of declined attempts that the guest is shown. The draft does not end.
func (s *Settler) decline(ctx context.Context, d *Draft, times int) error {
	d.Declines = times
	if err := s.drafts.Save(ctx, d, d.RecordError(ErrDeclined, PaymentsName, s.now())); err != nil {
		return err
	}
	return ErrDeclined
}

// Abandon ends a draft and releases its rooms. A paid draft ends confirmed instead, and Abandon returns ErrDraftClosed.
// Abandoning a draft twice has no further effect.
func (s *Settler) Abandon(ctx context.Context, d *Draft) error {
	switch {
	case d.State == Abandoned:
		return s.release(ctx, d)
	case d.State == Paying, d.State == Confirming:
		return s.abandonPaying(ctx, d)
	}
	if err := d.May(Abandons); err != nil {
		return err
	}
	// End the draft first: after that no payment can begin for the released rooms.
	if err := s.abandon(ctx, d); err != nil {
		return err
	}
	return s.release(ctx, d)
}

func (s *Settler) abandonPaying(ctx context.Context, d *Draft) error {
	_, err := s.refresh(ctx, d)
	if err == nil && !d.State.Ended() {
		if err = d.May(Abandons); err == nil {
			err = s.abandonUnpaid(ctx, d, s.cancel) // even an expired hold: a payment on the open page would renew it
		}
	}
	if err == nil && d.State == Confirmed {
		return ErrDraftClosed
	}
	return err
}

// abandonUnpaid ends a draft whose payment is not complete. It cancels the reservation first: the reservation service refuses
// that if the money has just arrived and confirmed it, and afterwards refunds money that arrives late.
func (s *Settler) abandonUnpaid(ctx context.Context, d *Draft, rooms func(context.Context, *Draft) error) error {
	if err := rooms(ctx, d); err != nil {
		return err
	}
	r, err := s.reservations.Get(ctx, d.Tenant, d.Hold.Reservation)
	if err != nil {
		return err
	}
	if r.Confirmed() {
		return s.convert(ctx, d, r)
	}
	return s.abandon(ctx, d)
}

func (s *Settler) abandon(ctx context.Context, d *Draft) error {
	events, err := d.Abandon(s.now())
	if err != nil {
		return err
	}
	return s.drafts.Save(ctx, d, events...)
}

// release cancels the hold if it has not expired.
func (s *Settler) release(ctx context.Context, d *Draft) error {
	if !d.held() {
		return nil
	}
	return s.cancel(ctx, d)
}

// cancel cancels the reservation. It ignores the error of a reservation that is confirmed or cancelled already.
func (s *Settler) cancel(ctx context.Context, d *Draft) error {
	if err := s.reservations.Release(ctx, d); err != nil && !errors.Is(err, ErrIllegalTransition) {
		return err
	}
	return nil
}

// Close ends a lapsed draft; the sweep calls it. If a payment was begun, Close reads its state: it converts the draft if
// the reservation is confirmed, and postpones the check if the payment is pending or if the guest may still pay in
// another way while the rooms are held. Close counts a payment that has no outcome after two hours, and removes the guest's
// details after a day.
func (s *Settler) Close(ctx context.Context, d *Draft) error {
	if d.State.unpaid() {
		return s.Abandon(ctx, d)
	}
	if d.forgetGuest() {
		if err := s.drafts.Save(ctx, d); err != nil {
			return err
		}
	}
	err := s.closePaying(ctx, d)
	if !d.State.Ended() && d.waiting() >= stuckAfter {
		observe.Count(ctx, observe.StuckDrafts)
	}
	return err
}

func (s *Settler) closePaying(ctx context.Context, d *Draft) error {
	f, err := s.refresh(ctx, d)
	switch {
	case err != nil || d.State.Ended():
		return ignoreFinal(err, d)
	case d.State == Confirming && f.paid.CashOnArrival():
		return ignoreFinal(s.Confirm(ctx, d), d)
	case d.State == Confirming:
		return ignoreFinal(s.fail(ctx, d, ErrNotCaptured, PaymentsName), d)
	case !d.held() && (f.paid.Closed() || f.paid.CashOnArrival() || f.reservation.State == "cancelled"):
		return s.abandonUnpaid(ctx, d, s.release)
	}
	d.Wait(s.now())
	return s.drafts.Save(ctx, d)
}

// ignoreFinal returns nil instead of err if the draft has ended: the sweep has no guest to show the error to.
func ignoreFinal(err error, d *Draft) error {
	if d.State.Ended() && isFinal(err) || errors.Is(err, ErrNotCaptured) && d.State == Failed {
		return nil
	}
	return err
}
