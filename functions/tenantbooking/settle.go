package tenantbooking

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// register is what settling needs of the reservation service.
type register interface {
	Get(context.Context, id.Tenant, id.Reservation) (Reservation, error)
	Confirm(context.Context, *Draft) (Reservation, error)
	Release(context.Context, *Draft) error
}

// till is what settling needs of the payment service.
type till interface {
	Get(context.Context, *Draft) (Paid, error)
}

// book is where drafts are kept.
type book interface {
	Save(context.Context, *Draft, ...event.Draft) error
}

// A Settler finds out what has become of drafts that are being paid for, and brings them to their end. The guest who comes
// back from the bank and the sweep both use it, at the same time if need be: whoever saves first wins, and the other finds
// it done.
type Settler struct {
	drafts       book
	reservations register
	payments     till
	now          func() time.Time
}

// OpenSettler opens what settling needs.
func OpenSettler(e env.Env) *Settler {
	return &Settler{drafts: OpenDrafts(e), reservations: OpenReservations(e), payments: OpenPayments(e), now: e.Now}
}

// A finding is what the reservation and the payment service say of a draft.
type finding struct {
	reservation Reservation
	paid        Paid   // zero where no payment was begun
	away        string // the service that did not answer
}

// ask finds out what has become of a draft, and converts it if its reservation is confirmed or its money has come. Either answer is
// enough: an error means that a service is away and the other one does not confirm the booking.
func (s *Settler) ask(ctx context.Context, d *Draft) (f finding, err error) {
	if f.reservation, err = s.reservations.Get(ctx, d.Tenant, d.Hold.Reservation); err != nil {
		f.away = ReservationsName
	}
	if f.reservation.Confirmed() {
		return f, s.convert(ctx, d)
	}
	if d.Payment == nil {
		return f, err
	}
	paid, unknown := s.payments.Get(ctx, d)
	if paid.Captured() {
		return f, s.Confirm(ctx, d)
	}
	if f.paid = paid; err == nil && unknown != nil {
		f.away, err = PaymentsName, unknown
	}
	return f, err
}

// Payable is nil if the guest may begin a payment: the rooms are held and not paid for. A draft that is paid for is converted and one whose
// reservation was cancelled fails; both are ErrDraftClosed. An error that a service caused comes with that service's name.
func (s *Settler) Payable(ctx context.Context, d *Draft) (upstream string, err error) {
	if d.State.unpaid() || d.State.Ended() {
		if err := d.May(Pays); err != nil {
			return "", err
		}
	}
	f, err := s.ask(ctx, d)
	switch {
	case err != nil:
		return f.away, err
	case d.State.Ended():
		return "", ErrDraftClosed
	case f.reservation.State == "cancelled", f.paid.Status == "failed": // an intent that failed takes its reservation with it
		return "", s.fail(ctx, d, ErrDraftClosed, ReservationsName)
	case f.reservation.State == "expired_hold":
		return "", ErrHoldExpired
	case f.reservation.State != "held":
		return "", ErrIllegalStep
	}
	return "", d.May(Pays)
}

// Returned is for a guest who comes back from the bank. It is nil if the reservation is confirmed, ErrDeclined if the
// bank has refused since the last time that this was shown, and else ErrPending.
func (s *Settler) Returned(ctx context.Context, d *Draft) error {
	if d.State == Confirmed {
		return nil
	}
	if err := d.May(Settles); err != nil {
		return err
	}
	f, err := s.ask(ctx, d)
	declined := f.paid.Attempts > d.Declines
	switch {
	case err != nil || d.State == Confirmed:
		return err
	case f.paid.Promised():
		return ErrIllegalStep // a promise is confirmed, not returned with
	case f.paid.Status == "failed" && declined:
		return s.fail(ctx, d, ErrDeclined, PaymentsName)
	case f.paid.Status == "failed", f.reservation.State == "cancelled":
		return s.fail(ctx, d, ErrDraftClosed, ReservationsName)
	case declined:
		return s.decline(ctx, d, f.paid.Attempts)
	}
	return ErrPending
}

// ErrPending says that a payment is still under way. No caller is shown it.
var ErrPending = errors.New("the payment is pending")

// Accepted is for a guest who confirms the booking without a bank. A promise of cash is confirmed; of another payment it is found out whether its
// money has come, and if not, the error is ErrIllegalStep.
func (s *Settler) Accepted(ctx context.Context, d *Draft) error {
	if d.State == Confirmed {
		return nil
	}
	if err := d.May(Settles); err != nil {
		return err
	}
	if d.Payment.Method == CashOnArrival {
		return s.Confirm(ctx, d)
	}
	_, err := s.ask(ctx, d)
	if err == nil && d.State != Confirmed {
		err = ErrIllegalStep
	}
	return err
}

// Confirm has the reservation confirmed, and ends the draft. The draft says first that this is under way, so that whoever
// goes on after an attempt that was cut off knows that it may have been done.
func (s *Settler) Confirm(ctx context.Context, d *Draft) error {
	if d.State == Confirmed {
		return nil
	}
	events, err := d.Settle(s.now())
	if err != nil {
		return err
	}
	if events != nil {
		if err := s.drafts.Save(ctx, d, events...); err != nil {
			return err
		}
	}
	_, err = s.reservations.Confirm(ctx, d)
	if err != nil && isFinal(err) {
		return s.fail(ctx, d, err, ReservationsName)
	}
	if err != nil {
		return err
	}
	return s.convert(ctx, d)
}

func (s *Settler) convert(ctx context.Context, d *Draft) error {
	events, err := d.Convert(s.now())
	if err != nil {
		return err
	}
	return s.drafts.Save(ctx, d, events...)
}

// fail ends the draft unless its reservation was confirmed after all, which another may have done.
func (s *Settler) fail(ctx context.Context, d *Draft, why error, upstream string) error {
	r, err := s.reservations.Get(ctx, d.Tenant, d.Hold.Reservation)
	if err != nil {
		return err
	}
	if r.Confirmed() {
		return s.convert(ctx, d)
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

// decline shows the guest that the bank has refused so often. The draft goes on.
func (s *Settler) decline(ctx context.Context, d *Draft, times int) error {
	d.Declines = times
	if err := s.drafts.Save(ctx, d, d.Shown(ErrDeclined, PaymentsName, s.now())); err != nil {
		return err
	}
	return ErrDeclined
}

// Abandon ends a draft whose guest has walked away, and gives its rooms back. What is paid for is not left: it ends
// confirmed, and ErrDraftClosed says so. Leaving twice is leaving once.
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
	// The draft first: once it is over, no payment can begin for the rooms that are given back.
	if err := s.abandon(ctx, d); err != nil {
		return err
	}
	return s.release(ctx, d)
}

func (s *Settler) abandonPaying(ctx context.Context, d *Draft) error {
	_, err := s.ask(ctx, d)
	if err == nil && !d.State.Ended() {
		if err = d.May(Abandons); err == nil {
			err = s.giveUp(ctx, d, s.cancel) // also rooms that are over: the bank's page may still be open, and money take them again
		}
	}
	if err == nil && d.State == Confirmed {
		return ErrDraftClosed
	}
	return err
}

// giveUp ends a draft with an unpaid payment. The rooms first: giving them up is refused if the money has just come and
// confirmed them; after it, money that comes is given back by the reservation service.
func (s *Settler) giveUp(ctx context.Context, d *Draft, rooms func(context.Context, *Draft) error) error {
	if err := rooms(ctx, d); err != nil {
		return err
	}
	r, err := s.reservations.Get(ctx, d.Tenant, d.Hold.Reservation)
	if err != nil {
		return err
	}
	if r.Confirmed() {
		return s.convert(ctx, d)
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

// release gives rooms back that are still held. Those that are not any more need nothing.
func (s *Settler) release(ctx context.Context, d *Draft) error {
	if !d.held() {
		return nil
	}
	return s.cancel(ctx, d)
}

// cancel gives rooms up, unless they are confirmed or given up already.
func (s *Settler) cancel(ctx context.Context, d *Draft) error {
	if err := s.reservations.Release(ctx, d); err != nil && !errors.Is(err, errIllegalTransition) {
		return err
	}
	return nil
}

// Close is for the sweep. It brings a lapsed draft to its end. One that is being paid for is asked about: what is confirmed is converted, what is
// still pending, or may be paid in another way while its rooms are held, is looked at again later.
func (s *Settler) Close(ctx context.Context, d *Draft) error {
	if d.State.unpaid() {
		return s.Abandon(ctx, d)
	}
	f, err := s.ask(ctx, d)
	switch {
	case err != nil || d.State.Ended():
		return quietly(err, d)
	case d.State == Confirming && f.paid.Promised():
		return quietly(s.Confirm(ctx, d), d)
	case d.State == Confirming:
		return quietly(s.fail(ctx, d, ErrNotCaptured, PaymentsName), d)
	case !d.held() && (f.paid.Over() || f.paid.Promised() || f.reservation.State == "cancelled"):
		return s.giveUp(ctx, d, s.release)
	}
	d.Wait(s.now())
	return s.drafts.Save(ctx, d)
}

// quietly is nil when the draft has come to its end: nobody is there to be told why.
func quietly(err error, d *Draft) error {
	if d.State.Ended() && isFinal(err) || errors.Is(err, ErrNotCaptured) && d.State == Failed {
		return nil
	}
	return err
}
