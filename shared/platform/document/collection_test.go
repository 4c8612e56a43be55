package document_test

import (
	"context"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/local/documents"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A session is an example of a service's document.
type session struct {
	Version  int64     `json:"version"`
	Locale   string    `json:"locale"`
	LastSeen time.Time `json:"lastSeenAt"`
	Notes    []string  `json:"notes,omitzero"`
}

var key = document.KeyOf("tnt_1", "one")

func withStore(s document.Store) env.Env { return document.StoreKey.With(env.Of(nil), s) }

// yes fails unless a document was written.
func yes(t testing.TB, done bool, err error) {
	t.Helper()
	if err != nil || !done {
		t.Fatalf("got %v, %v, want it done", done, err)
	}
}

func TestCollection_roundTrip(t *testing.T) {
	t.Parallel()
	e := withStore(&documenttest.Memory{})
	c := document.Open[session](e, "sessions")
	for name, want := range map[string]session{
		"zero":  {},
		"small": {3, "fa-AF", time.Date(2031, 1, 2, 3, 4, 5, 6000, time.UTC), []string{"ښه راغلاست", "\u0000"}},
		"large": {4, "ps-AF", e.Now(), strings.Split(strings.Repeat("the same again,", 100_000), ",")},
	} {
		t.Run(name, func(t *testing.T) {
			k := document.KeyOf(name)
			done, err := c.Create(t.Context(), k, want, e.Now().Add(time.Hour))
			yes(t, done, err)
			got, ok, err := c.Get(t.Context(), k)
			switch {
			case err != nil:
				t.Errorf("err = %v, want nil", err)
			case !ok:
				t.Error("ok = false, want true")
			case !reflect.DeepEqual(got, want):
				t.Errorf("got = %v, want %v", got, want)
			}
		})
	}
	if _, ok, err := c.Get(t.Context(), document.KeyOf("nobody")); ok || err != nil {
		t.Errorf("missing document: got %v, %v", ok, err)
	}
}

func TestCollection_putNewest(t *testing.T) {
	t.Parallel()
	e := withStore(&documenttest.Memory{})
	c := document.Open[session](e, "sessions")
	end := e.Now().Add(time.Hour)
	done, err := c.Create(t.Context(), key, session{Locale: "en"}, end)
	yes(t, done, err)
	for _, test := range []struct {
		version int64
		stored  bool
	}{{0, false}, {2, true}, {1, false}, {2, false}, {3, true}} {
		stored, err := c.Put(t.Context(), key, session{Version: test.version}, test.version, end)
		if err != nil || stored != test.stored {
			t.Errorf("put version %d: got %v, %v, want %v", test.version, stored, err, test.stored)
		}
	}
	if got, _, _ := c.Get(t.Context(), key); got.Version != 3 {
		t.Errorf("got version %d, want 3", got.Version)
	}
	check.Must(t, c.Delete(t.Context(), key))
	if _, ok, err := c.Get(t.Context(), key); ok || err != nil {
		t.Errorf("deleted: got %v, %v", ok, err)
	}
}

func TestCollection_expiryByMovedClock(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	e := document.StoreKey.With(d.Env().With("DOCUMENT_TIMEOUT", "20s"), documents.Open(d.Env()))
	c, counter := document.Open[session](e, "sessions"), document.Name{Collection: "counters", ID: "1"}
	store := check.Got(document.StoreOf(e)).Must(t)
	end := e.Now().Add(time.Hour)
	done, err := c.Create(t.Context(), key, session{Locale: "en"}, end)
	yes(t, done, err)
	_, err = store.Add(t.Context(), e.Now(), counter, 41, end)
	check.Must(t, err)
	d.Advance(58 * time.Minute)
	if _, ok, err := c.Get(t.Context(), key); !ok || err != nil {
		t.Errorf("two minutes before its end: got %v, %v", ok, err)
	}
	check.Got(c.Create(t.Context(), key, session{}, end)).Want(t, false, "created while it lives")
	d.Advance(2 * time.Minute)
	if _, ok, err := c.Get(t.Context(), key); ok || err != nil {
		t.Errorf("after its end: got %v, %v", ok, err)
	}
	check.Got(store.Add(t.Context(), e.Now(), counter, 1, e.Now().Add(time.Hour))).Want(t, 1, "after its end")
	done, err = c.Create(t.Context(), key, session{Locale: "ps-AF"}, e.Now().Add(time.Hour))
	yes(t, done, err)
	if got, _, _ := c.Get(t.Context(), key); got.Locale != "ps-AF" {
		t.Errorf("got %+v, want the new one", got)
	}
}

func TestPut_tooLarge(t *testing.T) {
	t.Parallel()
	e := withStore(&documenttest.Memory{})
	c := document.Open[string](e, "pages")
	random := rand.NewChaCha8([32]byte{})
	noise := make([]byte, 1<<20)
	_, _ = random.Read(noise)
	for name, test := range map[string]struct {
		value string
		want  error
	}{
		"compressible":                 {value: strings.Repeat("z", 2<<20), want: nil},
		"incompressible":               {value: hex.EncodeToString(noise), want: document.ErrTooLarge},
		"too large before compression": {value: strings.Repeat("z", 16<<20), want: document.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			check.Got(c.Put(t.Context(), document.KeyOf(name), test.value, 1, e.Now().Add(time.Hour))).Error(t, test.want)
		})
	}
}

// uses is each use of documents once.
func uses(ctx context.Context, e env.Env, collection string, key document.Key) map[string]error {
	c := document.Open[session](e, collection)
	errs := map[string]error{"delete": c.Delete(ctx, key)}
	_, _, errs["get"] = c.Get(ctx, key)
	_, errs["create"] = c.Create(ctx, key, session{}, e.Now().Add(time.Hour))
	_, errs["put"] = c.Put(ctx, key, session{}, 1, e.Now().Add(time.Hour))
	store, err := document.StoreOf(e)
	if errs["add"] = err; err == nil {
		_, errs["add"] = store.Add(ctx, e.Now(), c.Name(key), 1, e.Now().Add(time.Hour))
	}
	return errs
}

// hanging is a store that never answers.
type hanging struct{ documenttest.Memory }

func (*hanging) Get(ctx context.Context, _ time.Time, _ ...document.Name) ([]*document.Record, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestCollection_storeUnavailable(t *testing.T) {
	t.Parallel()
	down := &documenttest.Memory{Refuse: func(string) error { return fault.ErrUnavailable }}
	for verb, err := range uses(t.Context(), withStore(down), "sessions", key) {
		switch {
		case !errors.Is(err, fault.ErrUnavailable):
			t.Errorf("%s: err = %v, want %v", verb, err, fault.ErrUnavailable)
		case strings.Contains(err.Error(), key.String()):
			t.Errorf("%s: err.Error() = %q, want one without %q", verb, err.Error(), key.String())
		case !strings.Contains(err.Error(), "sessions"):
			t.Errorf("%s: err.Error() = %q, want one containing %q", verb, err.Error(), "sessions")
		}
	}
	e := withStore(&hanging{}).With("DOCUMENT_TIMEOUT", "5ms")
	if _, _, err := document.Open[session](e, "sessions").Get(t.Context(), key); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("a store that hangs: got %v, want %v", err, fault.ErrUnavailable)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := document.Open[session](e, "sessions").Get(over, key); !errors.Is(err, context.Canceled) || errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("a caller who left: got %v, want %v alone", err, context.Canceled)
	}
}

func TestPrefetch_shortDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := withStore(&hanging{}).With("DOCUMENT_TIMEOUT", "1s")
		sessions := document.Open[session](e, "sessions")
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		began := time.Now()
		ctx = document.Prefetch(ctx, e, sessions.Name(key)).WithPrefetched(ctx)
		if _, _, err := sessions.GetPrefetched(ctx, key); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Millisecond {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestCollection_invalidUse(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	e := withStore(&documenttest.Memory{Refuse: func(string) error { asked.Add(1); return nil }})
	for _, test := range []struct {
		name, collection string
		key              document.Key
		env              env.Env
	}{
		{name: "no store", collection: "sessions", key: key, env: env.Of(nil)},
		{name: "no key", collection: "sessions", key: document.Key{}, env: e},
		{name: "no collection", collection: "", key: key, env: e},
		{name: "a collection with a slash", collection: "sessions/x", key: key, env: e},
		{name: "a collection in capitals", collection: "Sessions", key: key, env: e},
	} {
		t.Run(test.name, func(t *testing.T) {
			for verb, err := range uses(t.Context(), test.env, test.collection, test.key) {
				if err == nil || errors.Is(err, fault.ErrUnavailable) {
					t.Errorf("%s: error = %v, want another than %v", verb, err, fault.ErrUnavailable)
				}
			}
		})
	}
	if asked.Load() != 0 {
		t.Errorf("the store was asked %d times", asked.Load())
	}
}
