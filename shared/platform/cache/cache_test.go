package cache_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/forward"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

func TestCache_composedOnce(t *testing.T) {
	t.Parallel()
	store := &documenttest.Memory{}
	e, s := process(store), &source{text: "first"}
	fetch(t, e, s.compose, "first", cache.Miss)
	s.set("second", nil)
	fetch(t, e, s.compose, "first", cache.Hit)
	fetch(t, process(store), s.compose, "first", cache.Hit)
	check.Equal(t, s.composed.Load(), 1, "compositions")
	e.Advance(policy.Fresh - time.Minute)
	fetch(t, e, s.compose, "first", cache.Hit)
	e.Advance(time.Minute)
	fetch(t, e, s.compose, "second", cache.Miss)
	fetch(t, e, s.compose, "second", cache.Hit)
}

func TestInvalidate_dependentValues(t *testing.T) {
	t.Parallel()
	store := &documenttest.Memory{}
	e, other := process(store), process(store)
	all := map[string][]cache.Epoch{
		"tenant": {tenant}, "property": {tenant, cache.Of("tnt_1", "ppt_1")}, "stranger": {cache.Of("tnt_2")}, "free": nil,
	}
	states := func() map[string]cache.State {
		found := map[string]cache.State{}
		for name, depends := range all {
			_, state, err := open(e).Fetch(t.Context(), document.KeyOf(name), depends, (&source{}).compose)
			check.Must(t, err)
			found[name] = state
		}
		return found
	}
	states()
	for _, test := range []struct {
		name  string
		stale cache.Epoch
		want  []string // the recomposed values
	}{
		{name: "tenant", stale: tenant, want: []string{"property", "tenant"}},
		{name: "property", stale: cache.Of("tnt_1", "ppt_1"), want: []string{"property"}},
		{name: "another tenant", stale: cache.Of("tnt_2"), want: []string{"stranger"}},
		{name: "joined parts", stale: cache.Of("tnt_1ppt_1"), want: nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			invalidate(t, other, test.stale)
			var anew []string
			for name, state := range states() {
				if state == cache.Miss {
					anew = append(anew, name)
				}
			}
			slices.Sort(anew)
			check.Equal(t, anew, test.want, "composed")
		})
	}
}

func TestCache_staleIfError(t *testing.T) {
	t.Parallel()
	e, s := process(&documenttest.Memory{}), &source{text: "first"}
	fetch(t, e, s.compose, "first", cache.Miss)
	for name, err := range map[string]error{"upstream": errDown, "internal": errors.New("garbage"), "slow": context.DeadlineExceeded, "busy": fault.New(fault.TooMany, "X", "")} {
		t.Run(name, func(t *testing.T) {
			s.set("never", err)
			fetch(t, e, s.compose, "first", cache.Hit)
			invalidate(t, e, tenant)
			got, state, err := open(e).Fetch(t.Context(), key, []cache.Epoch{tenant}, s.compose)
			switch {
			case err != nil:
				t.Errorf("err = %v, want nil", err)
			case got.Text != "first":
				t.Errorf(`got.Text = %q, want "first"`, got.Text)
			case state != cache.Stale:
				t.Errorf("state = %v, want %v", state, cache.Stale)
			}
			s.set("first", nil)
			fetch(t, e, s.compose, "first", cache.Miss)
		})
	}
	s.set("never", errDown)
	e.Advance(policy.Fresh)
	fetch(t, e, s.compose, "first", cache.Stale)
	e.Advance(policy.Stale - time.Minute)
	fetch(t, e, s.compose, "first", cache.Stale)
	e.Advance(time.Minute)
	if got, state, err := open(e).Fetch(t.Context(), key, nil, s.compose); !errors.Is(err, fault.ErrUpstreamUnavailable) {
		t.Errorf("beyond its bound: got %v %s, %v", got, state, err)
	}
	s.set("second", nil)
	fetch(t, e, s.compose, "second", cache.Miss)
}

// Changes during a composition are not part of the value, so its age counts from before it, however long it takes.
func TestFetch_ageCountsFromLook(t *testing.T) {
	t.Parallel()
	e, s := process(&documenttest.Memory{}), &source{text: "first"}
	slow := func(ctx context.Context) (page, error) {
		e.Advance(policy.Fresh)
		return s.compose(ctx)
	}
	fetch(t, e, slow, "first", cache.Miss)
	fetch(t, e, s.compose, "first", cache.Miss)
	fetch(t, e, s.compose, "first", cache.Hit)
}

// The bound holds also when composing itself takes the time away.
func TestCache_expiresDuringFailure(t *testing.T) {
	t.Parallel()
	e, s := process(&documenttest.Memory{}), &source{text: "first"}
	fetch(t, e, s.compose, "first", cache.Miss)
	e.Advance(policy.Fresh)
	got, state, err := open(e).Fetch(t.Context(), key, []cache.Epoch{tenant}, func(context.Context) (page, error) {
		e.Advance(policy.Stale)
		return page{}, errDown
	})
	check.Error(t, err, fault.ErrUpstreamUnavailable, "%v %s", got, state)
}

func TestCache_refusalReplacesValue(t *testing.T) {
	t.Parallel()
	e, s := process(&documenttest.Memory{}), &source{text: "first"}
	fetch(t, e, s.compose, "first", cache.Miss)
	invalidate(t, e, tenant)
	for _, refusal := range []error{fault.ErrNotFound, errDown} { // a deleted value is not served again during an outage
		s.set("never", refusal)
		if got, state, err := open(e).Fetch(t.Context(), key, []cache.Epoch{tenant}, s.compose); !errors.Is(err, refusal) {
			t.Errorf("got %v %s, %v, want %v", got, state, err, refusal)
		}
	}
}

func TestContent_unreadable(t *testing.T) {
	t.Parallel()
	name := document.Name{Collection: "pages", ID: key.String()}
	for what, damage := range map[string]func(*documenttest.Memory, env.Env, document.Record) document.Record{
		"corrupt": func(_ *documenttest.Memory, _ env.Env, r document.Record) document.Record {
			r.Value[len(r.Value)-1] ^= 1
			return r
		},
		"empty": func(_ *documenttest.Memory, _ env.Env, r document.Record) document.Record { r.Value = nil; return r },
		"another type's": func(m *documenttest.Memory, e env.Env, _ document.Record) document.Record {
			_, _, err := cache.Open[[]int](e, "pages", policy).Fetch(context.Background(), key, []cache.Epoch{tenant},
				func(context.Context) ([]int, error) { return []int{1}, nil })
			check.Must(t, err)
			found, _ := m.Get(context.Background(), e.Now(), name)
			return *found[0]
		},
		"a session": func(m *documenttest.Memory, e env.Env, _ document.Record) document.Record {
			check.Got(document.Open[page](e, "pages").Put(context.Background(), key, page{Text: "x"}, 1<<62, e.Now().Add(time.Hour))).Must(t)
			found, _ := m.Get(context.Background(), e.Now(), name)
			return *found[0]
		},
	} {
		t.Run(what, func(t *testing.T) {
			m := &documenttest.Memory{}
			e, s := process(m), &source{text: "good"}
			fetch(t, e, s.compose, "good", cache.Miss)
			found, err := m.Get(t.Context(), e.Now(), name)
			check.Must(t, err)
			check.Must(t, m.Delete(t.Context(), name))
			bad := damage(m, e, *found[0])
			bad.Version = 0
			check.Must(t, m.Delete(t.Context(), name))
			_, err = m.Put(t.Context(), e.Now(), name, bad)
			check.Must(t, err)
			before := s.composed.Load()
			fetch(t, e, s.compose, "good", cache.Miss)
			fetch(t, e, s.compose, "good", cache.Hit)
			check.Equal(t, s.composed.Load()-before, 1, "compositions")
		})
	}
}

func TestCache_withoutStore(t *testing.T) {
	t.Parallel()
	m := &documenttest.Memory{}
	e, s := process(m), &source{text: "first"}
	fetch(t, e, s.compose, "first", cache.Miss)
	m.Refuse = func(string) error { return fault.ErrUnavailable }
	s.set("second", nil)
	fetch(t, e, s.compose, "second", cache.Bypass)
	fetch(t, e, s.compose, "second", cache.Bypass)
	s.set("never", errDown)
	if _, state, err := open(e).Fetch(t.Context(), key, nil, s.compose); !errors.Is(err, fault.ErrUpstreamUnavailable) || state != cache.Bypass {
		t.Errorf("got %s, %v", state, err)
	}
	check.Error(t, cache.Invalidate(t.Context(), e, tenant), fault.ErrUnavailable, "an invalidation that was not written down")
	m.Refuse = nil
	fetch(t, e, s.compose, "first", cache.Hit)
	if _, _, err := open(env.Of(nil)).Fetch(t.Context(), key, nil, s.compose); !errors.Is(err, document.ErrNoStore) {
		t.Errorf("no store configured: got %v, want %v", err, document.ErrNoStore)
	}
}

func TestFetch_scenario(t *testing.T) {
	t.Parallel()
	e, s := process(&documenttest.Memory{}), &source{text: "right"}
	fetch(t, e, s.compose, "right", cache.Miss)
	s.set("played", nil)
	playing := forward.With(t.Context(), forward.Header{Name: "X-Sandbox-Scenario", Value: "sold_out"})
	switch got, state, err := open(e).Fetch(playing, key, []cache.Epoch{tenant}, s.compose); {
	case err != nil:
		t.Errorf("err = %v, want nil", err)
	case got.Text != "played":
		t.Errorf(`got.Text = %q, want "played"`, got.Text)
	case state != cache.Bypass:
		t.Errorf("state = %v, want %v", state, cache.Bypass)
	}
	fetch(t, e, s.compose, "right", cache.Hit)
}

func TestCache_storeFailsOnPut(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{"create single-flight", "put pages"} {
		e := process(picky{&documenttest.Memory{}, func(verb, collection string) bool { return verb+" "+collection == broken }})
		s := &source{text: "first"}
		fetch(t, e, s.compose, "first", cache.Miss)
		want := cache.Hit
		if broken == "put pages" {
			want = cache.Miss
		}
		fetch(t, e, s.compose, "first", want)
	}
}

func TestCache_worstState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		parts []cache.State
		want  cache.State
	}{
		{parts: []cache.State{cache.Hit, cache.Hit}, want: cache.Hit},
		{parts: []cache.State{cache.Hit, cache.Miss}, want: cache.Miss},
		{parts: []cache.State{cache.Stale, cache.Miss, cache.Hit}, want: cache.Stale},
		{parts: []cache.State{cache.Stale, cache.Bypass}, want: cache.Bypass},
	} {
		t.Run(fmt.Sprint(test.parts), func(t *testing.T) { check.Equal(t, cache.Worst(test.parts...), test.want) })
	}
}
