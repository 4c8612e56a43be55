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

// Once returns the T of that key, shared by all copies of the Env. The first caller opens it and concurrent callers wait. An
// error is not cached: the next call tries again. Open may call Once for other keys, but not for its own.
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
