package booking

import (
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/account"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A CheckOut records the check-out of a reservation.
type CheckOut struct {
	StartedAt  time.Time       `json:"startedAt"`
	By         access.Actor    `json:"actor"` // who started it; once completed, who completed it
	At         *time.Time      `json:"checkedOutAt,omitzero"`
	Folio      *Folio          `json:"folio,omitzero"`
	Forced     bool            `json:"forced,omitzero"` // completed although something was left unpaid
	Reason     Text            `json:"reason,omitzero"`
	Overstayed int             `json:"overstayedNights"`
	Early      *EarlyDeparture `json:"earlyCheckout,omitzero"`
}

// A Folio is the guest's bill, as the front desk settled it.
type Folio struct {
	ID       Reference      `json:"folioId"`
	Balance  money.Micro    `json:"finalBalanceMicro"` // left on the bill, such as what a company pays later
	Currency money.Currency `json:"currency"`
	Settled  bool           `json:"settled"` // stored as false if the check-out was forced
}

// carries reports whether the folio has an amount that the guest leaves unpaid.
func (f Folio) carries(due money.Micro, c money.Currency) bool {
	return due == 0 || f.Currency == c && f.Balance >= due
}

// An EarlyDeparture is the result of leaving before the last day.
type EarlyDeparture struct {
	Applied     Applied         `json:"policyApplied"`
	Refunds     []Refund        `json:"paymentRefundsRequested"`
	From        stay.Date       `json:"from"`       // the first night that was not slept
	Price       money.Micro     `json:"priceMicro"` // of the nights slept, with the penalty
	Allocations []id.Allocation `json:"inventoryAllocationIds"`
}

// A LeaveWish is a request to check a guest out.
type LeaveWish struct {
	By      access.Actor
	Manager bool   // may force
	Folio   *Folio // nil: the check-out only starts
	Force   bool   // also if something is left unpaid
	Reason  Text
}

// errForce rejects a forced check-out by a caller who is not a manager.
var errForce = fault.ErrForbidden.Saying("Only a manager can check a guest out who leaves something unpaid.")

// LeavesEarly reports whether a check-out now would complete before the day of departure at the property. Its refund needs what
// the payment service knows.
func (r *Reservation) LeavesEarly(now time.Time) bool {
	return (r.State == CheckedIn || r.State == CheckoutStarted) && r.Local.Date(now).Before(r.Stay.End)
}

// Leave checks the guests of all rooms out and returns the events in order. It returns ErrGuestsExpected until each room has arrived or is
// given up. Without a folio, the check-out only starts. Unless a manager forces the check-out, Leave returns ErrFolioUnsettled for a folio
// that is not settled, and ErrBalanceDue for an amount due that the folio does not carry. Repeated, it changes nothing and returns no event.
func (r *Reservation) Leave(w LeaveWish, now time.Time) (events []event.Draft, err error) {
	before := *r
	defer func() {
		if err != nil {
			*r = before // what is due is known only once the nights not slept are released
		}
	}()
	switch {
	case w.Force && !w.Manager:
		return nil, errForce
	case r.State == CheckoutStarted && w.Folio == nil:
		return nil, nil
	case r.State == CheckedOut && w.Folio != nil && r.CheckOut.repeats(*w.Folio):
		return nil, nil
	case r.State != CheckedIn && r.State != CheckoutStarted:
		return nil, r.illegal()
	case r.Saga.Plan != nil:
		return nil, errChanging
	case w.Folio != nil && !w.Folio.Settled && !w.Force:
		return nil, ErrFolioUnsettled
	}
	if expected := r.expected(); r.State == CheckedIn && len(expected) > 0 {
		return nil, ErrGuestsExpected.Showing(map[string]any{"expectedRooms": len(expected)})
	}
	if r.State == CheckedIn {
		if err := r.startCheckOut(w, now); err != nil {
			return nil, err
		}
		events = append(events, CheckOutBegun(r))
	}
	if w.Folio == nil {
		return events, nil
	}
	for r.Overstay(now) { // what the watch has not published yet
		events = append(events, GuestOverstayed(r))
	}
	if err := r.finishCheckOut(w, now); err != nil {
		return nil, err
	}
	if r.CheckOut.Early != nil {
		events = append(events, GuestLeftEarly(r))
	}
	return append(events, GuestCheckedOut(r)), nil
}

// repeats reports whether the check-out was completed with that folio.
func (c CheckOut) repeats(f Folio) bool {
	f.Settled = f.Settled && !c.Forced
	return f == *c.Folio
}

// startCheckOut starts the check-out. The guest is still in the room, so keys that are outstanding stay so.
func (r *Reservation) startCheckOut(w LeaveWish, now time.Time) error {
	outstanding := r.Saga
	if err := r.move(r.State, CheckoutStarted); err != nil {
		return err
	}
	r.Saga = outstanding
	r.CheckOut = &CheckOut{StartedAt: event.Time(now), By: w.By, Reason: w.Reason}
	return nil
}

// finishCheckOut completes the check-out. The lock service revokes the keys when it consumes the event.
func (r *Reservation) finishCheckOut(w LeaveWish, now time.Time) error {
	today, done := r.Local.Date(now), *r.CheckOut // a night is slept if its midnight has passed
	if today.Before(r.Stay.End) {
		done.Early = r.leaveEarly(today, now)
	}
	folio, due := *w.Folio, r.due()
	if folio.Settled = folio.Settled && folio.carries(due, r.Currency); !folio.Settled && !w.Force {
		return ErrBalanceDue.Showing(map[string]any{"dueMicro": due, "currency": r.Currency})
	}
	if err := r.move(r.State, CheckedOut); err != nil {
		return err
	}
	left := event.Time(now)
	done.At, done.By, done.Folio, done.Forced = &left, w.By, &folio, !folio.Settled
	done.Overstayed = len(r.overstayed(now))
	if w.Reason != "" {
		done.Reason = w.Reason
	}
	r.CheckOut = &done
	r.revokeKeys(r.itemIDs()...)
	r.roomsChange(today)
	return nil
}

// leaveEarly releases the allocations and requests the refund of what was paid beyond the nights slept and the penalty.
func (r *Reservation) leaveEarly(from stay.Date, now time.Time) *EarlyDeparture {
	retained, early := r.earlyPenalty(from), &EarlyDeparture{From: from, Allocations: r.Hold.Allocations}
	left := *r.CheckOut
	left.Early = early
	r.CheckOut = &left
	r.post(account.Posting{Cause: account.ByEarlyLeave, At: now}, retained...)
	early.Price = r.priceDue()
	early.Applied = Applied{
		Ref: r.policyRef(), Eligible: max(0, r.Payment.kept()-early.Price), Penalty: account.Sum(retained), Currency: r.Currency,
	}
	early.Refunds = r.refunds(early.Applied.Eligible, "early check-out")
	r.Hold.Outcome = Released
	r.Payment.Requested = append(slices.Clone(r.Payment.Requested), early.Refunds...)
	return early
}

// A checkoutStarted is the payload of CheckoutStartedV1.
type checkoutStarted struct {
	reference
	StartedAt time.Time    `json:"startedAt"`
	Items     []id.Item    `json:"itemIds"`
	Actor     access.Actor `json:"actor"`
}

// CheckOutBegun returns the event for a check-out that has started.
func CheckOutBegun(r *Reservation) event.Draft {
	return r.event(CheckoutStartedV1, checkoutStarted{
		reference: r.reference(), StartedAt: r.CheckOut.StartedAt, Items: r.itemIDs(), Actor: r.CheckOut.By,
	})
}

// GuestLeftEarly returns the event for a guest who leaves before the last day.
func GuestLeftEarly(r *Reservation) event.Draft {
	e := r.CheckOut.Early
	return r.event(EarlyCheckoutV1, released{
		reference: r.reference(), OccurredAt: *r.CheckOut.At, Actor: r.CheckOut.By, Applied: e.Applied, Penalty: e.Applied.Penalty,
		Currency: e.Applied.Currency, Allocations: e.Allocations, Refunds: e.Refunds,
	})
}

// A checkedOut is the payload of CheckedOutV1.
type checkedOut struct {
	reference
	CheckedOutAt time.Time      `json:"checkedOutAt"`
	Early        bool           `json:"earlyCheckout"`
	Overstayed   int            `json:"overstayedNights"`
	Folio        Folio          `json:"folio"`
	Rooms        []AssignedRoom `json:"rooms"`
	Actor        access.Actor   `json:"actor"`
}

// GuestCheckedOut returns the event for a completed check-out.
func GuestCheckedOut(r *Reservation) event.Draft {
	c := r.CheckOut
	return r.event(CheckedOutV1, checkedOut{
		reference: r.reference(), CheckedOutAt: *c.At, Early: c.Early != nil, Overstayed: c.Overstayed, Folio: *c.Folio,
		Rooms: r.Rooms(), Actor: c.By,
	})
}
