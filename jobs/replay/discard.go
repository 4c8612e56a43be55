package replay

import (
	"context"
	"errors"
	"slices"
)

// discard removes the messages for good, or reports which ones. The lines of a removal name the operator and the reason; they stay in
// the log of the job.
func (r *replayer) discard(ctx context.Context, s *backlog, o options, messages []message) error {
	if !o.do {
		for _, l := range messages {
			if err := r.say("%s: would discard %s of %s: %s", s.name, l.name(), instant(l.at), l.cause); err != nil {
				return err
			}
		}
		return r.say("%s: would discard %d of %d messages", s.name, len(messages), len(s.messages))
	}
	var failed []error
	removed := 0
	for some := range slices.Chunk(messages, batchSize) {
		if err := r.acknowledge(ctx, s, some); err != nil {
			failed = append(failed, err)
			break
		}
		removed += len(some)
		for _, l := range some {
			failed = append(failed, r.say("%s: discarded %s of %s by %q, because %q: %s", s.name, l.name(), instant(l.at), o.by, o.why, l.cause))
		}
	}
	return errors.Join(append(failed, r.say("%s: discarded %d of %d messages", s.name, removed, len(s.messages)))...)
}
