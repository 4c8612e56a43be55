package hotel

import (
	"slices"
	"testing"

	"melmastoon.ghasi.io/shared/stay"
)

func TestPerRoom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		guests Occupancy
		want   []stay.Occupants
	}{
		{name: "one room", guests: Occupancy{Adults: 2, Children: 1, Rooms: 1}, want: []stay.Occupants{{Adults: 2, Children: 1}}},
		{name: "two rooms", guests: Occupancy{Adults: 3, Children: 1, Rooms: 2}, want: []stay.Occupants{{Adults: 2, Children: 1}, {Adults: 1}}},
		{name: "fewer adults than rooms", guests: Occupancy{Adults: 1, Children: 0, Rooms: 2}, want: nil},
		{name: "no room", guests: Occupancy{Adults: 2, Children: 0, Rooms: 0}, want: nil},
		{name: "too many rooms", guests: Occupancy{Adults: 20, Children: 0, Rooms: 10}, want: nil},
		{name: "negative children", guests: Occupancy{Adults: 1, Children: -1, Rooms: 1}, want: nil},
		{name: "too many adults", guests: Occupancy{Adults: 1000, Children: 0, Rooms: 1}, want: nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.guests.PerRoom()
			if valid := test.want != nil; (err == nil) != valid {
				t.Errorf("error = %v, want nil: %t", err, valid)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
