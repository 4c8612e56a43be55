package booking

import (
	"time"

	"melmastoon.ghasi.io/shared/event"
)

// A Step is the answer of another service that a reservation waits for.
type Step string

// The steps.
const (
	AwaitInventory    Step = "await_inventory"    // inventory's event that it has taken the rooms of a hold
	AwaitPayment      Step = "await_payment"      // the payment of a hold
	AwaitKeys         Step = "await_keys"         // the keys of the assigned rooms
	AwaitReallocation Step = "await_reallocation" // other rooms or nights for a change: see Plan
	AwaitRelease      Step = "await_release"      // the release of rooms that a change has given up: see Plan
)

// A Saga is the step that a reservation waits for. The zero Saga waits for nothing.
type Saga struct {
	Pending  Step       `db:"pending_step"`
	Since    *time.Time `db:"step_since"` // nil also if it was stored by older code
	Attempts int        `db:"step_attempts"`
	Plan     *Plan      `db:"step_plan"` // of AwaitReallocation and AwaitRelease
}

// await sets the step that the reservation waits for from now on.
func (r *Reservation) await(s Step, now time.Time) {
	now = event.Time(now)
	r.Saga = Saga{Pending: s, Since: &now}
}
