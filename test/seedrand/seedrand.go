// Package seedrand provides seeded random numbers for tests. The seed is logged, so that a failure can be reproduced. The package
// also provides iteration counts for ordinary and full runs.
package seedrand

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A Seed is the source of all random streams of a test.
type Seed uint64

// New returns a random seed, or that in MELMASTOON_SEED, and logs it so that a failure can be reproduced.
func New(t testing.TB) Seed {
	t.Helper()
	seed := check.Got(seed(env.System())).Must(t)
	t.Logf("MELMASTOON_SEED=%d", seed)
	return seed
}

func seed(e env.Env) (Seed, error) {
	var given struct {
		Seed string `env:"MELMASTOON_SEED"`
	}
	if err := e.Load(&given); err != nil || given.Seed == "" {
		return Seed(rand.Uint64()), err
	}
	n, err := strconv.ParseUint(given.Seed, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("MELMASTOON_SEED: %w", err)
	}
	return Seed(n), nil
}

// Of returns an independent random stream for the given names.
func (s Seed) Of(player ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintln(h, player...)
	return rand.New(rand.NewPCG(uint64(s), h.Sum64()))
}

// briefDivisor divides the iterations of a brief run. The rest still finds a mistake that many iterations show.
const briefDivisor = 5

// Iterations returns the number of iterations: the first argument, or the second in a full run. In a brief run (MELMASTOON_BRIEF is
// set) it returns a fifth of the first argument, and at least one.
func Iterations(t testing.TB, ordinary, full int) int {
	t.Helper()
	switch r := currentRun(t); {
	case r.Full != "":
		return full
	case r.Brief != "":
		return max(1, ordinary/briefDivisor)
	}
	return ordinary
}

// Full reports whether this is a full run: MELMASTOON_FULL is set.
func Full(t testing.TB) bool {
	t.Helper()
	return currentRun(t).Full != ""
}

// A run is the kind of the test run, which scripts/test sets in the environment.
type run struct {
	Full  string `env:"MELMASTOON_FULL"`
	Brief string `env:"MELMASTOON_BRIEF"`
}

func currentRun(t testing.TB) (r run) {
	t.Helper()
	check.Must(t, env.System().Load(&r))
	return r
}
