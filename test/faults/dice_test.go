package faults

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"melmastoon.ghasi.io/test/stage"
)

// TestMain lets the binary of these tests be the second process of those that need one.
func TestMain(m *testing.M) { os.Exit(stage.Main(m)) }

// count is how often something is done: in an ordinary run, and in a full one.
func count(ordinary, full int) int {
	if os.Getenv("MELMASTOON_FULL") != "" {
		return full
	}
	return ordinary
}

// A seed makes the dice of a test, and is printed so that a failure can be thrown again.
type seed uint64

func newSeed(t *testing.T) seed {
	t.Helper()
	s := seed(rand.Uint64())
	if given := os.Getenv("MELMASTOON_SEED"); given != "" {
		n, err := strconv.ParseUint(given, 10, 64)
		if err != nil {
			t.Fatalf("MELMASTOON_SEED: %v", err)
		}
		s = seed(n)
	}
	t.Logf("MELMASTOON_SEED=%d", uint64(s))
	return s
}

// dice are one player's own: what others throw does not change them.
func (s seed) dice(player int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(s), uint64(player)))
}
