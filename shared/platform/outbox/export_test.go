package outbox

import "time"

// WithLongTimeouts returns the outbox with time enough to publish after a commit on a machine that is busy with other tests.
func (o *Outbox) WithLongTimeouts() *Outbox {
	patient := *o
	patient.draining.publish, patient.draining.finish, patient.draining.lease = 10*time.Second, 10*time.Second, 30*time.Second
	return &patient
}
