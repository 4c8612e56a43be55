package hotel

import (
	"slices"
	"testing"

	"melmastoon.ghasi.io/shared/stay"
)

func TestPerRoom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		guests Occupancy
		want   []stay.Occupants
	}{
		{Occupancy{Adults: 2, Children: 1, Rooms: 1}, []stay.Occupants{{Adults: 2, Children: 1}}},
		{Occupancy{Adults: 3, Children: 1, Rooms: 2}, []stay.Occupants{{Adults: 2, Children: 1}, {Adults: 1}}},
		{Occupancy{Adults: 1, Children: 0, Rooms: 2}, nil}, {Occupancy{Adults: 2, Children: 0, Rooms: 0}, nil}, {Occupancy{Adults: 20, Children: 0, Rooms: 10}, nil}, {Occupancy{Adults: 1, Children: -1, Rooms: 1}, nil}, {Occupancy{Adults: 1000, Children: 0, Rooms: 1}, nil},
	} {
		got, err := test.guests.PerRoom()
		if valid := test.want != nil; (err == nil) != valid {
			t.Errorf("%+v: got error %v, want an error: %t", test.guests, err, !valid)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%+v: got %v, want %v", test.guests, got, test.want)
		}
	}
}
