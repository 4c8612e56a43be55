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

// A breakers holds the timeout, and one circuit breaker per store, shared by all copies of an Env.
type breakers struct {
	timeout time.Duration
	pause   time.Duration
	watches sync.Map // from a Store, or from its type if it is not comparable, to its *storeBreaker
}

// A storeBreaker holds the circuit breaker of one store and its batched reads.
type storeBreaker struct {
	breaker *breaker
	readers batchedReads // of Prefetch
}

type breaker = gobreaker.CircuitBreaker[struct{}]

func openBreakers(e env.Env) (*breakers, error) {
	var c struct {
		// The timeout of one call. Callers have a deadline of about a second, and can work without the document.
		Patience time.Duration `env:"DOCUMENT_TIMEOUT,default=150ms"`
		Pause    time.Duration `env:"DOCUMENT_PAUSE,default=4s"` // how long the circuit breaker stays open
	}
	err := e.Load(&c)
	return &breakers{timeout: c.Patience, pause: c.Pause}, err
}

func (w *breakers) watch(s Store) *storeBreaker {
	key := any(s)
	if !reflect.ValueOf(s).Comparable() {
		key = reflect.TypeOf(s)
	}
	known, ok := w.watches.Load(key)
	if !ok {
		known, _ = w.watches.LoadOrStore(key, &storeBreaker{breaker: newBreaker(w.pause)})
	}
	return known.(*storeBreaker)
}

// tripAfter is the number of consecutive failures that open the breaker. After the pause a single call probes the store.
const tripAfter = 3

func newBreaker(pause time.Duration) *breaker {
	return gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name: "document", MaxRequests: 1, Timeout: pause,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsSuccessful: func(err error) bool { return !errors.Is(err, fault.ErrUnavailable) }, // the store answered
		IsExcluded:   ended,
	})
}

// ended reports whether a call failed because its caller left or ran out of time, which says nothing about the store.
func ended(err error) bool {
	over := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return over && !errors.Is(err, fault.ErrUnavailable)
}

// try calls use through the circuit breaker.
func (w *storeBreaker) try(use func() error) error {
	_, err := w.breaker.Execute(func() (struct{}, error) { return struct{}{}, use() })
	return shut(err)
}

// down returns an error if the breaker is open, or if a probe is already running.
func (w *storeBreaker) down() error {
	switch w.breaker.State() {
	case gobreaker.StateOpen:
		return shut(gobreaker.ErrOpenState)
	case gobreaker.StateHalfOpen:
		if c := w.breaker.Counts(); c.Requests > c.TotalExclusions {
			return shut(gobreaker.ErrTooManyRequests)
		}
	}
	return nil
}

// shut maps the errors of an open breaker to ErrUnavailable.
func shut(err error) error {
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return fault.ErrUnavailable.Because(err)
	}
	return err
}
