package documenttest

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func returnsStored(t testing.TB, r Setup) {
	d := open(t, r)
	value := []byte("\x00\xff binary \x1f\x8b")
	want := document.Record{Value: bytes.Clone(value), Number: -7, Version: 1 << 60, ExpiresAt: evening}
	expect(t, "created", d.create(noon, named("1"), document.Record{Value: value, Number: -7, Version: 1 << 60, ExpiresAt: evening}), true)
	value[0] = 'x' // the store must have copied the value
	got := d.get(noon, named("1"))[0]
	switch {
	case got == nil:
		t.Errorf("got = nil, want a value")
	case !bytes.Equal(got.Value, want.Value):
		t.Errorf("got.Value = %v, want %v", got.Value, want.Value)
	case got.Number != want.Number:
		t.Errorf("got.Number = %v, want %v", got.Number, want.Number)
	case got.Version != want.Version:
		t.Errorf("got.Version = %v, want %v", got.Version, want.Version)
	case !got.ExpiresAt.Equal(want.ExpiresAt):
		t.Errorf("got.ExpiresAt = %v, want %v", got.ExpiresAt, want.ExpiresAt)
	}
}

func keepsApart(t testing.TB, r Setup) {
	d := open(t, r)
	names := []document.Name{
		named("1"), {Collection: "drafts", ID: "1"}, named("11"), named("1:1"), named("%2F"), named(".."), named("__id7__"), named("a.b"), named("A.b"),
		{Collection: "session", ID: "s1"}, named(strings.Repeat("x", 400)), named(strings.Repeat("x", 399)),
	}
	for _, n := range names {
		if !d.create(noon, n, text(n.Collection+"/"+n.ID, 1, evening)) {
			t.Errorf("%v returned the record of another name", n)
		}
	}
	for _, n := range names {
		expect(t, "record", d.content(noon, n), n.Collection+"/"+n.ID)
	}
}

func answersInOrder(t testing.TB, r Setup) {
	d := open(t, r)
	for _, id := range []string{"c", "a", "b"} {
		d.create(noon, named(id), text(id, 1, evening))
	}
	d.create(noon, named("ended"), text("ended", 1, noon))
	asked := []string{"b", "nobody", "c", "a", "ended", "b", "nobody"}
	names := make([]document.Name, len(asked))
	for i, id := range asked {
		names[i] = named(id)
	}
	for i, found := range d.get(noon, names...) {
		want := asked[i] != "nobody" && asked[i] != "ended"
		if (found != nil) != want || want && string(found.Value) != asked[i] {
			t.Errorf("answer %d: got %+v for %q", i, found, asked[i])
		}
	}
}

func endsExactly(t testing.TB, r Setup) {
	d := open(t, r)
	d.create(noon, named("1"), text("one", 1, evening))
	d.add(noon, named("n"), 5, evening)
	for _, test := range []struct {
		now   time.Time
		alive bool
	}{{noon, true}, {evening.Add(-tick), true}, {evening, false}, {evening.Add(tick), false}, {evening.Add(-tick), true}} {
		for i, found := range d.get(test.now, named("1"), named("n")) {
			check.Equal(t, found != nil, test.alive, "record %d at %v: alive", i, test.now)
		}
		if test.alive {
			expect(t, "created while it lives", d.create(test.now, named("1"), text("two", 1, evening)), false)
			expect(t, "put while it lives", d.put(test.now, named("1"), text("two", 1, evening)), false)
		}
	}
}

func reusesExpired(t testing.TB, r Setup) {
	d := open(t, r)
	later := evening.Add(time.Hour)
	for _, id := range []string{"create", "put"} {
		d.create(noon, named(id), text("old", 9, evening))
	}
	d.add(noon, named("add"), 41, evening)
	expect(t, "created at its end", d.create(evening, named("create"), text("new", 1, later)), true)
	expect(t, "put at its end", d.put(evening, named("put"), text("new", 1, later)), true)
	expect(t, "sum at its end", d.add(evening, named("add"), 1, later), 1)
	for _, id := range []string{"create", "put"} {
		expect(t, id, d.content(evening, named(id)), "new")
		expect(t, id+" at the new end", d.content(later, named(id)), "-")
	}
}

func putsNewer(t testing.TB, r Setup) {
	d := open(t, r)
	for _, test := range []struct {
		version int64
		stored  bool
		says    string
	}{{2, true, "2"}, {1, false, "2"}, {2, false, "2"}, {3, true, "3"}, {-1, false, "3"}, {1 << 62, true, "4611686018427387904"}, {4, false, "4611686018427387904"}} {
		r := text(test.says, test.version, evening)
		if !test.stored {
			r = text("wrong", test.version, evening.Add(time.Hour))
		}
		expect(t, "stored", d.put(noon, named("1"), r), test.stored)
		expect(t, "then it says", d.content(noon, named("1")), test.says)
	}
	expect(t, "at its end", d.content(evening, named("1")), "-")
}

func adds(t testing.TB, r Setup) {
	d := open(t, r)
	later := evening.Add(time.Hour)
	for _, test := range []struct {
		n, sum int64
		until  time.Time
	}{{1, 1, evening}, {0, 1, evening}, {1 << 40, 1<<40 + 1, later}, {-(1 << 40), 1, noon.Add(tick)}, {-3, -2, evening}} {
		expect(t, "sum", d.add(noon, named("n"), test.n, test.until), test.sum)
	}
	if got := d.get(later.Add(-tick), named("n"))[0]; got == nil || got.Number != -2 {
		t.Errorf("just before its latest end: got %+v, want -2", got)
	}
	if got := d.get(later, named("n"))[0]; got != nil {
		t.Errorf("at its latest end: got %+v", got)
	}
}

func deletes(t testing.TB, r Setup) {
	d := open(t, r)
	d.create(noon, named("1"), text("old", 9, evening))
	d.create(noon, named("2"), text("other", 1, evening))
	d.remove(named("1"))
	d.remove(named("1")) // a missing record is no error
	expect(t, "deleted", d.content(noon, named("1")), "-")
	expect(t, "the other", d.content(noon, named("2")), "other")
	expect(t, "put at an older version", d.put(noon, named("1"), text("new", 1, evening)), true)
}

func keepsLargest(t testing.TB, r Setup) {
	d := open(t, r)
	value := make([]byte, document.MaxSize)
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(value) // not compressible
	expect(t, "created", d.create(noon, named("1"), document.Record{Value: value, ExpiresAt: evening}), true)
	if got := d.get(noon, named("1"))[0]; got == nil || !bytes.Equal(got.Value, value) {
		t.Errorf("the largest value was not returned unchanged")
	}
}

func survivesRestart(t testing.TB, r Setup) {
	first := open(t, r)
	first.create(noon, named("1"), text("kept", 3, evening))
	first.add(noon, named("n"), 5, evening)
	second := open(t, r)
	expect(t, "record", second.content(noon, named("1")), "kept")
	expect(t, "created again", second.create(noon, named("1"), text("lost", 9, evening)), false)
	expect(t, "an older put", second.put(noon, named("1"), text("lost", 3, evening)), false)
	expect(t, "sum", second.add(noon, named("n"), 1, evening), 6)
}

// every returns one call of each operation of a store.
func every(s document.Store) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"get": func(ctx context.Context) error { _, err := s.Get(ctx, noon, named("1")); return err },
		"create": func(ctx context.Context) error {
			_, err := s.Create(ctx, noon, named("1"), text("x", 1, evening))
			return err
		},
		"put": func(ctx context.Context) error {
			_, err := s.Put(ctx, noon, named("1"), text("x", 1, evening))
			return err
		},
		"delete": func(ctx context.Context) error { return s.Delete(ctx, named("1")) },
		"add":    func(ctx context.Context) error { _, err := s.Add(ctx, noon, named("1"), 1, evening); return err },
	}
}

func reportsUnavailable(t testing.TB, r Setup) {
	for verb, use := range every(r.Unreachable()) {
		check.Error(t, use(t.Context()), fault.ErrUnavailable, "%s", verb)
	}
}

func respectsContext(t testing.TB, r Setup) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for verb, use := range every(r.Open()) {
		if use(over) == nil {
			t.Errorf("%s: got no error with an expired context", verb)
		}
	}
}

// The caller's timeout for a store that does not answer, and the time in which the store must return. It is counted in beats: if
// the machine stalls, it uses one beat only.
const (
	given  = 100 * time.Millisecond
	beat   = 20 * time.Millisecond
	notice = 100
)

func timesOut(t testing.TB, r Setup) {
	s := r.Silent()
	for verb, use := range every(s) {
		ctx, cancel := context.WithTimeout(t.Context(), given)
		left := make(chan error, 1)
		go func() { left <- use(ctx) }()
		<-ctx.Done()
		if ok, err := within(notice, left); !ok {
			t.Fatalf("%s: has not returned in time", verb)
		} else if err == nil {
			t.Errorf("%s: got no error from a server that does not answer", verb)
		}
		cancel()
	}
}

// within waits up to a number of beats for the result.
func within(beats int, ended <-chan error) (ok bool, err error) {
	pace := time.NewTicker(beat)
	defer pace.Stop()
	for range beats {
		select {
		case err := <-ended:
			return true, err
		case <-pace.C:
		}
	}
	return false, nil
}
