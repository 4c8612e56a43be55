package booking

import (
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/stay"
)

// Overstay records the next night that the guest has spent in the house without a price, and returns true if there is one that was not
// recorded before. The state stays. With a change in progress it records nothing, because the change may price the night.
func (r *Reservation) Overstay(now time.Time) (recorded bool) {
	if r.State != CheckedIn && r.State != CheckoutStarted || r.Saga.Plan != nil {
		return false
	}
	for _, night := range r.overstayed(now) {
		if r.OverstayedOn == nil || r.OverstayedOn.Before(night) {
			r.OverstayedOn = &night
			r.Version++
			return true
		}
	}
	return false
}

// overstayed returns the nights without a price that have begun: the midnight that ends the date has passed at the property. They are
// the nights from the day of departure on, and earlier ones if the stay was extended later.
func (r *Reservation) overstayed(now time.Time) (nights []stay.Date) {
	priced := map[stay.Date]bool{}
	for _, item := range r.Items {
		for _, n := range item.Nights {
			priced[n.Date] = true
		}
	}
	for _, night := range (stay.Window{Start: r.Stay.Start, End: r.Local.Date(now)}).Dates() {
		if !priced[night] {
			nights = append(nights, night)
		}
	}
	return nights
}

// An overstayed is the payload of OverstayedV1.
type overstayed struct {
	reference
	OccurredAt time.Time    `json:"occurredAt"`
	Actor      access.Actor `json:"actor"`
}

// GuestOverstayed returns the event of the night that Overstay has recorded. It occurred when that night began, also if the watch
// was late.
func GuestOverstayed(r *Reservation) event.Draft {
	return r.event(OverstayedV1, overstayed{reference: r.reference(), OccurredAt: event.Time(r.Local.Midnight(r.OverstayedOn.AddDays(1))), Actor: saga()})
}
