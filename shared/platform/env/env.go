// Package env is what a function is told by its surroundings: configuration and the clock.
//
// It alone reads the process environment and the time. Everything else is given an Env, so that a test or the local
// cloud can set variables and move the clock for exactly the code it runs.
package env

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sethvargo/go-envconfig"
)

// An Env is a small value. Those derived from it by With and Give are its family: they share one clock, one set of
// clients and one Close. Make the first with System or Of.
type Env struct {
	lookup envconfig.Lookuper
	given  map[reflect.Type]any // never written after it was made
	family *family
}

type family struct {
	offset  atomic.Int64 // nanoseconds by which the clock is moved
	broken  error        // told by the first Load, because System has no way to say it
	mu      sync.Mutex
	clients map[clientKey]*client
	closers []func(context.Context) error
}

// System is the process environment and the real clock, moved by the duration in CLOCK_OFFSET if there is one.
func System() Env {
	e := Env{lookup: envconfig.OsLookuper(), family: newFamily()}
	if s := os.Getenv("CLOCK_OFFSET"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			e.family.broken = errors.New("CLOCK_OFFSET is not a duration such as 31m")
		}
		e.Advance(d)
	}
	return e
}

// Of holds these variables and no others. Its clock is the real one until it is moved.
func Of(vars map[string]string) Env {
	return Env{lookup: envconfig.MapLookuper(maps.Clone(vars)), family: newFamily()}
}

func newFamily() *family {
	return &family{clients: map[clientKey]*client{}}
}

// With returns the Env with one variable more, or another value for it.
func (e Env) With(key, value string) Env {
	one := envconfig.MapLookuper(map[string]string{key: value})
	e.lookup = envconfig.MultiLookuper(one, e.lookup)
	return e
}

// Load fills the struct that into points to from variables, as its env tags say: `env:"DATABASE_URL,required"`,
// `env:"DATABASE_POOL,default=4"`. A variable that is set but empty counts as not set.
func (e Env) Load(into any) error {
	if e.family.broken != nil {
		return fmt.Errorf("env: %w", e.family.broken)
	}
	err := envconfig.ProcessWith(context.Background(), &envconfig.Config{Target: into, Lookuper: nonEmpty{e.lookup}})
	if err != nil {
		return fmt.Errorf("env: %w", err)
	}
	return nil
}

// nonEmpty treats an empty variable as an absent one: deployment tools set "" where they mean nothing.
type nonEmpty struct{ envconfig.Lookuper }

func (n nonEmpty) Lookup(key string) (string, bool) {
	value, ok := n.Lookuper.Lookup(key)
	return value, ok && value != ""
}

// Now is the time in UTC, to the microsecond: what Postgres keeps, so that a time read back equals the one written.
func (e Env) Now() time.Time {
	return time.Now().Add(e.Offset()).UTC().Truncate(time.Microsecond)
}

// Advance moves the clock of the whole family.
func (e Env) Advance(d time.Duration) { e.family.offset.Add(int64(d)) }

// Offset is how far the clock has been moved.
func (e Env) Offset() time.Duration { return time.Duration(e.family.offset.Load()) }

// A TimeoutFactor is given by tests that have not to do with time: on a machine that stands still for a moment a call within
// the seconds of a deployed function would fail, and say nothing of the code.
type TimeoutFactor int

// Timeout is how long something may take that is given d: d, unless there is a TimeoutFactor.
func (e Env) Timeout(d time.Duration) time.Duration {
	if factor, ok := Given[TimeoutFactor](e); ok {
		return d * time.Duration(factor)
	}
	return d
}

// Give returns the Env with v, under its type T. Whoever builds a binary gives what rooms must not choose themselves: drivers.
func Give[T any](e Env, v T) Env {
	given := maps.Clone(e.given)
	if given == nil {
		given = map[reflect.Type]any{}
	}
	given[reflect.TypeFor[T]()] = v
	e.given = given
	return e
}

// Given returns the T that the builder of the binary gave, if any.
func Given[T any](e Env) (T, bool) {
	v, ok := e.given[reflect.TypeFor[T]()].(T)
	return v, ok
}
