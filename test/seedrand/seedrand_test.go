package seedrand

import (
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
)

func TestSeed_reproducible(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		given string
		ok    bool
	}{
		{"a seed", "17", true},
		{"the largest", "18446744073709551615", true},
		{"one that was never printed", "-1", false},
		{"a word", "seventeen", false},
	} {
		one, err := seed(env.Of(map[string]string{"MELMASTOON_SEED": test.given}))
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
		if again, _ := seed(env.Of(map[string]string{"MELMASTOON_SEED": test.given})); one.Of("guest", 3).Uint64() != again.Of("guest", 3).Uint64() {
			t.Errorf("%s: the second run got other numbers", test.name)
		}
	}
}

func TestOf_independentStreams(t *testing.T) {
	t.Parallel()
	first, err := seed(env.Of(nil))
	if err != nil {
		t.Fatal(err)
	}
	second, err := seed(env.Of(nil))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]string{}
	for _, of := range []struct {
		name string
		seed Seed
		who  []any
	}{
		{"a player", first, []any{1}},
		{"the next player", first, []any{2}},
		{"a player at a route", first, []any{"reservation-hold", 1}},
		{"a player at another route", first, []any{"reservation-quote", 1}},
		{"a player of another run", second, []any{1}},
	} {
		thrown := of.seed.Of(of.who...).Uint64()
		if other, ok := seen[thrown]; ok {
			t.Errorf("%s and %s got the same numbers", of.name, other)
		}
		seen[thrown] = of.name
	}
}

func TestIterations_fullRun(t *testing.T) {
	for full, want := range map[string]int{"": 3, "1": 100} {
		t.Setenv("MELMASTOON_FULL", full)
		if got := Iterations(t, 3, 100); got != want {
			t.Errorf("MELMASTOON_FULL=%s: got %d iterations, want %d", full, got, want)
		}
	}
}
