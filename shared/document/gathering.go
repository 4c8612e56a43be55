package document

import (
	"context"
	"sync"
	"time"
)

// A gathering lets callers of one process read together. Who comes while nobody reads, reads at once. Who comes meanwhile
// waits, and one of those who wait then reads for all of them: so the store is asked no more often than it can answer, and
// nobody is shown what was read before they asked.
type gathering struct {
	mu      sync.Mutex
	reading bool
	next    *party // who waits, nil if nobody does
}

// A party is callers who read together.
type party struct {
	turn  chan struct{} // has a token when somebody of them is to read
	over  chan struct{} // closed when it was read
	size  int           // of those who still wait
	read  bool          // somebody has the token, or has had it
	now   time.Time     // the latest of them
	names []Name
	at    map[Name]int

	found []*Record
	err   error
	left  bool // whoever read ended before the store answered: that says nothing to the others
}

func newParty(now time.Time, names []Name) *party {
	p := &party{turn: make(chan struct{}, 1), over: make(chan struct{}), at: map[Name]int{}}
	p.join(now, names)
	return p
}

func (p *party) join(now time.Time, names []Name) {
	p.size++
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
func (p *party) of(names []Name) ([]*Record, error) {
	if p.err != nil {
		return nil, p.err
	}
	found := make([]*Record, len(names))
	for i, n := range names {
		found[i] = p.found[p.at[n]]
	}
	return found, nil
}

type reading func(context.Context, time.Time, ...Name) ([]*Record, error)

// get reads names as read would. The records are shared: nobody changes them.
func (g *gathering) get(ctx context.Context, read reading, now time.Time, names []Name) ([]*Record, error) {
	for {
		p := g.enter(now, names)
		if p == nil {
			defer g.leave()
			return read(ctx, now, names...)
		}
		select {
		case <-p.over:
		case <-p.turn:
			g.lead(ctx, p, read)
			return p.of(names)
		case <-ctx.Done():
			g.quit(p)
			return nil, ctx.Err()
		}
		if !p.left {
			return p.of(names)
		}
	}
}

// enter is the party to wait with, nil for who may read at once.
func (g *gathering) enter(now time.Time, names []Name) *party {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !g.reading:
		g.reading = true
		return nil
	case g.next == nil:
		g.next = newParty(now, names)
	default:
		g.next.join(now, names)
	}
	return g.next
}

// lead reads for the whole party. From now on nobody joins it.
func (g *gathering) lead(ctx context.Context, p *party, read reading) {
	defer g.leave()
	defer close(p.over)
	p.left = true // also if it panics
	g.mu.Lock()
	if g.next == p {
		g.next = nil
	}
	g.mu.Unlock()
	p.found, p.err = read(ctx, p.now, p.names...)
	p.left = p.err != nil && ctx.Err() != nil
}

// leave ends a reading: those who wait have their turn.
func (g *gathering) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pass()
}

func (g *gathering) pass() {
	p := g.next
	if g.reading = p != nil; g.reading {
		p.read = true
		p.turn <- struct{}{}
	}
}

// quit is for who waits no longer. Where they were the last, their turn is another's.
func (g *gathering) quit(p *party) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p.size--; p.size > 0 || g.next != p {
		return
	}
	g.next = nil
	if p.read {
		g.pass()
	}
}
