// Package sweepdrafts closes lapsed drafts, and deletes drafts that ended a day ago.
//
// A payment without an outcome is checked without end, but after 24 hours the guest's details are removed from its
// draft: the reservation has them.
package sweepdrafts

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function closes lapsed drafts. The scheduler calls it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:      "tenantbooking-sweepdrafts",
	Schedule:  "* * * * *",
	Uses:      fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation"), fn.Upstream("payment")},
	Publishes: fn.Subjects{subject.DraftAbandonedV1, subject.DraftConvertedV1, subject.StepCompletedV1, subject.ErrorEncounteredV1},
	Timeout:   50 * time.Second,
}, New)

type handler struct {
	drafts  booking.Drafts
	settler *booking.Settler
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Tick, error) {
	s := &handler{booking.OpenDrafts(e), booking.OpenSettler(e)}
	sweep, flags := fn.Sweep(s.drafts.Due, s.close), subject.OpenFlags(e)
	return func(ctx context.Context, now time.Time) error {
		flags.Refresh(ctx) // the middleware does this for functions that have one
		return sweep(ctx, now)
	}, nil
}

// close ends one draft, in its own tenant.
func (s *handler) close(ctx context.Context, due booking.Due) error {
	draft, err := s.drafts.Any(ctx, due)
	switch {
	case errors.Is(err, booking.ErrNotFound):
		return nil // another run has deleted it
	case err != nil:
		return err
	case draft.AsOf.Before(draft.ExpiresAt):
		return nil // its guest is active again
	case draft.State.Ended():
		return s.drafts.Forget(ctx, draft)
	}
	err = s.settler.Close(ctx, draft)
	if errors.Is(err, fault.ErrVersionConflict) || errors.Is(err, fault.ErrIdempotencyInProgress) {
		return nil // the guest is changing the draft; the next run checks it again
	}
	return err
}
