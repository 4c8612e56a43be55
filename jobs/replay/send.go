package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// together is how many letters are published, and then acknowledged, at a time.
const together = 100

// send publishes the letters again and removes those that are out. One that cannot be published stays, and those of its key
// behind it; the others go on.
func (r *replayer) send(ctx context.Context, s *backlog, o order, letters []message) error {
	var failed []error
	sent, stuck := 0, map[string]bool{} // by key
	for some := range slices.Chunk(letters, together) {
		var out []message
		for _, l := range some {
			if why := l.reason(o); why != "" {
				failed = append(failed, r.say("%s: left %s: %s", s.name, l.name(), why))
			} else if !stuck[l.key] {
				out = append(out, l)
			}
		}
		gone, err := r.publish(ctx, s, out, stuck)
		sent += len(gone)
		failed = append(failed, err, r.acknowledge(ctx, s, gone))
		if ctx.Err() != nil || errors.Is(err, fault.ErrUnavailable) {
			break // for the others there is nobody either
		}
	}
	return errors.Join(append(failed, ctx.Err(), r.say("%s: replayed %d of %d letters", s.name, sent, len(s.letters)))...)
}

// publish returns the letters that are out, and notes the keys of those that are not. Of many errors it tells the first.
func (r *replayer) publish(ctx context.Context, s *backlog, letters []message, stuck map[string]bool) (gone []message, failed error) {
	var messages []topic.Message
	for _, l := range letters {
		messages = append(messages, l.again())
	}
	for i, err := range r.publisher.Publish(ctx, messages) {
		l := letters[i]
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

// acknowledge removes what is out, also when the run has just been told to stop.
func (r *replayer) acknowledge(ctx context.Context, s *backlog, gone []message) error {
	if len(gone) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), returnTime)
	defer cancel()
	receipts := receipts(gone)
	if err := r.puller.Acknowledge(ctx, s.name, receipts); err != nil {
		return fmt.Errorf("replay: %d messages of %s were published again and not removed: %w", len(gone), s.name, err)
	}
	for i, l := range s.letters {
		if slices.Contains(receipts, l.Receipt) {
			s.letters[i].Receipt = "" // nothing is left to give back
		}
	}
	return nil
}
