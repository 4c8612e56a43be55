package env_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

func TestWait_ends(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		asked  time.Duration
		waited time.Duration
		err    error
	}{
		{"all of it", time.Minute, time.Minute, nil},
		{"the context ends first", 2 * time.Hour, time.Hour, context.DeadlineExceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				began := time.Now()
				if err := env.Wait(ctx, test.asked); !errors.Is(err, test.err) {
					t.Errorf("got %v, want %v", err, test.err)
				}
				if waited := time.Since(began); waited != test.waited {
					t.Errorf("waited %v, want %v", waited, test.waited)
				}
			})
		})
	}
}
