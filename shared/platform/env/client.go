package env

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// A client is a value that Once opens. Its type is part of the key, so one name may identify a value of each type.
type (
	client[T any] struct {
		mu    sync.Mutex
		value *T // nil until it is opened
	}
	clientKey[T any] struct{ name string }
)

// Once returns the T of that key, shared by all copies of the Env. The first caller opens it and concurrent callers wait. An
// error is not cached: the next call tries again. Open may call Once for other keys, but not for its own.
func Once[T any](e Env, key string, open func() (T, error)) (T, error) {
	found, _ := e.family.clients.LoadOrStore(clientKey[T]{key}, &client[T]{})
	c, _ := found.(*client[T]) // by its key
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.value == nil {
		v, err := open()
		if err != nil {
			return v, err
		}
		c.value = &v
	}
	return *c.value, nil
}

// OnClose registers f to be called by Close.
func (e Env) OnClose(f func(context.Context) error) {
	e.family.mu.Lock()
	defer e.family.mu.Unlock()
	e.family.closers = append(e.family.closers, f)
}

// Close calls the functions given to OnClose, last first, each once, and returns all their errors. Values opened by Once stay
// cached in their closed state: do not use an Env after Close.
func (e Env) Close(ctx context.Context) error {
	e.family.mu.Lock()
	closers := e.family.closers
	e.family.closers = nil
	e.family.mu.Unlock()
	var errs []error
	for _, f := range slices.Backward(closers) {
		errs = append(errs, f(ctx))
	}
	return errors.Join(errs...)
}
