package standin

import (
	"fmt"

	"melmastoon.ghasi.io/shared/stay"
)

// A Party is the number of guests and rooms of a stay.
type Party struct{ Adults, Children, Rooms int }

const maxRooms = 20 // of one party

// Validate rejects a party that cannot be spread over its rooms.
func (p Party) Validate() error {
	if p.Rooms < 1 || p.Rooms > maxRooms || p.Adults < p.Rooms || p.Children < 0 {
		return fmt.Errorf("a party has 1 to %d rooms and an adult in each", maxRooms)
	}
	return p.Spread()[0].Validate()
}

// Spread distributes the guests over the rooms as evenly as possible, more into the first ones. Its cost depends only
// on the number of rooms, because it also runs on numbers that are not validated yet.
func (p Party) Spread() []stay.Occupants {
	rooms := make([]stay.Occupants, p.Rooms)
	for n := range rooms {
		rooms[n] = stay.Occupants{Adults: evenly(p.Adults, p.Rooms, n), Children: evenly(p.Children, p.Rooms, n)}
	}
	return rooms
}

// evenly returns the share of the n-th room.
func evenly(people, rooms, n int) int {
	share := people / rooms
	if n < people%rooms {
		share++
	}
	return share
}

// Monday returns the index of a day in a week that starts on Monday, as in prices. Go's weeks start on Sunday.
func Monday(d stay.Date) int { return (int(d.Time().Weekday()) + 6) % 7 }
