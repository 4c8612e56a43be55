package document

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
)

// StoreOf returns the configured store with a timeout on every call: a hanging store counts as unavailable and must not use up a
// caller's deadline. All functions of this package use it.
func StoreOf(e env.Env) (Store, error) {
	driver, ok := StoreKey.Get(e)
	if !ok {
		return nil, ErrNoStore
	}
	w, err := env.Once(e, "document", func() (*breakers, error) { return openBreakers(e) })
	if err != nil {
		return nil, fmt.Errorf("document: %w", err)
	}
	return bounded{driver: driver, timeout: w.timeout, breaker: w.of(driver)}, nil
}

// bounded wraps a driver with the timeout and the circuit breaker. Its errors name the operation and the collection, but never
// the key, which may identify a session. While the circuit breaker is open, calls fail at once.
type bounded struct {
	driver  Store
	timeout time.Duration
	breaker *breaker
}

func (b bounded) do(ctx context.Context, verb string, names []Name, f func(context.Context) error) error {
	if err := checked(names); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	err := b.breaker.try(func() error { return asTimeout(ctx, within, f(within)) })
	if err != nil {
		return fmt.Errorf("document: %s %s: %w", verb, names[0].Collection, err)
	}
	return nil
}

// asTimeout maps an expired store timeout to ErrUnavailable, unless the caller's own context has ended.
func asTimeout(ctx, within context.Context, err error) error {
	if err != nil && within.Err() != nil && ctx.Err() == nil && !errors.Is(err, fault.ErrUnavailable) {
		return fault.ErrUnavailable.Because(err)
	}
	return err
}

// checked returns an error if a name is invalid.
func checked(names []Name) error {
	for _, n := range names {
		if err := n.check(); err != nil {
			return err
		}
	}
	return nil
}

var errName = errors.New("document: a name needs a collection of lower-case letters, digits and dashes, and a key")

func (n Name) check() error {
	illegal := func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-') }
	if n.Collection == "" || n.ID == "" || strings.ContainsFunc(n.Collection, illegal) {
		return errName
	}
	return nil
}

// Get is the driver's Get. It returns at once if there are no names.
func (b bounded) Get(ctx context.Context, now time.Time, names ...Name) (found []*Record, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	err = b.do(ctx, "get", names, func(ctx context.Context) (err error) {
		found, err = b.driver.Get(ctx, now, names...)
		return err
	})
	return found, err
}

// Create is the driver's Create.
func (b bounded) Create(ctx context.Context, now time.Time, name Name, r Record) (created bool, err error) {
	err = b.do(ctx, "create", []Name{name}, func(ctx context.Context) (err error) {
		created, err = b.driver.Create(ctx, now, name, r)
		return err
	})
	return created, err
}

// Put is the driver's Put.
func (b bounded) Put(ctx context.Context, now time.Time, name Name, r Record) (stored bool, err error) {
	err = b.do(ctx, "put", []Name{name}, func(ctx context.Context) (err error) {
		stored, err = b.driver.Put(ctx, now, name, r)
		return err
	})
	return stored, err
}

// Delete is the driver's Delete.
func (b bounded) Delete(ctx context.Context, name Name) error {
	return b.do(ctx, "delete", []Name{name}, func(ctx context.Context) error { return b.driver.Delete(ctx, name) })
}

// Add is the driver's Add.
func (b bounded) Add(ctx context.Context, now time.Time, name Name, n int64, until time.Time) (sum int64, err error) {
	err = b.do(ctx, "add", []Name{name}, func(ctx context.Context) (err error) {
		sum, err = b.driver.Add(ctx, now, name, n, until)
		return err
	})
	return sum, err
}
