// Package env gives a function its configuration and its clock.
//
// Only this package reads the process environment and the time. All other code gets an Env, so that a test or the local cloud
// can set variables and move the clock for exactly the code it runs.
package env

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sethvargo/go-envconfig"
)

// An Env is a small value. The Envs derived from it by With and by keys are its family: they share one clock, one set of clients
// and one Close. System and Of return the first of a family.
type Env struct {
	lookup envconfig.Lookuper
	values map[any]any // by *Key; never modified after creation
	family *family
}

type family struct {
	offset  atomic.Int64 // offset of the clock in nanoseconds
	broken  error        // returned by the first Load, because System cannot return an error
	clients sync.Map     // of clientKey to *client
	mu      sync.Mutex
	closers []func(context.Context) error
}

// System returns the process environment and the real clock, moved by the duration in CLOCK_OFFSET if it is set.
func System() Env {
	e := Env{lookup: envconfig.OsLookuper(), family: &family{}}
	if s := os.Getenv("CLOCK_OFFSET"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			e.family.broken = errors.New("CLOCK_OFFSET is not a duration such as 31m")
		}
		e.Advance(d)
	}
	return e
}

// Of returns an Env with these variables only. Its clock is the real one until it is moved.
func Of(vars map[string]string) Env {
	return Env{lookup: envconfig.MapLookuper(maps.Clone(vars)), family: &family{}}
}

// With returns the Env with one variable added or replaced.
func (e Env) With(key, value string) Env {
	one := envconfig.MapLookuper(map[string]string{key: value})
	e.lookup = envconfig.MultiLookuper(one, e.lookup)
	return e
}

// Load sets the fields of the struct that into points to from variables, as its env tags say: `env:"DATABASE_URL,required"`,
// `env:"DATABASE_POOL,default=4"`. An empty variable counts as not set.
func (e Env) Load(into any) error { return e.LoadPrefixed("", into) }

// LoadPrefixed is Load for variables whose names begin with the prefix, which the tags omit.
func (e Env) LoadPrefixed(prefix string, into any) error {
	if e.family.broken != nil {
		return fmt.Errorf("env: %w", e.family.broken)
	}
	err := envconfig.ProcessWith(context.Background(), &envconfig.Config{Target: into, Lookuper: envconfig.PrefixLookuper(prefix, nonEmpty{e.lookup})})
	if err != nil {
		return fmt.Errorf("env: %w", err)
	}
	return nil
}

// nonEmpty treats an empty variable as not set, because deployment tools set "" for missing values.
type nonEmpty struct{ envconfig.Lookuper }

func (n nonEmpty) Lookup(key string) (string, bool) {
	value, ok := n.Lookuper.Lookup(key)
	return value, ok && value != ""
}

// Now returns the time in UTC, to the microsecond, the precision of Postgres, so that a stored time equals the one read back.
func (e Env) Now() time.Time {
	return time.Now().Add(e.Offset()).UTC().Truncate(time.Microsecond)
}

// Advance moves the clock of the whole family.
func (e Env) Advance(d time.Duration) { e.family.offset.Add(int64(d)) }

// Offset returns how far the clock has been moved.
func (e Env) Offset() time.Duration { return time.Duration(e.family.offset.Load()) }

// Timeout returns d, multiplied by TIMEOUT_FACTOR: on a slow machine, or in a debugger, calls would exceed their timeouts for no
// fault of the code.
func (e Env) Timeout(d time.Duration) time.Duration {
	var c struct {
		Factor int `env:"TIMEOUT_FACTOR,default=1"`
	}
	if err := e.Load(&c); err != nil || c.Factor < 1 {
		return d
	}
	return d * time.Duration(c.Factor)
}
