package booking

import (
	"slices"
	"time"
)

const (
	stuckAfter  = 2 * time.Hour  // time after which a payment without an outcome is counted for the alert draft-stuck
	forgetAfter = 24 * time.Hour // time after which the guest's details are removed from such a draft
)

// waiting returns how long the draft has been paying or confirming, by the database's clock.
func (d *Draft) waiting() time.Duration {
	since := d.AsOf
	for _, step := range slices.Backward(d.History) {
		if step.State != Paying && step.State != Confirming {
			break
		}
		since = step.At
	}
	return d.AsOf.Sub(since)
}

// forgetGuest removes the guest's details if the draft has waited longer than forgetAfter, and reports whether it removed any.
// The reservation keeps them.
func (d *Draft) forgetGuest() bool {
	if d.Guest == nil || d.waiting() < forgetAfter {
		return false
	}
	d.Guest = nil
	d.Version++
	return true
}
