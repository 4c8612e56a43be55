package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// An answer is an error that the server has sent.
type answer string

func (a answer) Error() string { return string(a) }

// RedisError is redis.Error's.
func (answer) RedisError() {}

func TestOutage(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx  context.Context
		err  error
		want error // nil: unchanged
	}{
		"the connection broke": {t.Context(), io.EOF, fault.ErrUnavailable},
		"it starts":            {t.Context(), answer("LOADING Redis is loading the dataset in memory"), fault.ErrUnavailable},
		"it fails over":        {t.Context(), answer("READONLY You can't write against a read only replica."), fault.ErrUnavailable},
		"it is full":           {t.Context(), answer("OOM command not allowed when used memory > 'maxmemory'."), fault.ErrUnavailable},
		"too many callers":     {t.Context(), answer("ERR max number of clients reached"), fault.ErrUnavailable},
		"a foreign key":        {t.Context(), answer("WRONGTYPE Operation against a key holding the wrong kind of value"), nil},
		"not allowed":          {t.Context(), answer("NOPERM this user has no permissions to run the 'del' command"), nil},
		"the caller has left":  {over, io.EOF, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			err := outage(test.ctx, test.err)
			for _, kind := range []error{fault.ErrUnavailable, context.Canceled} {
				t.Run(fmt.Sprint(kind), func(t *testing.T) {
					if errors.Is(err, kind) != (kind == test.want) {
						t.Errorf("%s: got %v, want %v", name, err, test.want)
					}
				})
			}
		})
	}
}

func TestRedis_orderedNumbers(t *testing.T) {
	t.Parallel()
	check.Equal(t, ordered(0), zero, "zero")
	numbers := []int64{-1 << 63, -1 << 62, -2, -1, 0, 1, 2, 1 << 53, 1<<53 + 1, 1 << 62, 1<<63 - 1}
	for i, n := range numbers {
		if back, err := number(ordered(n)); back != n || err != nil {
			t.Errorf("%d came back as %d, %v", n, back, err)
		}
		if i > 0 && ordered(numbers[i-1]) >= ordered(n) {
			t.Errorf("%d is not before %d", numbers[i-1], n)
		}
	}
}
