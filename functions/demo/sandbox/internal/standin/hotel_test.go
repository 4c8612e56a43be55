package standin

import (
	"math"
	"testing"

	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// Validate must take constant time: a loop over the guests would exceed the test's time.
func TestParty_Validate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		party Party
		ok    bool
	}{
		{"one adult", Party{Adults: 1, Rooms: 1}, true},
		{"as many as fit", Party{Adults: 2000, Children: 2000, Rooms: 20}, true},
		{"one adult too many", Party{Adults: 2001, Rooms: 20}, false},
		{"one child too many", Party{Adults: 20, Children: 2001, Rooms: 20}, false},
		{"more adults than loops end", Party{Adults: math.MaxInt, Rooms: 1}, false},
		{"more children than loops end", Party{Adults: 1, Children: math.MaxInt, Rooms: 1}, false},
		{"a negative number of children", Party{Adults: 1, Children: math.MinInt, Rooms: 1}, false},
		{"more rooms than memory", Party{Adults: math.MaxInt, Rooms: math.MaxInt}, false},
		{"a negative number of rooms", Party{Adults: 1, Rooms: -1}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, test.party.Validate() == nil, test.ok)
		})
	}
}

func TestParty_spread(t *testing.T) {
	t.Parallel()
	got := Party{Adults: 5, Children: 1, Rooms: 3}.Spread()
	want := []stay.Occupants{{Adults: 2, Children: 1}, {Adults: 2}, {Adults: 1}}
	for n := range want {
		check.Equal(t, got[n], want[n], "room %d", n)
	}
}
