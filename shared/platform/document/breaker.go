package document

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sony/gobreaker/v2"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
)

// StoreOf returns the configured store with a timeout and a circuit breaker: a hanging store counts as unavailable and must not
// use up a caller's deadline. All functions of this package use it.
func StoreOf(e env.Env) (Store, error) {
	driver, ok := StoreKey.Get(e)
	if !ok {
		return nil, ErrNoStore
	}
	// All copies of an Env share the breaker of a store; an Env with another store has another breaker.
	return env.Once(e, fmt.Sprintf("document %p", driver), func() (Store, error) { return guard(e, driver) })
}

// A guarded store wraps a driver with the timeout and the circuit breaker. Its errors name the operation and the collection, but
// never the key, which may identify a session. While the circuit breaker is open, calls fail at once.
type guarded struct {
	driver  Store
	timeout time.Duration
	breaker *gobreaker.CircuitBreaker[any]
}

// tripAfter is the number of consecutive failures that open the breaker. After the pause a single call probes the store.
const tripAfter = 3

func guard(e env.Env, driver Store) (*guarded, error) {
	var config struct {
		// The timeout of one call. Callers have a deadline of about a second, and can work without the document.
		Timeout time.Duration `env:"DOCUMENT_TIMEOUT,default=150ms"`
		Pause   time.Duration `env:"DOCUMENT_PAUSE,default=4s"` // how long the circuit breaker stays open
	}
	if err := e.Load(&config); err != nil {
		return nil, fmt.Errorf("document: %w", err)
	}
	return &guarded{driver, config.Timeout, gobreaker.NewCircuitBreaker[any](gobreaker.Settings{
		MaxRequests: 1, Timeout: config.Pause,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsSuccessful: func(err error) bool { return !errors.Is(err, fault.ErrUnavailable) }, // the store answered
		IsExcluded:   callerEnded,
	})}, nil
}

// callerEnded reports whether a call failed because its caller left or ran out of time, which says nothing about the store.
func callerEnded(err error) bool {
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return ended && !errors.Is(err, fault.ErrUnavailable)
}

// call runs one operation of the driver. It returns ErrUnavailable while the breaker is open, and if the operation has taken the
// whole timeout although the caller's own context has not ended.
func call[T any](ctx context.Context, g *guarded, verb string, names []Name, use func(context.Context) (T, error)) (result T, err error) {
	for _, n := range names {
		if !n.valid() {
			return result, errName
		}
	}
	within, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	_, err = g.breaker.Execute(func() (_ any, err error) {
		result, err = use(within)
		if err != nil && within.Err() != nil && ctx.Err() == nil && !errors.Is(err, fault.ErrUnavailable) {
			err = fault.ErrUnavailable.Because(err)
		}
		return nil, err
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		err = fault.ErrUnavailable.Because(err)
	}
	if err != nil {
		return result, fmt.Errorf("document: %s %s: %w", verb, names[0].Collection, err)
	}
	return result, nil
}

var errName = errors.New("document: a name needs a collection of lower-case letters, digits and dashes, and a key")

func (n Name) valid() bool {
	illegal := func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-') }
	return n.Collection != "" && n.ID != "" && !strings.ContainsFunc(n.Collection, illegal)
}

// Get is the driver's Get. It returns at once if there are no names.
func (g *guarded) Get(ctx context.Context, now time.Time, names ...Name) ([]*Record, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return call(ctx, g, "get", names, func(ctx context.Context) ([]*Record, error) { return g.driver.Get(ctx, now, names...) })
}

// Create is the driver's Create.
func (g *guarded) Create(ctx context.Context, now time.Time, name Name, r Record) (bool, error) {
	return call(ctx, g, "create", []Name{name}, func(ctx context.Context) (bool, error) { return g.driver.Create(ctx, now, name, r) })
}

// Put is the driver's Put.
func (g *guarded) Put(ctx context.Context, now time.Time, name Name, r Record) (bool, error) {
	return call(ctx, g, "put", []Name{name}, func(ctx context.Context) (bool, error) { return g.driver.Put(ctx, now, name, r) })
}

// Delete is the driver's Delete.
func (g *guarded) Delete(ctx context.Context, name Name) error {
	_, err := call(ctx, g, "delete", []Name{name}, func(ctx context.Context) (any, error) { return nil, g.driver.Delete(ctx, name) })
	return err
}

// Add is the driver's Add.
func (g *guarded) Add(ctx context.Context, now time.Time, name Name, n int64, until time.Time) (int64, error) {
	return call(ctx, g, "add", []Name{name}, func(ctx context.Context) (int64, error) { return g.driver.Add(ctx, now, name, n, until) })
}
