package outbox

import (
	"fmt"
	"time"
)

// Patient returns the outbox with time enough to publish after a commit on a machine that is busy with other tests.
func (o *Outbox) Patient() *Outbox {
	patient := *o
	patient.draining.publish, patient.draining.finish, patient.draining.lease = 10*time.Second, 10*time.Second, 30*time.Second
	return &patient
}

// Stepping returns the outbox with a function that is called after each step of each turn. An error from it ends the
// turn right there and leaves everything as it lies, as if the process had been killed.
func (o *Outbox) Stepping(step func(Step) error) *Outbox {
	stepping := *o
	stepping.step = func(s Step) error {
		if err := step(s); err != nil {
			return fmt.Errorf("outbox: halted after %s: %w", s, err)
		}
		return nil
	}
	return &stepping
}
