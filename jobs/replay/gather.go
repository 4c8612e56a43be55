package replay

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// What a run looks at in one topic at most, and how many topics at once.
const (
	maxLetters = 10_000
	maxBytes   = 64 << 20
	portion    = 500
	atOnce     = 8
)

// gather leases all that lies in the shelves, so that what is first is known before anything is sent. One that cannot be looked
// into keeps nobody from the others.
func (r *replayer) gather(ctx context.Context, shelves []*backlog) {
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, s := range shelves {
		group.Go(func() error {
			s.failed = r.fill(ctx, s)
			inOrder(s.letters)
			return nil
		})
	}
	_ = group.Wait() // each shelf has its own error
}

func (r *replayer) fill(ctx context.Context, s *backlog) error {
	for size := 0; ; {
		if s.more = len(s.letters) >= maxLetters || size >= maxBytes; s.more {
			return nil
		}
		pulled, err := r.puller.Pull(ctx, s.name, portion, lease)
		for _, p := range pulled {
			s.letters = append(s.letters, s.read(p))
			size += len(p.Data)
		}
		if err != nil || len(pulled) == 0 {
			return err
		}
	}
}

// returnTime is for giving back what is held when a run is told to stop.
const returnTime = 5 * time.Second

// giveBack releases what was not acknowledged. What is not given back comes again when its lease is over.
func (r *replayer) giveBack(ctx context.Context, s *backlog) error {
	receipts := receipts(s.letters)
	if len(receipts) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), returnTime)
	defer cancel()
	if err := r.puller.Release(ctx, s.name, receipts); err != nil {
		return fmt.Errorf("replay: %d messages of %s are redelivered in %v: %w", len(receipts), s.name, lease, err)
	}
	return nil
}

func receipts(letters []message) (all []string) {
	for _, l := range letters {
		if l.Receipt != "" {
			all = append(all, l.Receipt)
		}
	}
	return all
}
