// Package seedrand is the chance that tests play with: it is printed when it is made, and can be had again. It also says how often they play.
package seedrand

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Seed makes all the dice of a test.
type Seed uint64

// New makes a seed, and prints it so that a failure can be thrown again: MELMASTOON_SEED is then the seed instead.
func New(t testing.TB) Seed {
	t.Helper()
	seed, err := seed(env.System())
	if err != nil {
		t.Fatal(err)
	}
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

// Of are one player's own dice: what others throw does not change them. Whatever tells players apart names one.
func (s Seed) Of(player ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintln(h, player...)
	return rand.New(rand.NewPCG(uint64(s), h.Sum64()))
}

// Iterations is how often something is done: in an ordinary run, and in a full one.
func Iterations(t testing.TB, ordinary, full int) int {
	t.Helper()
	if Full(t) {
		return full
	}
	return ordinary
}

// Full reports whether this is a full run, the one for long counts: MELMASTOON_FULL is set.
func Full(t testing.TB) bool {
	t.Helper()
	var asked struct {
		Full string `env:"MELMASTOON_FULL"`
	}
	if err := env.System().Load(&asked); err != nil {
		t.Fatal(err)
	}
	return asked.Full != ""
}
