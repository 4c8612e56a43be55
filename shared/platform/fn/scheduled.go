package fn

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// Scheduled returns a function that the scheduler ticks. A tick may come late, twice, or while another one runs.
func Scheduled(s Spec, build func(env.Env) (Tick, error)) Function {
	return Function{Spec: s.settled(), build: func(e env.Env, _ Spec) (endpoint, error) {
		tick, err := build(e)
		return tick, err
	}}
}

// act makes a Tick the endpoint of its function.
func (t Tick) act(ctx context.Context, r *http.Request, c *record) (answer, error) {
	if _, err := c.admit(ctx, r); err != nil {
		return answer{}, err
	}
	return acknowledged, again5xx(t(ctx, c.began))
}

// Sweep returns the [Tick] of a function that ends due items one by one. Due lists at most the given number of items after a
// given one, in a stable order; the zero D precedes all. End ends one item in its own transactions, and does nothing if the item
// has already ended: ticks may overlap and share the work.
//
// A tick processes batch after batch until no item is due. An item that fails is tried once per tick and does not block the
// items after it. If too little time is left for another item, the tick stops, and the next tick of this process starts there;
// so slow items cannot starve the others. The tick returns the errors of all failed items.
func Sweep[D any](due func(ctx context.Context, after D, limit int) ([]D, error), end func(context.Context, D) error) Tick {
	return (&sweep[D]{due: due, end: end}).tick
}

const (
	sweepBatch   = 200             // bounds one query, and so the memory that a backlog needs
	sweepTimeout = 5 * time.Second // timeout per item; no use case takes longer
	sweepReserve = 6 * time.Second // time that must be left to begin another item and still answer
	sweepErrors  = 10              // errors of a tick that are named; the others are counted
)

type sweep[D any] struct {
	due  func(context.Context, D, int) ([]D, error)
	end  func(context.Context, D) error
	from atomic.Pointer[D] // where the last tick ran out of time, or nil
}

func (s *sweep[D]) tick(ctx context.Context, _ time.Time) error {
	var at D
	if from := s.from.Swap(nil); from != nil { // for this tick only: the items before it wait, too
		at = *from
	}
	var failed []error
	for {
		batch, err := s.due(ctx, at, sweepBatch)
		if err != nil {
			return errors.Join(joined(failed), err)
		}
		for _, d := range batch {
			if !timeFor(ctx, sweepReserve) {
				s.from.Store(&at)
				return errors.Join(joined(failed), ctx.Err())
			}
			if err := s.one(ctx, d); err != nil {
				failed = append(failed, err)
			}
			at = d
		}
		if len(batch) < sweepBatch {
			return joined(failed)
		}
	}
}

func (s *sweep[D]) one(ctx context.Context, d D) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	return s.end(ctx, d)
}

// timeFor reports whether ctx lasts at least d.
func timeFor(ctx context.Context, d time.Duration) bool {
	until, bounded := ctx.Deadline()
	return ctx.Err() == nil && (!bounded || time.Until(until) >= d)
}

// joined returns the first errors and the number of the others as one error.
func joined(failed []error) error {
	if more := len(failed) - sweepErrors; more > 0 {
		failed = append(failed[:sweepErrors:sweepErrors], fmt.Errorf("and %d more", more))
	}
	return errors.Join(failed...)
}
