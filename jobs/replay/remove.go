package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"melmastoon.ghasi.io/shared/platform/env"
)

// Remove removes the dead letters that contain one of the ids in their ordering key, attributes or data, and returns their number by id.
// A dead letter with several of the ids counts for one of them. If remove is false, Remove only counts them. Dead letters that another
// run has leased are not found. Remove returns an error if a topic has more dead letters than one run reads, or if an event of the payment
// service is among them: it stays, because a refund may depend on it.
func Remove(ctx context.Context, e env.Env, named []string, remove bool) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	wanted, counts := map[string]bool{}, map[string]int64{}
	for _, name := range named {
		wanted[name] = true
	}
	err := eachBacklog(ctx, e, func(r *replayer, s *backlog) error { return r.removeFrom(ctx, s, wanted, remove, counts) })
	return counts, err
}

func (r *replayer) removeFrom(ctx context.Context, s *backlog, wanted map[string]bool, remove bool, counts map[string]int64) (err error) {
	if s.failed != nil {
		return fmt.Errorf("replay: read %s: %w", s.name, s.failed)
	}
	var found []message
	for _, l := range s.messages {
		name, ok := l.names(wanted)
		if ok && strings.HasPrefix(l.subject, "melmastoon.payment.") {
			err = errors.Join(err, fmt.Errorf("replay: %s has %s about %s: replay it first, because a refund may depend on it", s.name, l.subject, name))
			continue
		}
		if ok {
			found = append(found, l)
			counts[name]++
		}
	}
	if remove {
		err = errors.Join(err, r.acknowledge(ctx, s, found))
	}
	if s.more {
		err = errors.Join(err, fmt.Errorf("replay: %s has more than the %d messages of one run: replay or discard them first", s.name, len(s.messages)))
	}
	return err
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
