package redis_test

import (
	"context"
	"strings"
	"testing"
	"time"

	sdk "github.com/redis/go-redis/v9"

	"melmastoon.ghasi.io/shared/local/subprocess"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/redis"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
	"melmastoon.ghasi.io/shared/testkit/emulatortest"
)

// another returns a store like that of another process on the server: both share only the stored documents.
func another(t testing.TB, address, prefix string) *redis.Store {
	e := env.Of(map[string]string{"REDIS_URL": "redis://" + address, "REDIS_PREFIX": prefix + ":"})
	t.Cleanup(func() { check.Must(t, e.Close(context.Background())) })
	return redis.Open(e)
}

func TestRedisConforms(t *testing.T) {
	t.Parallel()
	documenttest.Conform(t, func(t testing.TB) documenttest.Setup {
		address, prefix := emulatortest.Redis(t), emulatortest.Name()
		nobody := check.Got(subprocess.FreeAddress()).Must(t)
		return documenttest.Setup{
			Open:        func() document.Store { return another(t, address, prefix) },
			Unreachable: func() document.Store { return another(t, nobody, prefix) },
			Silent:      func() document.Store { return another(t, documenttest.Listener(t), prefix) },
		}
	})
}

// client is for looking, at keys as Redis has them.
func client(t testing.TB, address string) *sdk.Client {
	c := sdk.NewClient(&sdk.Options{Addr: address})
	t.Cleanup(func() { check.Must(t, c.Close()) })
	return c
}

// Redis deletes an expired document itself, but only when it has expired on every process's clock. The time to live is relative
// to the caller's clock, which may be moved.
func TestRedis_keyLifetime(t *testing.T) {
	t.Parallel()
	const margin, slack = time.Minute, 30 * time.Second
	address, prefix := emulatortest.Redis(t), emulatortest.Name()
	s, look := another(t, address, prefix), client(t, address)
	now := time.Date(2031, 3, 21, 12, 0, 0, 0, time.UTC)
	name := func(id string) document.Name { return document.Name{Collection: "sessions", ID: id} }
	create := func(id string, until time.Time) {
		check.Got(s.Create(t.Context(), now, name(id), document.Record{ExpiresAt: until})).Must(t)
	}
	add := func(id string, until time.Time) { check.Got(s.Add(t.Context(), now, name(id), 1, until)).Must(t) }
	create("created", now.Add(time.Hour))
	create("ended", now.Add(-time.Hour))
	create("put", now.Add(time.Hour))
	check.Got(s.Put(t.Context(), now, name("put"), document.Record{Version: 1, ExpiresAt: now.Add(2 * time.Hour)})).Must(t)
	add("counted", now.Add(time.Hour))
	add("counted", now.Add(time.Minute)) // never nearer
	add("moved", now.Add(time.Minute))
	add("moved", now.Add(time.Hour))
	for id, want := range map[string]time.Duration{"created": time.Hour, "ended": 0, "put": 2 * time.Hour, "counted": time.Hour, "moved": time.Hour} {
		t.Run(id, func(t *testing.T) {
			got, err := look.PTTL(t.Context(), prefix+":sessions/"+id).Result()
			switch {
			case err != nil:
				t.Errorf("err = %v, want nil", err)
			case got > want+margin:
				t.Errorf("got = %v, want at most %v", got, want+margin)
			case got < want+margin-slack:
				t.Errorf("got = %v, want at least %v", got, want+margin-slack)
			}
		})
	}
}

// A hash of another program is an error, not an empty document.
func TestRedis_foreignHash(t *testing.T) {
	t.Parallel()
	address, prefix := emulatortest.Redis(t), emulatortest.Name()
	check.Must(t, client(t, address).HSet(t.Context(), prefix+":sessions/1", "e", "tomorrow").Err())
	if found, err := another(t, address, prefix).Get(t.Context(), time.Now(), document.Name{Collection: "sessions", ID: "1"}); err == nil {
		t.Errorf("got %v", found)
	}
}

func TestRedis_wrongURL(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ url, ca, want string }{
		"nothing":                {"", "", "REDIS_URL"},
		"another protocol":       {"http://:hush@somewhere", "", "REDIS_URL"},
		"no URL":                 {"rediss://:hush@somewhere:port", "", "REDIS_URL"},
		"an authority for plain": {"redis://:hush@somewhere", "PEM", "REDIS_CA"},
		"no certificate":         {"rediss://:hush@somewhere", "PEM", "REDIS_CA"},
	} {
		t.Run(name, func(t *testing.T) {
			e := env.Of(map[string]string{"REDIS_URL": test.url, "REDIS_CA": test.ca})
			err := redis.Open(e).Delete(t.Context(), document.Name{Collection: "sessions", ID: "1"})
			switch {
			case err == nil:
				t.Errorf("%s: err = nil, want a value", name)
			case !strings.Contains(err.Error(), test.want):
				t.Errorf("%s: err.Error() = %q, want one containing %q", name, err.Error(), test.want)
			case strings.Contains(err.Error(), "hush"):
				t.Errorf("%s: err.Error() = %q, want one without %q", name, err.Error(), "hush")
			}
		})
	}
}
