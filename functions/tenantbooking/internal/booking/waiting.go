package booking

import (
	"slices"
	"time"
)

const (
	stuckAfter  = 2 * time.Hour  // time after which a payment without an outcome needs a person
	forgetAfter = 24 * time.Hour // time after which such a draft keeps the guest's details no longer
)

// paidFor returns how long the draft has waited for the outcome of its payments, by the database's clock.
func (d *Draft) paidFor() time.Duration {
	since := d.AsOf
	for _, step := range slices.Backward(d.History) {
		if step.State != Paying && step.State != Confirming {
			break
		}
		since = step.At
	}
	return d.AsOf.Sub(since)
}

// forgetGuest removes the guest's details from a draft that has been paid for too long, and reports whether it had any. The
// reservation has them since the payment began.
func (d *Draft) forgetGuest() bool {
	if d.Guest == nil || d.paidFor() < forgetAfter {
		return false
	}
	d.Guest = nil
	d.Version++
	return true
}
