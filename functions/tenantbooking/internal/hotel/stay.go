package hotel

import (
	"errors"
	"fmt"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/stay"
)

// A Stay is the dates from check-in to check-out.
type Stay struct {
	CheckIn  stay.Date `json:"checkIn"`
	CheckOut stay.Date `json:"checkOut"`
}

// Window returns the stay in the form of other services.
func (s Stay) Window() stay.Window { return stay.Window{Start: s.CheckIn, End: s.CheckOut} }

// An Occupancy is the number of guests over all rooms.
type Occupancy struct {
	Adults   int `json:"adults"`
	Children int `json:"children"`
	Rooms    int `json:"rooms"`
}

// PerRoom distributes the guests over the rooms as evenly as possible, with at least one adult in each room.
func (o Occupancy) PerRoom() ([]stay.Occupants, error) {
	if o.Rooms < 1 || o.Rooms > stay.MaxSiteRooms {
		return nil, fmt.Errorf("must be for 1 to %d rooms", stay.MaxSiteRooms)
	}
	if o.Adults < o.Rooms {
		return nil, errors.New("every room needs an adult")
	}
	rooms := make([]stay.Occupants, o.Rooms)
	for i := range rooms {
		rooms[i] = stay.Occupants{Adults: share(o.Adults, o.Rooms, i), Children: share(o.Children, o.Rooms, i)}
		if err := rooms[i].Validate(); err != nil {
			return nil, err
		}
	}
	return rooms, nil
}

// Check returns violations for invalid numbers; at is the JSON pointer of the occupancy.
func (o Occupancy) Check(at string) []fault.Violation {
	_, err := o.PerRoom()
	if err == nil {
		return nil
	}
	member := "/adults"
	if o.Rooms < 1 || o.Rooms > stay.MaxSiteRooms {
		member = "/rooms"
	} else if _, err := (Occupancy{Adults: o.Adults, Rooms: o.Rooms}).PerRoom(); err == nil {
		member = "/children"
	}
	return []fault.Violation{{Pointer: at + member, Rule: "range", Message: err.Error()}}
}

// share returns the i-th of n parts of a number; the first parts are larger.
func share(of, n, i int) int {
	part := of / n
	if i < of%n {
		part++
	}
	return part
}
