package document

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
)

// breakers holds the timeout, and one circuit breaker per store, shared by all copies of an Env.
type breakers struct {
	timeout time.Duration
	pause   time.Duration
	stores  sync.Map // from a Store, or from its type if it is not comparable, to its *breaker
}

func openBreakers(e env.Env) (*breakers, error) {
	var c struct {
		// The timeout of one call. Callers have a deadline of about a second, and can work without the document.
		Timeout time.Duration `env:"DOCUMENT_TIMEOUT,default=150ms"`
		Pause   time.Duration `env:"DOCUMENT_PAUSE,default=4s"` // how long the circuit breaker stays open
	}
	err := e.Load(&c)
	return &breakers{timeout: c.Timeout, pause: c.Pause}, err
}

// of returns the breaker of a store.
func (b *breakers) of(s Store) *breaker {
	key := any(s)
	if !reflect.ValueOf(s).Comparable() {
		key = reflect.TypeOf(s)
	}
	known, ok := b.stores.Load(key)
	if !ok {
		known, _ = b.stores.LoadOrStore(key, newBreaker(b.pause))
	}
	return known.(*breaker)
}

// A breaker is the circuit breaker of one store.
type breaker struct {
	*gobreaker.CircuitBreaker[struct{}]
}

// tripAfter is the number of consecutive failures that open the breaker. After the pause a single call probes the store.
const tripAfter = 3

func newBreaker(pause time.Duration) *breaker {
	return &breaker{gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name: "document", MaxRequests: 1, Timeout: pause,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsSuccessful: func(err error) bool { return !errors.Is(err, fault.ErrUnavailable) }, // the store answered
		IsExcluded:   ended,
	})}
}

// ended reports whether a call failed because its caller left or ran out of time, which says nothing about the store.
func ended(err error) bool {
	over := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return over && !errors.Is(err, fault.ErrUnavailable)
}

// try calls use through the circuit breaker. It returns ErrUnavailable while the breaker is open.
func (b *breaker) try(use func() error) error {
	_, err := b.Execute(func() (struct{}, error) { return struct{}{}, use() })
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return fault.ErrUnavailable.Because(err)
	}
	return err
}
