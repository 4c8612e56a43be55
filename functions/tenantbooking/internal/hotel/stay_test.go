package hotel

import (
	"fmt"
	"testing"

	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
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
			check.Equal(t, err == nil, test.want != nil, "%s", fmt.Sprint(err))
			check.Equal(t, got, test.want)
		})
	}
}
