package env

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
)

type clientKey struct {
	of  reflect.Type
	key string
}

type client struct {
	mu    sync.Mutex
	open  bool
	value any
}

// Once returns the family's one T of that key, opened by the first who asks. Others who ask meanwhile wait for it.
// An error is not remembered: the next who asks tries again. Open may ask for others with Once, but not for itself.
func Once[T any](e Env, key string, open func() (T, error)) (T, error) {
	c := e.family.client(clientKey{reflect.TypeFor[T](), key})
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.open {
		v, err := open()
		if err != nil {
			return v, err
		}
		c.open, c.value = true, v
	}
	v, _ := c.value.(T) // of type T by its key, or a nil interface
	return v, nil
}

func (f *family) client(k clientKey) *client {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.clients[k]
	if !ok {
		c = &client{}
		f.clients[k] = c
	}
	return c
}

// OnClose has f called when the family is closed.
func (e Env) OnClose(f func(context.Context) error) {
	e.family.mu.Lock()
	defer e.family.mu.Unlock()
	e.family.closers = append(e.family.closers, f)
}

// Close calls what OnClose was given, last first, each once, and returns all their errors. What Once has opened
// stays known, closed as it now is: an Env is not for use after Close.
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
