package fn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Sweep is the [Tick] of a function that ends, one by one, what is due. Due lists at most so many of those that come after a
// given one, in an order that does not change; the zero D comes before all. End ends one, in transactions of its own, and does
// nothing where somebody else was faster: ticks may overlap, and share the work.
//
// A tick goes on batch after batch until nothing is due, and always forward: what cannot be ended is tried once a tick, and
// what comes after it has its turn. When too little time is left to end one more it stops, and what this process sweeps
// next begins there: so not even many that take all their time keep others from their turn. What failed is the tick's error.
func Sweep[D any](due func(ctx context.Context, after D, most int) ([]D, error), end func(context.Context, D) error) Tick {
	return (&sweep[D]{due: due, end: end}).tick
}

const (
	sweepBatch    = 200             // bounds one look, so that a backlog never holds much in memory
	sweepPatience = 5 * time.Second // with one of them; no use case takes longer
	sweepReserve  = 6 * time.Second // what must be left to begin one more, and still to answer
)

type sweep[D any] struct {
	due func(context.Context, D, int) ([]D, error)
	end func(context.Context, D) error

	mu   sync.Mutex
	from D // where a tick has stopped for want of time
}

func (s *sweep[D]) tick(ctx context.Context, _ time.Time) error {
	var failed failures
	for at := s.begin(); ; {
		batch, err := s.due(ctx, at, sweepBatch)
		if err != nil {
			return errors.Join(failed.err(), err)
		}
		for _, d := range batch {
			if !timeFor(ctx, sweepReserve) {
				s.goOn(at)
				return errors.Join(failed.err(), ctx.Err())
			}
			failed.add(s.one(ctx, d))
			at = d
		}
		if len(batch) < sweepBatch {
			return failed.err()
		}
	}
}

func (s *sweep[D]) one(ctx context.Context, d D) error {
	ctx, cancel := context.WithTimeout(ctx, sweepPatience)
	defer cancel()
	return s.end(ctx, d)
}

// begin is where a tick begins: only once where another has stopped, for what is before it waits too.
func (s *sweep[D]) begin() (from D) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, s.from = s.from, from
	return from
}

func (s *sweep[D]) goOn(from D) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from = from
}

// timeFor reports whether ctx lasts that long.
func timeFor(ctx context.Context, d time.Duration) bool {
	until, bounded := ctx.Deadline()
	return ctx.Err() == nil && (!bounded || time.Until(until) >= d)
}

// failures are errors of which there may be any number. They are told together, and the first of them in full.
type failures struct {
	first []error
	more  int
}

func (f *failures) add(err error) {
	switch {
	case err == nil:
	case len(f.first) < 10:
		f.first = append(f.first, err)
	default:
		f.more++
	}
}

func (f *failures) err() error {
	if f.more == 0 {
		return errors.Join(f.first...)
	}
	return errors.Join(append(f.first, fmt.Errorf("and %d more", f.more))...)
}
