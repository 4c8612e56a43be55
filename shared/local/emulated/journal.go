package emulated

import (
	"context"
	"sync"

	"melmastoon.ghasi.io/shared/local/bus"
)

// page is the minimum number of messages that the journal keeps.
const page = 10_000

// A journal holds the most recently published messages, for Tail.
type journal struct {
	mu       sync.Mutex
	messages []bus.Stored
	last     int64
	more     chan struct{} // closed by the next write
}

func (j *journal) write(m bus.Stored) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	m.Seq = j.last
	j.messages = append(j.messages, m)
	if len(j.messages) > 2*page {
		j.messages = append([]bus.Stored(nil), j.messages[page:]...)
	}
	if j.more != nil {
		close(j.more)
		j.more = nil
	}
}

// after returns the messages after a position, and a channel that is closed when there are more.
func (j *journal) after(position int64) ([]bus.Stored, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.more == nil {
		j.more = make(chan struct{})
	}
	missing := int(j.last - position)
	return j.messages[max(len(j.messages)-missing, 0):], j.more
}

// Last returns the position of the newest message.
func (b *Bus) Last(context.Context) (int64, error) {
	b.journal.mu.Lock()
	defer b.journal.mu.Unlock()
	return b.journal.last, nil
}

// Tail calls f for every message after a position that is still in the journal, until f fails or ctx ends.
func (b *Bus) Tail(ctx context.Context, after int64, f func(bus.Stored) error) error {
	for {
		messages, more := b.journal.after(after)
		for _, m := range messages {
			if err := f(m); err != nil {
				return err
			}
			after = m.Seq
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-more:
		}
	}
}
