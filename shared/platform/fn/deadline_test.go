package fn

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

type deadlineKey struct{}

// A deadline behaves like any other context, before and after the first Done.
func TestDeadline_endsChildren(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		end  func(leave func(), d *deadline)
		want error
	}{
		{"at its moment", func(func(), *deadline) { time.Sleep(time.Second) }, context.DeadlineExceeded},
		{"when the caller leaves", func(leave func(), _ *deadline) { leave() }, context.Canceled},
		{"when the call is over", func(_ func(), d *deadline) { d.end() }, context.Canceled},
	} {
		for _, awaited := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				caller, leave := context.WithCancel(context.WithValue(t.Context(), deadlineKey{}, "kept"))
				defer leave()
				d := withDeadline(caller, time.Now().Add(time.Second))
				defer d.end()
				if awaited {
					_ = d.Done()
				}
				if d.Err() != nil || d.Value(deadlineKey{}) != "kept" {
					t.Errorf("%s: it begins with %v and carries %v", test.name, d.Err(), d.Value(deadlineKey{}))
				}
				test.end(leave, d)
				synctest.Wait()
				if !errors.Is(d.Err(), test.want) {
					t.Errorf("%s, awaited %v: got %v, want %v", test.name, awaited, d.Err(), test.want)
				}
				inner, cancel := context.WithTimeout(d, time.Hour)
				defer cancel()
				if <-inner.Done(); !errors.Is(inner.Err(), test.want) {
					t.Errorf("%s, awaited %v: its child ends with %v, want %v", test.name, awaited, inner.Err(), test.want)
				}
			})
		}
	}
}

func TestADeadlineIsNoLaterThanItsCallers(t *testing.T) {
	t.Parallel()
	began := time.Now()
	caller, leave := context.WithDeadline(t.Context(), began.Add(time.Minute))
	defer leave()
	for after, want := range map[time.Duration]time.Duration{time.Second: time.Second, time.Hour: time.Minute} {
		if at, ok := withDeadline(caller, began.Add(after)).Deadline(); !ok || !at.Equal(began.Add(want)) {
			t.Errorf("got %v, want it after %v", at.Sub(began), want)
		}
	}
}
