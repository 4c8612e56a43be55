package document

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/fault"
)

// A batchedReads joins the reads of one process. A caller that comes while no read is under way reads at once. Callers that come
// meanwhile wait, and the first of them then reads the names of all: so there is one read at a time, and no caller is given
// what was read before it asked.
//
// A read for several callers does not end with the context of the one that makes it, but after the store's time limit. That
// counts from when the first of them began to wait, so no caller needs a timer of its own.
type batchedReads struct {
	mu      sync.Mutex
	reading bool
	next    *batch // who waits, nil if nobody does
}

// A batch is callers who read together.
type batch struct {
	turn  chan struct{} // closed when the first of them is to read
	over  chan struct{} // closed when the rest is known
	now   time.Time     // the latest of them
	names []Name
	at    map[Name]int

	found []*Record
	err   error
}

func newParty(now time.Time, names []Name) *batch {
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

// of are the records of one of the callers.
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

// get reads names from a store. The records are shared: nobody changes them.
func (g *batchedReads) get(ctx context.Context, b bounded, now time.Time, names []Name) ([]*Record, error) {
	p, first := g.enter(now, names)
	if first {
		g.lead(context.WithoutCancel(ctx), b, p)
	} else {
		<-p.over
	}
	return p.of(names)
}

// enter is the party to read with, and whether it begins here.
func (g *batchedReads) enter(now time.Time, names []Name) (p *batch, first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next != nil {
		g.next.join(now, names)
		return g.next, false
	}
	g.next = newParty(now, names)
	if !g.reading {
		g.reading = true
		close(g.next.turn)
	}
	return g.next, true
}

var errBroken = fault.ErrUnavailable.Because(errors.New("document: the shared read was canceled"))

// lead reads for the whole party.
func (g *batchedReads) lead(ctx context.Context, b bounded, p *batch) {
	defer close(p.over)
	p.err = errBroken // if it panics
	p.err = b.use(ctx, func(within context.Context) error {
		err := g.await(within, p)
		if err == nil {
			defer g.leave()
		}
		return b.watch.try(func() error {
			if err == nil {
				p.found, err = b.driver.Get(within, p.now, p.names...)
			}
			return late(ctx, within, err)
		})
	})
}

// await waits for the party's turn, which does not come where a store hangs for good. From then on nobody joins it.
func (g *batchedReads) await(within context.Context, p *batch) error {
	select {
	case <-p.turn:
		runtime.Gosched() // who has come at the same moment comes along
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

// leave ends a reading: those who wait have their turn.
func (g *batchedReads) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reading = g.next != nil; g.reading {
		close(g.next.turn)
	}
}
