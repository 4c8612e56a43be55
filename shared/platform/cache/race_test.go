package cache_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

// A fetcher is a cache, or its twin.
type fetcher interface {
	Fetch(ctx context.Context, key document.Key, depends []cache.Epoch, compose func(context.Context) (page, error)) (page, cache.State, error)
}

// A careless cache is one as it is often written: a refill notes the generations when it stores, not before it reads.
type careless struct {
	pages document.Collection[noted]
	env   env.Env
}

type noted struct {
	Page       page  `json:"page"`
	Generation int64 `json:"generation"`
}

func newCareless(e env.Env) fetcher { return careless{document.Open[noted](e, "careless"), e} }

// stands returns the current epoch.
func (c careless) stands(ctx context.Context) (int64, error) {
	store, err := document.StoreOf(c.env)
	if err != nil {
		return 0, err
	}
	records, err := store.Get(ctx, c.env.Now(), document.Name{Collection: "generations", ID: document.KeyOf("tnt_1").String()})
	if err != nil || records[0] == nil {
		return 0, err
	}
	return records[0].Number, nil
}

func (c careless) Fetch(ctx context.Context, key document.Key, _ []cache.Epoch, compose func(context.Context) (page, error)) (page, cache.State, error) {
	stands, err := c.stands(ctx)
	if err != nil {
		return page{}, "", err
	}
	kept, ok, err := c.pages.Get(ctx, key)
	if err != nil || ok && kept.Generation == stands {
		return kept.Page, cache.Hit, err
	}
	composed, err := compose(ctx)
	if err != nil {
		return page{}, "", err
	}
	if stands, err = c.stands(ctx); err != nil { // too late
		return page{}, "", err
	}
	_, err = c.pages.Put(ctx, key, noted{composed, stands}, c.env.Now().UnixMicro(), c.env.Now().Add(policy.Fresh))
	return composed, cache.Miss, err
}

func newCache(e env.Env) fetcher { return open(e) }

// overtaken invalidates while a refill in another process has read the old text and not stored it yet. It returns the answers
// after that: one before the refill ends if meanwhile is set, and two afterwards.
func overtaken(t *testing.T, both [2]env.Env, open func(env.Env) fetcher, meanwhile bool) (after []string) {
	t.Helper()
	depends := []cache.Epoch{tenant}
	s := &source{text: "old"}
	read, release, stored := newSignal(), newSignal(), newSignal()
	go func() {
		defer close(stored)
		got, _, err := open(both[0]).Fetch(t.Context(), key, depends, func(ctx context.Context) (page, error) {
			p, err := s.compose(ctx)
			close(read)
			select {
			case <-release:
			case <-ctx.Done():
			}
			return p, err
		})
		check.NoError(t, err, "the refill")
		check.Equal(t, got.Text, "old", "the refill")
	}()
	await(t, read, "the refill's reading")
	s.set("new", nil)
	invalidate(t, both[1], tenant)
	ask := func(e env.Env) {
		ctx, cancel := context.WithTimeout(t.Context(), maxWait)
		defer cancel()
		got, state, err := open(e).Fetch(ctx, key, depends, s.compose)
		check.Must(t, err)
		after = append(after, got.Text+" "+string(state))
	}
	if meanwhile {
		ask(both[0]) // in the process of the refill, which is still running
	}
	close(release)
	await(t, stored, "the refill's end")
	ask(both[1])
	ask(both[0])
	return after
}

func newSignal() chan struct{} { return make(chan struct{}) }

func TestRace_refillDuringInvalidation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		meanwhile bool
		want      []string
	}{
		{"and does not replace what was composed since", true, []string{"new MISS", "new HIT", "new HIT"}},
		{"and is composed anew by the next", false, []string{"new MISS", "new HIT"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, overtaken(t, onPostgres(t), newCache, test.meanwhile), test.want, "after the invalidation")
			store := &documenttest.Memory{}
			both := [2]env.Env{process(store), process(store)}
			if got := overtaken(t, both, newCareless, test.meanwhile); !slices.Contains(got, "old HIT") {
				t.Errorf("got %v: the check finds nothing stale in a cache that is", got)
			}
		})
	}
}

// churn changes a text and invalidates, repeatedly, while readers fetch in two processes. It returns how often a reader got a
// text older than the last invalidation before its call.
func churn(t *testing.T, both [2]env.Env, open func(env.Env) fetcher, changes int) (stale int64) {
	t.Helper()
	var truth, announced, behind atomic.Int64
	compose := func(context.Context) (page, error) {
		text := strconv.FormatInt(truth.Load(), 10)
		dither(rand.IntN(200)) // lets the read value become stale
		return page{Text: text}, nil
	}
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for i := range 8 {
		readers.Go(func() {
			f := open(both[i%2])
			for ctx.Err() == nil {
				known := announced.Load()
				got, _, err := f.Fetch(t.Context(), key, []cache.Epoch{tenant}, compose)
				check.NoError(t, err, "fetch")
				if n, _ := strconv.ParseInt(got.Text, 10, 64); n < known {
					behind.Add(1)
				}
			}
		})
	}
	for n := range int64(changes) {
		truth.Store(n + 1)
		invalidate(t, both[n%2], tenant)
		announced.Store(n + 1)
		dither(rand.IntN(200))
	}
	stop()
	readers.Wait()
	return behind.Load()
}

// dither lets others go first.
func dither(times int) {
	for range times {
		runtime.Gosched()
	}
}

func TestFetch_neverServesInvalidated(t *testing.T) {
	t.Parallel()
	check.Equal(t, churn(t, onPostgres(t), newCache, 150), 0, "stale answers")
}

func TestRace_sabotagedCache(t *testing.T) {
	t.Parallel()
	store := &documenttest.Memory{}
	for range 50 {
		if churn(t, [2]env.Env{process(store), process(store)}, newCareless, 100) > 0 {
			return
		}
	}
	t.Error("the check finds nothing stale in a cache that is")
}
