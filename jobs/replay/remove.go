package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/platform/env"
)

// Remove removes the dead letters that contain one of the ids in their ordering key, attributes or data, and returns their number by id.
// A dead letter with several of the ids counts for one of them. If remove is false, Remove only counts them. Dead letters that another
// run has leased are not found. Remove returns an error if it cannot read all dead letters within the time of a run, or if an event of the
// payment service is among them: it stays, because a refund may depend on it.
func Remove(ctx context.Context, e env.Env, named []string, remove bool) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	r, backlogs, err := openAll(e)
	if err != nil {
		return nil, err
	}
	x := &remover{replayer: r, wanted: map[string]bool{}, remove: remove, counts: map[string]int64{}}
	for _, name := range named {
		x.wanted[name] = true
	}
	errs := make([]error, len(backlogs))
	var group errgroup.Group
	group.SetLimit(concurrency)
	for i, s := range backlogs {
		group.Go(func() error {
			errs[i] = x.from(ctx, s)
			return nil
		})
	}
	_ = group.Wait() // each topic has its own error
	return x.counts, errors.Join(errs...)
}

// A remover removes the dead letters that name one of the wanted ids.
type remover struct {
	*replayer
	wanted map[string]bool
	remove bool

	mu     sync.Mutex
	counts map[string]int64 // by id
}

// from removes the dead letters from one topic. It reads the topic in parts of at most maxMessages, and keeps the leases of a part until
// the end, so that the next part has other messages.
func (x *remover) from(ctx context.Context, s *backlog) error {
	var held []string
	var failed []error
	for s.more = true; s.more; {
		s.messages = nil
		if err := x.fill(ctx, s); err != nil {
			s.more = false
			failed = append(failed, fmt.Errorf("replay: read %s: %w", s.name, err))
		} else {
			failed = append(failed, x.removeFound(ctx, s))
		}
		held = append(held, receipts(s.messages)...)
	}
	return errors.Join(append(failed, x.release(ctx, s, held))...)
}

// removeFound removes the found ones of the messages that were read.
func (x *remover) removeFound(ctx context.Context, s *backlog) (err error) {
	var found []message
	for _, l := range s.messages {
		name, ok := l.names(x.wanted)
		if ok && strings.HasPrefix(l.subject, "melmastoon.payment.") {
			err = errors.Join(err, fmt.Errorf("replay: %s has %s about %s: replay it first, because a refund may depend on it", s.name, l.subject, name))
			continue
		}
		if ok {
			found = append(found, l)
			x.count(name)
		}
	}
	if x.remove {
		err = errors.Join(err, x.acknowledge(ctx, s, found))
	}
	return err
}

func (x *remover) count(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.counts[name]++
}

// names returns one of the wanted ids that the message contains.
func (l message) names(wanted map[string]bool) (string, bool) {
	texts := []string{l.OrderingKey, l.key, string(l.Data)}
	for _, value := range l.Attributes {
		texts = append(texts, value)
	}
	for _, text := range texts {
		for _, name := range ids.FindAllString(text, -1) {
			if wanted[name] {
				return name, true
			}
		}
	}
	return "", false
}
