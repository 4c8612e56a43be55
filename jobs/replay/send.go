package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// batchSize is the number of messages that are published, and then acknowledged, at a time.
const batchSize = 100

// progressSize is the number of messages between two lines of progress.
const progressSize = 10 * batchSize

// send publishes the messages again and acknowledges the published ones. If one cannot be published, it and the later
// ones of its key stay; other keys continue.
func (r *replayer) send(ctx context.Context, s *backlog, o options, messages []message) error {
	var failed []error
	sent, tried, stuck := 0, 0, map[string]bool{} // stuck by key
	for some := range slices.Chunk(messages, batchSize) {
		var out []message
		for _, l := range some {
			if why := l.skipReason(o); why != "" {
				failed = append(failed, r.say("%s: skipped %s: %s", s.name, l.name(), why))
			} else if !stuck[l.key] {
				out = append(out, l)
			}
		}
		gone, err := r.publish(ctx, s, out, stuck)
		sent += len(gone)
		failed = append(failed, err, r.acknowledge(ctx, s, gone))
		if tried += len(some); tried%progressSize == 0 && tried < len(messages) {
			failed = append(failed, r.say("%s: replayed %d so far", s.name, sent))
		}
		if ctx.Err() != nil || errors.Is(err, fault.ErrUnavailable) {
			break // publishing the others would fail too
		}
	}
	return errors.Join(append(failed, ctx.Err(), r.say("%s: replayed %d of %d messages", s.name, sent, len(s.messages)))...)
}

// publish returns the published messages and records the keys of the others in stuck. It returns the first error.
func (r *replayer) publish(ctx context.Context, s *backlog, messages []message, stuck map[string]bool) (gone []message, failed error) {
	var again []topic.Message
	for _, l := range messages {
		again = append(again, l.again())
	}
	for i, err := range r.publisher.Publish(ctx, again) {
		l := messages[i]
		if err == nil {
			gone = append(gone, l)
			continue
		}
		stuck[l.key] = l.key != ""
		if failed == nil {
			failed = fmt.Errorf("replay: %s: %s and the messages behind it stay: %w", s.name, l.name(), err)
		}
	}
	return gone, failed
}

// acknowledge removes messages from the topic, even after the run was canceled.
func (r *replayer) acknowledge(ctx context.Context, s *backlog, gone []message) error {
	if len(gone) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	published := receipts(gone)
	if err := r.puller.Acknowledge(ctx, s.name, published); err != nil {
		return fmt.Errorf("replay: %d messages of %s could not be removed: %w", len(gone), s.name, err)
	}
	for i, l := range s.messages {
		if slices.Contains(published, l.Receipt) {
			s.messages[i].Receipt = "" // do not release it
		}
	}
	return nil
}
