package document

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/fault"
)

// A shelf is a store that answers on request, with its content at that time.
type shelf struct {
	Store
	open  chan struct{} // lets one reading go on
	has   int64
	asked [][]Name
	err   error
}

func (s *shelf) Get(ctx context.Context, _ time.Time, names ...Name) ([]*Record, error) {
	s.asked = append(s.asked, names)
	has, err := s.has, s.err
	select {
	case <-s.open:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	found := make([]*Record, len(names))
	for i, n := range names {
		id, _ := strconv.ParseInt(n.ID, 10, 64)
		found[i] = &Record{Number: id, Version: has}
	}
	return found, err
}

const timeout = 150 * time.Millisecond

// watched is the store with a watch of its own, so that no test closes it for another.
func watched(s Store) bounded {
	return bounded{driver: s, timeout: timeout, watch: &storeBreaker{breaker: newBreaker(time.Second)}}
}

// A caller reads some names and holds the result.
type caller struct {
	names []Name
	leave context.CancelFunc
	found []*Record
	err   error
	ended bool
}

// comes has one more caller read those names, and waits until all stand still.
func comes(t *testing.T, g *batchedReads, s *shelf, ids ...string) *caller {
	ctx, leave := context.WithCancel(t.Context())
	c := &caller{leave: leave}
	for _, id := range ids {
		c.names = append(c.names, Name{"c", id})
	}
	go func() {
		c.found, c.err = g.get(ctx, watched(s), time.Now(), c.names)
		c.ended = true
	}()
	synctest.Wait()
	return c
}

// answer lets one reading end.
func (s *shelf) answer() {
	s.open <- struct{}{}
	synctest.Wait()
}

// got wants that the caller was shown its names, as they were when the shelf had so much.
func (c *caller) got(t *testing.T, has int64) {
	t.Helper()
	if c.err != nil || !c.ended || len(c.found) != len(c.names) {
		t.Errorf("%v: ended %v with %d records, %v", c.names, c.ended, len(c.found), c.err)
		return
	}
	for i, n := range c.names {
		if strconv.FormatInt(c.found[i].Number, 10) != n.ID || c.found[i].Version != has {
			t.Errorf("%v: got %+v, want the version %d", n, c.found[i], has)
		}
	}
}

func TestPrefetch_sharesNextRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, s := &batchedReads{}, &shelf{open: make(chan struct{}), has: 1}
		first := comes(t, g, s, "1", "2")
		s.has = 2 // changed before the others asked: they must see it
		others := []*caller{comes(t, g, s, "2", "3"), comes(t, g, s, "3"), comes(t, g, s, "4", "2", "4")}
		s.answer()
		first.got(t, 1)
		s.answer()
		for _, c := range others {
			c.got(t, 2)
		}
		want := []Name{{"c", "2"}, {"c", "3"}, {"c", "4"}}
		if len(s.asked) != 2 || !slices.Equal(s.asked[1], want) {
			t.Errorf("asked for %v, want the first, then %v", s.asked, want)
		}
		alone := comes(t, g, s, "5")
		s.answer()
		alone.got(t, 2)
		if g.reading || g.next != nil {
			t.Error("a read is still running")
		}
	})
}

func TestPrefetch_canceledCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, s := &batchedReads{}, &shelf{open: make(chan struct{}), has: 1}
		all := []*caller{comes(t, g, s, "1"), comes(t, g, s, "2"), comes(t, g, s, "3"), comes(t, g, s, "4")}
		for _, c := range all {
			c.leave()
		}
		synctest.Wait()
		all = append(all, comes(t, g, s, "5"))
		s.answer()
		s.answer() // one of the others reads for all of them
		for _, c := range all {
			c.got(t, 1)
		}
		last := comes(t, g, s, "6")
		s.answer()
		last.got(t, 1)
	})
}

// A hanging store costs each caller at most the timeout, including callers that waited for a batch first.
func TestPrefetch_hangingStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, s := &batchedReads{}, &shelf{open: make(chan struct{})}
		var all []*caller
		for i := range 4 {
			all = append(all, comes(t, g, s, strconv.Itoa(i)))
			time.Sleep(timeout / 10)
		}
		time.Sleep(timeout - 3*timeout/10)
		synctest.Wait()
		for i, c := range all { // the first batch, and callers that waited since its first tenth
			if !c.ended || !errors.Is(c.err, fault.ErrUnavailable) {
				t.Errorf("caller %d: still waiting, or got %v", i, c.err)
			}
		}
		if g.reading || g.next != nil {
			t.Error("a read is still running")
		}
	})
}

// A driver that ignores its deadline blocks its caller, and others not for long.
func TestPrefetch_stuckDriver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, s := &batchedReads{}, &shelf{open: make(chan struct{})}
		stuck := &stubborn{shelf: s, end: make(chan struct{})}
		go func() {
			_, _ = g.get(t.Context(), watched(stuck), time.Now(), []Name{{"c", "0"}})
		}()
		synctest.Wait()
		for i := range 2 {
			c := comes(t, g, s, strconv.Itoa(i+1))
			time.Sleep(timeout)
			synctest.Wait()
			if !c.ended || !errors.Is(c.err, fault.ErrUnavailable) || len(s.asked) != 0 {
				t.Errorf("the next caller got %v, and the store was asked %v", c.err, s.asked)
			}
		}
		close(stuck.end)
		synctest.Wait()
		after := comes(t, g, s, "3")
		s.answer()
		after.got(t, 0)
	})
}

type stubborn struct {
	*shelf
	end chan struct{}
}

func (s *stubborn) Get(context.Context, time.Time, ...Name) ([]*Record, error) {
	<-s.end
	return make([]*Record, 1), nil
}

func TestPrefetch_storeDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, s := &batchedReads{}, &shelf{open: make(chan struct{}), err: fault.ErrUnavailable}
		all := []*caller{comes(t, g, s, "1"), comes(t, g, s, "2"), comes(t, g, s, "3")}
		s.answer()
		s.answer()
		for _, c := range all {
			if !errors.Is(c.err, fault.ErrUnavailable) {
				t.Errorf("%v: %v", c.names, c.err)
			}
		}
		if len(s.asked) != 2 {
			t.Errorf("asked %d times", len(s.asked))
		}
	})
}
