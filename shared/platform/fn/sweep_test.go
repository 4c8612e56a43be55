package fn_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// A yard has leaves numbered from 1 that are swept until there are none.
type yard struct {
	leaves []int
	tried  map[int]int
	stuck  func(ctx context.Context, leaf int) (bool, error) // whether a leaf stays, and the error of ending it
}

func leaves(n int) *yard {
	y := &yard{tried: map[int]int{}}
	for leaf := range n {
		y.leaves = append(y.leaves, leaf+1)
	}
	return y
}

func (y *yard) due(_ context.Context, after, limit int) ([]int, error) {
	i, _ := slices.BinarySearch(y.leaves, after+1)
	return slices.Clone(y.leaves[i:min(i+limit, len(y.leaves))]), nil
}

func (y *yard) end(ctx context.Context, leaf int) error {
	y.tried[leaf]++
	if y.stuck != nil {
		if stays, err := y.stuck(ctx, leaf); stays || err != nil {
			return err
		}
	}
	i, _ := slices.BinarySearch(y.leaves, leaf)
	y.leaves = slices.Delete(y.leaves, i, i+1)
	return nil
}

// maxItems is how often any leaf was tried.
func (y *yard) most() (most int) {
	for _, times := range y.tried {
		most = max(most, times)
	}
	return most
}

// tick sweeps for as long as a tick may last.
func tick(t *testing.T, sweep fn.Tick) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	err := sweep(ctx, time.Now())
	if ctx.Err() != nil {
		t.Error("the tick has outlasted its time")
	}
	return err
}

func TestSweep_untilNothingIsDue(t *testing.T) {
	t.Parallel()
	y := leaves(1001)
	switch err := tick(t, fn.Sweep(y.due, y.end)); {
	case err != nil:
		t.Errorf("err = %v, want nil", err)
	case len(y.leaves) != 0:
		t.Errorf("len(y.leaves) = %v, want 0", len(y.leaves))
	case y.most() != 1:
		t.Errorf("y.most() = %v, want 1", y.most())
	}
}

// An item that cannot be ended does not keep others from being ended, and its error is returned.
func TestSweep_failuresDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	hangs := func(ctx context.Context) (bool, error) { <-ctx.Done(); return true, ctx.Err() }
	for _, test := range []struct {
		name  string
		stuck []int
		how   func(context.Context) (bool, error)
		says  string
	}{
		{"one fails", []int{1}, func(context.Context) (bool, error) { return true, errors.New("stuck") }, "stuck"},
		{"one hangs", []int{3}, hangs, "deadline exceeded"},
		{"one stays without an error", []int{2}, func(context.Context) (bool, error) { return true, nil }, ""},
		{"a whole batch fails", upTo(250), func(context.Context) (bool, error) { return true, errors.New("stuck") }, "and 240 more"},
		{"a whole batch stays without an error", upTo(250), func(context.Context) (bool, error) { return true, nil }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				y := leaves(600)
				y.stuck = func(ctx context.Context, leaf int) (bool, error) {
					if slices.Contains(test.stuck, leaf) {
						return test.how(ctx)
					}
					return false, nil
				}
				sweep := fn.Sweep(y.due, y.end)
				for n := range 2 { // the next tick finds them first, and new ones behind
					err := tick(t, sweep)
					if !slices.Equal(y.leaves, test.stuck) {
						t.Fatalf("tick %d: %d are left, want the %d that are stuck", n+1, len(y.leaves), len(test.stuck))
					}
					if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
						t.Errorf("tick %d: %v, want %q", n+1, err, test.says)
					}
					if y.most() != n+1 {
						t.Errorf("tick %d: one was tried %d times", n+1, y.most())
					}
					y.leaves = append(y.leaves, 1000+n, 2000+n)
				}
			})
		})
	}
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// Twenty hanging items take longer than a tick. The tick ends in time, and the next one starts after the last item.
func TestSweep_resumesAfterTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		y := leaves(500)
		y.stuck = func(ctx context.Context, leaf int) (bool, error) {
			if leaf > 20 {
				return false, nil
			}
			<-ctx.Done()
			return true, ctx.Err()
		}
		sweep := fn.Sweep(y.due, y.end)
		for n, left := range []int{500, 500, 20} {
			switch err := tick(t, sweep); {
			case err == nil:
				t.Errorf("tick %d: err = nil, want a value", n+1)
			case len(y.leaves) != left:
				t.Errorf("tick %d: len(y.leaves) = %v, want %v", n+1, len(y.leaves), left)
			case y.most() != 1:
				t.Errorf("tick %d: y.most() = %v, want 1", n+1, y.most())
			}
		}
		if err := tick(t, sweep); err == nil || y.tried[1] != 2 {
			t.Errorf("%v, the first was tried %d times, want twice: from the beginning again", err, y.tried[1])
		}
	})
}

func TestSweep_outOfTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		y := leaves(400)
		y.stuck = func(context.Context, int) (bool, error) { time.Sleep(200 * time.Millisecond); return false, nil }
		sweep := fn.Sweep(y.due, y.end)
		for n := 0; len(y.leaves) > 0; n++ {
			if err := tick(t, sweep); err != nil || n > 1 {
				t.Fatalf("tick %d: %v, %d are left", n+1, err, len(y.leaves))
			}
		}
	})
}

func TestSweep_listFails(t *testing.T) {
	t.Parallel()
	looked := 0
	y := leaves(300)
	y.stuck = func(_ context.Context, leaf int) (bool, error) { return leaf == 1, nil }
	sweep := fn.Sweep(func(ctx context.Context, after, limit int) ([]int, error) {
		if looked++; looked > 1 {
			return nil, errSecret
		}
		return y.due(ctx, after, limit)
	}, y.end)
	if err := tick(t, sweep); !errors.Is(err, errSecret) || len(y.leaves) != 101 {
		t.Errorf("%v, %d are left", err, len(y.leaves))
	}
}

func TestSweep_canceled(t *testing.T) {
	t.Parallel()
	y := leaves(10)
	ctx, leave := context.WithCancel(t.Context())
	y.stuck = func(context.Context, int) (bool, error) { leave(); return false, nil }
	if err := fn.Sweep(y.due, y.end)(ctx, time.Now()); !errors.Is(err, context.Canceled) || len(y.leaves) != 9 {
		t.Errorf("%v, %d are left", err, len(y.leaves))
	}
}
