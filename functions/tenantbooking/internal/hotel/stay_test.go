package hotel

import (
	"slices"
	"testing"

	"melmastoon.ghasi.io/shared/stay"
)

func TestPerRoom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		who  Occupancy
		want []stay.Occupants
	}{
		{Occupancy{Adults: 2, Children: 1, Rooms: 1}, []stay.Occupants{{Adults: 2, Children: 1}}},
		{Occupancy{Adults: 3, Children: 1, Rooms: 2}, []stay.Occupants{{Adults: 2, Children: 1}, {Adults: 1}}},
		{Occupancy{Adults: 1, Children: 0, Rooms: 2}, nil}, {Occupancy{Adults: 2, Children: 0, Rooms: 0}, nil}, {Occupancy{Adults: 20, Children: 0, Rooms: 10}, nil}, {Occupancy{Adults: 1, Children: -1, Rooms: 1}, nil}, {Occupancy{Adults: 1000, Children: 0, Rooms: 1}, nil},
	} {
		got, err := test.who.PerRoom()
		if !slices.Equal(got, test.want) && err == nil || (err == nil) != (test.want != nil) {
			t.Errorf("%+v: got %v, %v", test.who, got, err)
		}
	}
}
