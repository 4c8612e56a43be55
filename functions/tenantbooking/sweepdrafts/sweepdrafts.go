// Package sweepdrafts ends drafts whose time has run out, and deletes those that ended a day ago.
package sweepdrafts

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function closes the drafts whose time has run out. The scheduler ticks it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:      "tenantbooking-sweepdrafts",
	Schedule:  "* * * * *",
	Uses:      fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation"), fn.Upstream("payment")},
	Publishes: fn.Subjects{tenantbooking.DraftAbandonedV1, tenantbooking.DraftConvertedV1, tenantbooking.StepCompletedV1, tenantbooking.ErrorEncounteredV1},
	Timeout:   50 * time.Second,
}, New)

type sweeper struct {
	drafts  tenantbooking.Drafts
	settler *tenantbooking.Settler
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Tick, error) {
	s := &sweeper{tenantbooking.OpenDrafts(e), tenantbooking.OpenSettler(e)}
	sweep, flags := fn.Sweep(s.drafts.Due, s.close), tenantbooking.OpenFlags(e)
	return func(ctx context.Context, now time.Time) error {
		flags.Refresh(ctx) // the middleware does it for functions that have one
		return sweep(ctx, now)
	}, nil
}

// close ends one draft, inside its own hotel.
func (s *sweeper) close(ctx context.Context, due tenantbooking.Due) error {
	draft, err := s.drafts.Any(ctx, due)
	switch {
	case errors.Is(err, tenantbooking.ErrNotFound):
		return nil // another run has forgotten it
	case err != nil:
		return err
	case draft.AsOf.Before(draft.ExpiresAt):
		return nil // its guest has come back
	case draft.State.Ended():
		return s.drafts.Forget(ctx, draft)
	}
	if err := s.settler.Close(ctx, draft); !errors.Is(err, fault.ErrVersionConflict) {
		return err
	}
	return nil // its guest has just come back
}
