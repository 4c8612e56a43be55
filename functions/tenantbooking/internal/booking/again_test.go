package booking

import (
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestAgain_conflictsOnly(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		fails  []error
		runs   int
		waited time.Duration
		want   error
	}{
		{"done at once", nil, 1, 0, nil},
		{"refused", []error{ErrDraftClosed}, 1, 0, ErrDraftClosed},
		{"a lost race begins again at once", []error{fault.ErrVersionConflict}, 2, 0, nil},
		{"a call under way is waited for", []error{fault.ErrIdempotencyInProgress, fault.ErrIdempotencyInProgress}, 3, 60 * time.Millisecond, nil},
		{"six times, with nothing to wait for after the last", many(fault.ErrIdempotencyInProgress), 6, 620 * time.Millisecond, fault.ErrUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began, runs := time.Now(), 0
				got, err := Again(t.Context(), func() (int, error) {
					if runs++; runs <= len(test.fails) {
						return runs, test.fails[runs-1]
					}
					return runs, nil
				})
				check.Error(t, err, test.want)
				check.Equal(t, runs, test.runs)
				check.Equal(t, got, runs, "the result of run")
				check.Equal(t, time.Since(began), test.waited)
			})
		})
	}
}

// many returns copies of an error without end.
func many(err error) (all []error) {
	for range 100 {
		all = append(all, err)
	}
	return all
}
