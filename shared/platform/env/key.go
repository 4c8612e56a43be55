package env

import "maps"

// A Key identifies a value that an Env carries in addition to its variables, such as the driver of a store. The package that uses
// the value declares its key, as document.StoreKey; the code that builds a binary sets the value.
type Key[T any] struct{ name string }

// NewKey returns a new key. Its name is for debugging only.
func NewKey[T any](name string) *Key[T] { return &Key[T]{name} }

// String returns the name.
func (k *Key[T]) String() string { return k.name }

// With returns the Env with the value set or replaced.
func (k *Key[T]) With(e Env, v T) Env {
	values := maps.Clone(e.values)
	if values == nil {
		values = map[any]any{}
	}
	values[k] = v
	e.values = values
	return e
}

// Get returns the value, if it is set.
func (k *Key[T]) Get(e Env) (T, bool) {
	v, ok := e.values[k].(T)
	return v, ok
}
