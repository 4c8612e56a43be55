// Package sweepdrafts ends drafts whose time has run out, and deletes those that ended a day ago.
package sweepdrafts

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/flags"
	"melmastoon.ghasi.io/shared/fn"
)

// Function closes the drafts whose time has run out. The scheduler ticks it every minute.
var Function = fn.Scheduled(fn.Spec{
	Name:     "tenantbooking-sweepdrafts",
	Schedule: "* * * * *",
	Uses:     fn.Uses{fn.Postgres, fn.Documents, fn.Upstream("reservation"), fn.Upstream("payment")},
	Emits:    fn.Emits{tenantbooking.DraftAbandonedV1, tenantbooking.DraftConvertedV1, tenantbooking.StepCompletedV1, tenantbooking.ErrorEncounteredV1},
	Timeout:  50 * time.Second,
}, New)

// batch bounds one look, so that a backlog never holds much in memory.
const batch = 200

type sweeper struct {
	drafts  tenantbooking.Drafts
	settler *tenantbooking.Settler
	flags   *flags.Flags
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Tick, error) {
	return (&sweeper{tenantbooking.OpenDrafts(e), tenantbooking.OpenSettler(e), tenantbooking.OpenFlags(e)}).sweep, nil
}

// sweep closes batches until one comes back short. Each draft is closed inside its own hotel: a run that is cut off loses
// nothing and repeats nothing, and two runs share the work. One draft that cannot be closed keeps no other open, but ends
// the run after its batch.
func (s *sweeper) sweep(ctx context.Context, _ time.Time) error {
	s.flags.Refresh(ctx) // the door does it for functions that have one
	for {
		due, err := s.drafts.Due(ctx, batch)
		if err != nil {
			return err
		}
		var failed []error
		for _, d := range due {
			failed = append(failed, s.close(ctx, d))
		}
		if err := errors.Join(failed...); err != nil || len(due) < batch {
			return err
		}
	}
}

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
