package document

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/fault"
)

// A batchedReads batches concurrent reads of one process. If no read is running, a caller reads at once. Callers that arrive
// during a read form the next batch, and the first of them then reads the names of all. So one read runs at a time, and no
// caller gets records that were read before its call.
//
// The read of a batch does not end with the context of the caller that performs it, but after the store's timeout. The timeout
// starts when the first caller begins to wait, so the others need no timers.
type batchedReads struct {
	mu      sync.Mutex
	reading bool
	next    *batch // nil if no caller waits
}

// A batch is a group of callers that share a read.
type batch struct {
	turn  chan struct{} // closed when the first caller may read
	over  chan struct{} // closed when found and err are set
	now   time.Time     // latest of the callers
	names []Name
	at    map[Name]int

	found []*Record
	err   error
}

func newBatch(now time.Time, names []Name) *batch {
	p := &batch{turn: make(chan struct{}), over: make(chan struct{}), at: map[Name]int{}}
	p.join(now, names)
	return p
}

func (p *batch) join(now time.Time, names []Name) {
	if now.After(p.now) {
		p.now = now
	}
	for _, n := range names {
		if _, there := p.at[n]; !there {
			p.at[n] = len(p.names)
			p.names = append(p.names, n)
		}
	}
}

// of returns the records of one caller.
func (p *batch) of(names []Name) ([]*Record, error) {
	if p.err != nil {
		return nil, p.err
	}
	found := make([]*Record, len(names))
	for i, n := range names {
		found[i] = p.found[p.at[n]]
	}
	return found, nil
}

// get reads names from a store. The returned records are shared and must not be changed.
func (g *batchedReads) get(ctx context.Context, b bounded, now time.Time, names []Name) ([]*Record, error) {
	p, first := g.enter(now, names)
	if first {
		g.lead(context.WithoutCancel(ctx), b, p)
	} else {
		<-p.over
	}
	return p.of(names)
}

// enter returns the batch to read with, and whether this caller is its first.
func (g *batchedReads) enter(now time.Time, names []Name) (p *batch, first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next != nil {
		g.next.join(now, names)
		return g.next, false
	}
	g.next = newBatch(now, names)
	if !g.reading {
		g.reading = true
		close(g.next.turn)
	}
	return g.next, true
}

var errBroken = fault.ErrUnavailable.Because(errors.New("document: the shared read was canceled"))

// lead reads for the whole batch.
func (g *batchedReads) lead(ctx context.Context, b bounded, p *batch) {
	defer close(p.over)
	p.err = errBroken // remains if the read panics
	p.err = b.use(ctx, func(within context.Context) error {
		err := g.await(within, p)
		if err == nil {
			defer g.leave()
		}
		return b.watch.try(func() error {
			if err == nil {
				p.found, err = b.driver.Get(within, p.now, p.names...)
			}
			return asTimeout(ctx, within, err)
		})
	})
}

// await waits until the batch may read, or until the timeout if the store hangs. Afterwards no caller can join the batch.
func (g *batchedReads) await(within context.Context, p *batch) error {
	select {
	case <-p.turn:
		runtime.Gosched() // let concurrent callers join
	case <-within.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next == p {
		g.next = nil
	}
	select {
	case <-p.turn:
		return nil
	default:
		return within.Err()
	}
}

// leave ends a read and lets the next batch read.
func (g *batchedReads) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reading = g.next != nil; g.reading {
		close(g.next.turn)
	}
}
