package seedrand

import (
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestSeed_reproducible(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		given string
		ok    bool
	}{
		{name: "a seed", given: "17", ok: true},
		{name: "the largest", given: "18446744073709551615", ok: true},
		{name: "negative", given: "-1", ok: false},
		{name: "a word", given: "seventeen", ok: false},
	} {
		t.Run(test.name, func(t *testing.T) {
			one, err := seed(env.Of(map[string]string{"MELMASTOON_SEED": test.given}))
			if (err == nil) != test.ok {
				t.Errorf("error = %v, want nil: %t", err, test.ok)
			}
			if again, _ := seed(env.Of(map[string]string{"MELMASTOON_SEED": test.given})); one.Of("guest", 3).Uint64() != again.Of("guest", 3).Uint64() {
				t.Error("the second run got other numbers")
			}
		})
	}
}

func TestOf_independentStreams(t *testing.T) {
	t.Parallel()
	first := check.Got(seed(env.Of(nil))).Must(t)
	second := check.Got(seed(env.Of(nil))).Must(t)
	seen := map[uint64]string{}
	for _, test := range []struct {
		name string
		seed Seed
		who  []any
	}{
		{name: "a player", seed: first, who: []any{1}},
		{name: "another player", seed: first, who: []any{2}},
		{name: "a player at a route", seed: first, who: []any{"reservation-hold", 1}},
		{name: "a player at another route", seed: first, who: []any{"reservation-quote", 1}},
		{name: "a player of another run", seed: second, who: []any{1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			number := test.seed.Of(test.who...).Uint64()
			if other, ok := seen[number]; ok {
				t.Errorf("got the number of %s, want another", other)
			}
			seen[number] = test.name
		})
	}
}

func TestIterations_kindOfRun(t *testing.T) {
	for _, test := range []struct {
		name, full, brief string
		ordinary, want    int
	}{
		{name: "neither set", ordinary: 30, want: 30},
		{name: "full run", full: "1", ordinary: 30, want: 100},
		{name: "brief run", brief: "1", ordinary: 30, want: 6},
		{name: "brief run of few iterations", brief: "1", ordinary: 3, want: 1},
		{name: "both set", full: "1", brief: "1", ordinary: 30, want: 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("MELMASTOON_FULL", test.full)
			t.Setenv("MELMASTOON_BRIEF", test.brief)
			check.Equal(t, Iterations(t, test.ordinary, 100), test.want, "iterations")
		})
	}
}
