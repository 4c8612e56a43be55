package fn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Sweep returns the [Tick] of a function that ends due items one by one. Due lists at most the given number of items after a
// given one, in a stable order; the zero D precedes all. End ends one item in its own transactions, and does nothing if the item
// has already ended: ticks may overlap and share the work.
//
// A tick processes batch after batch until no item is due. An item that fails is tried once per tick and does not block the
// items after it. If too little time is left for another item, the tick stops, and the next tick of this process starts there;
// so slow items cannot starve the others. The tick returns the errors of all failed items.
func Sweep[D any](due func(ctx context.Context, after D, most int) ([]D, error), end func(context.Context, D) error) Tick {
	return (&sweep[D]{due: due, end: end}).tick
}

const (
	sweepBatch    = 200             // bounds one query, and so the memory that a backlog needs
	sweepPatience = 5 * time.Second // timeout per item; no use case takes longer
	sweepReserve  = 6 * time.Second // time that must be left to begin another item and still answer
)

type sweep[D any] struct {
	due func(context.Context, D, int) ([]D, error)
	end func(context.Context, D) error

	mu   sync.Mutex
	from D // where the last tick ran out of time
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

// begin returns the start of a tick and resets it: only one tick starts where another has stopped, because the items before it
// wait too.
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

// timeFor reports whether ctx lasts at least d.
func timeFor(ctx context.Context, d time.Duration) bool {
	until, bounded := ctx.Deadline()
	return ctx.Err() == nil && (!bounded || time.Until(until) >= d)
}

// failures collects any number of errors. It keeps the first ten and counts the rest.
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
