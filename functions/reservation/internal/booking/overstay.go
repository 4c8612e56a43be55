package booking

import (
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/stay"
)

// Overstay records the next night that the guest stays beyond the day of departure. It returns true if there is one that was not
// recorded before: first the check-out time on the day of departure begins one, then each midnight at the property does. The state
// stays. With a change in progress it records nothing, because the change may move the day of departure.
func (r *Reservation) Overstay(now time.Time) (recorded bool) {
	if r.State != CheckedIn && r.State != CheckoutStarted || r.Saga.Plan != nil {
		return false
	}
	night := r.Stay.End
	if r.OverstayedOn != nil && !r.OverstayedOn.Before(night) {
		night = r.OverstayedOn.AddDays(1)
	}
	if now.Before(r.overstaysFrom(night)) {
		return false
	}
	r.OverstayedOn = &night
	r.Version++
	return true
}

// overstaysFrom returns the time from which a guest who is still in the house overstays on that night.
func (r *Reservation) overstaysFrom(night stay.Date) time.Time {
	if night == r.Stay.End {
		return r.checkOutUntil()
	}
	return r.Local.midnight(night)
}

// An overstayed is the payload of OverstayedV1.
type overstayed struct {
	reference
	OccurredAt time.Time `json:"occurredAt"`
	Actor      Actor     `json:"actor"`
}

// GuestOverstayed returns the event of the night that Overstay has recorded. It occurred when that night began, also if the watch
// was late.
func GuestOverstayed(r *Reservation) event.Draft {
	return r.event(OverstayedV1, overstayed{reference: r.reference(), OccurredAt: at(r.overstaysFrom(*r.OverstayedOn)), Actor: saga()})
}
