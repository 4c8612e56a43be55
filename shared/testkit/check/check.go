// Package check holds the assertions that most tests need. A failure shows the line of the test, both values, and what the test says
// about them: each about is a format and its arguments, or nothing. Helper is called only on a failure: a fuzz target may not call it on
// the testing.F of its fake platform.
package check

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Must ends the test if err is not nil.
func Must(t testing.TB, err error, about ...any) {
	if err != nil {
		t.Helper()
		t.Fatalf("%s%v", prefix(about), err)
	}
}

// NoError reports err unless it is nil.
func NoError(t testing.TB, err error, about ...any) {
	if err != nil {
		t.Helper()
		t.Errorf("%sgot %v, want no error", prefix(about), err)
	}
}

// Fails reports that err is nil.
func Fails(t testing.TB, err error, about ...any) {
	if err == nil {
		t.Helper()
		t.Errorf("%sgot no error, want one", prefix(about))
	}
}

// Error reports err unless want is in its chain.
func Error(t testing.TB, err, want error, about ...any) {
	if !errors.Is(err, want) {
		t.Helper()
		t.Errorf("%sgot error %v, want %v", prefix(about), err, want)
	}
}

// Equal reports a difference between got and want. Nil and empty are equal.
func Equal[T any](t testing.TB, got, want T, about ...any) {
	if same(got, want) {
		return
	}
	t.Helper()
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	switch text := g.String(); {
	case g.Kind() == reflect.String && strings.Contains(text, "\n"):
		t.Errorf("%sgot\n%s\nwant\n%s", prefix(about), text, w.String())
	case g.Kind() == reflect.String:
		t.Errorf("%sgot %q, want %q", prefix(about), text, w.String())
	case g.Kind() == reflect.Slice || g.Kind() == reflect.Map || g.Kind() == reflect.Struct:
		everyField := cmp.Exporter(func(reflect.Type) bool { return true })
		if diff := cmp.Diff(want, got, everyField); diff != "" {
			t.Errorf("%s(-want +got)\n%s", prefix(about), diff)
			return
		}
		fallthrough // their Equal method ignores the difference, such as a time's location
	default:
		t.Errorf("%sgot %v, want %v", prefix(about), got, want)
	}
}

func same(got, want any) bool {
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	bothEmpty := g.Kind() == w.Kind() && (g.Kind() == reflect.Slice || g.Kind() == reflect.Map) && g.Len()+w.Len() == 0
	return bothEmpty || reflect.DeepEqual(got, want)
}

// MustEqual ends the test if got and want differ.
func MustEqual[T any](t testing.TB, got, want T, about ...any) {
	if !same(got, want) {
		t.Helper()
		t.Fatalf("%sgot %v, want %v", prefix(about), got, want)
	}
}

// NotEqual reports that got equals other. An empty slice is not nil.
func NotEqual[T any](t testing.TB, got, other T, about ...any) {
	if reflect.DeepEqual(got, other) {
		t.Helper()
		t.Errorf("%sgot %v, want another value", prefix(about), got)
	}
}

// MustNotEqual ends the test if got equals other.
func MustNotEqual[T any](t testing.TB, got, other T, about ...any) {
	if reflect.DeepEqual(got, other) {
		t.Helper()
		t.Fatalf("%sgot %v, want another value", prefix(about), got)
	}
}

// NotZero reports a zero value.
func NotZero[T comparable](t testing.TB, got T, about ...any) {
	var zero T
	if got == zero {
		t.Helper()
		t.Errorf("%sgot %v, want a value", prefix(about), any(got))
	}
}

// Contains reports each of the texts that is not in got.
func Contains(t testing.TB, got string, texts ...string) {
	for _, text := range texts {
		if !strings.Contains(got, text) {
			t.Helper()
			t.Errorf("got %q, want %q in it", got, text)
		}
	}
}

// Lacks reports each of the texts that is in got.
func Lacks(t testing.TB, got string, texts ...string) {
	for _, text := range texts {
		if strings.Contains(got, text) {
			t.Helper()
			t.Errorf("got %q, want it without %q", got, text)
		}
	}
}

func prefix(about []any) string {
	if len(about) == 0 {
		return ""
	}
	return fmt.Sprintf(about[0].(string), about[1:]...) + ": "
}

// A Result is what a call returned.
type Result[T any] struct {
	value T
	err   error
}

// Got takes the results of a call, as in check.Got(store.Get(ctx, name)).Want(t, record).
func Got[T any](value T, err error) Result[T] { return Result[T]{value: value, err: err} }

// Must returns the value. It ends the test if there was an error.
func (r Result[T]) Must(t testing.TB, about ...any) T {
	if r.err != nil {
		t.Helper()
		Must(t, r.err, about...)
	}
	return r.value
}

// NoError reports the error of the call, if there was one.
func (r Result[T]) NoError(t testing.TB, about ...any) {
	if r.err != nil {
		t.Helper()
		NoError(t, r.err, about...)
	}
}

// Want reports an error, or a value other than want.
func (r Result[T]) Want(t testing.TB, want T, about ...any) {
	if r.err != nil || !same(r.value, want) {
		t.Helper()
		NoError(t, r.err, about...)
		Equal(t, r.value, want, about...)
	}
}

// Error reports the error of the call unless want is in its chain.
func (r Result[T]) Error(t testing.TB, want error, about ...any) {
	if !errors.Is(r.err, want) {
		t.Helper()
		Error(t, r.err, want, about...)
	}
}

// Fails reports that the call returned no error.
func (r Result[T]) Fails(t testing.TB, about ...any) {
	if r.err == nil {
		t.Helper()
		Fails(t, r.err, about...)
	}
}
