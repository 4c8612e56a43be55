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

// A breakers has the time limit, and a circuit breaker for each store, of one Env's family.
type breakers struct {
	timeout time.Duration
	pause   time.Duration
	watches sync.Map // from a Store, or the type of one that cannot be told from its like, to its *watch
}

// A storeBreaker is the circuit breaker of one store, and the callers that read it together.
type storeBreaker struct {
	breaker *breaker
	readers batchedReads // of those who look ahead
}

type breaker = gobreaker.CircuitBreaker[struct{}]

func openBreakers(e env.Env) (*breakers, error) {
	var c struct {
		// For one use of the store. Whoever waits has a budget of a second or so, and lives without the document.
		Patience time.Duration `env:"DOCUMENT_TIMEOUT,default=150ms"`
		Pause    time.Duration `env:"DOCUMENT_PAUSE,default=4s"` // for which a store that is down is left alone
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

// tripAfter is how often in a row a store must be away to be down. After a pause one use tries it again.
const tripAfter = 3

func newBreaker(pause time.Duration) *breaker {
	return gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name: "document", MaxRequests: 1, Timeout: pause,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		IsSuccessful: func(err error) bool { return !errors.Is(err, fault.ErrUnavailable) }, // a refusal is a sign of life
		IsExcluded:   ended,
	})
}

// ended reports whether a use failed because its caller left, or had no more time: that says nothing of the store.
func ended(err error) bool {
	over := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return over && !errors.Is(err, fault.ErrUnavailable)
}

// try has the store used, unless it is left alone.
func (w *storeBreaker) try(use func() error) error {
	_, err := w.breaker.Execute(func() (struct{}, error) { return struct{}{}, use() })
	return shut(err)
}

// down is nil unless the store is left alone, or somebody just tries it again.
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

// shut makes the refusal of an open breaker the error that a store which does not answer has.
func shut(err error) error {
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return fault.ErrUnavailable.Because(err)
	}
	return err
}
