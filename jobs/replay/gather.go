package replay

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// Limits of a run: messages and bytes per topic, messages per request, and topics read concurrently.
const (
	maxMessages = 10_000
	maxBytes    = 64 << 20
	pullSize    = 500
	concurrency = 8
	maxEmpty    = 2 // consecutive empty results after which a topic counts as read; one does not prove that it is empty
)

// gather leases all messages of the topics, so that their order is known before anything is published. A topic that
// cannot be read does not block the others.
func (r *replayer) gather(ctx context.Context, backlogs []*backlog) {
	var group errgroup.Group
	group.SetLimit(concurrency)
	for _, s := range backlogs {
		group.Go(func() error {
			s.failed = r.fill(ctx, s)
			inOrder(s.messages)
			return nil
		})
	}
	_ = group.Wait() // each backlog has its own error
}

func (r *replayer) fill(ctx context.Context, s *backlog) error {
	for size, empty := 0, 0; empty < maxEmpty; {
		if s.more = len(s.messages) >= maxMessages || size >= maxBytes; s.more {
			return nil
		}
		pulled, err := r.puller.Pull(ctx, s.name, pullSize, lease)
		for _, p := range pulled {
			s.messages = append(s.messages, s.read(p))
			size += len(p.Data)
		}
		if err != nil {
			return err
		}
		if empty++; len(pulled) > 0 {
			empty = 0
		}
	}
	return nil
}

// cleanupTime is the time for acknowledging and releasing messages after a run was stopped.
const cleanupTime = 5 * time.Second

// release releases messages that were not acknowledged. If it fails, they are redelivered when their leases end.
func (r *replayer) release(ctx context.Context, s *backlog, held []string) error {
	if len(held) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	if err := r.puller.Release(ctx, s.name, held); err != nil {
		return fmt.Errorf("replay: %d messages of %s are redelivered in %v: %w", len(held), s.name, lease, err)
	}
	return nil
}

func receipts(messages []message) (all []string) {
	for _, l := range messages {
		if l.Receipt != "" {
			all = append(all, l.Receipt)
		}
	}
	return all
}
