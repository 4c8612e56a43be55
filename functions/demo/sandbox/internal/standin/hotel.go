package standin

import (
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/stay"
)

// A Name is a hotel's name, with translations.
type Name struct {
	Default   string            `json:"default"`
	Localized map[string]string `json:"localized"`
}

// A Geo is a position in degrees.
type Geo struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
}

// A Rating is the average rating by guests, from 1 to 5.
type Rating struct {
	Value float64 `json:"value"`
	Count int     `json:"count"`
}

// OrNone returns nil if there are no ratings.
func (r Rating) OrNone() *Rating {
	if r.Count == 0 {
		return nil
	}
	return &r
}

// A Party is the number of guests and rooms of a stay.
type Party struct{ Adults, Children, Rooms int }

// Validate rejects a party that cannot be spread over its rooms.
func (p Party) Validate() error {
	if p.Rooms < 1 || p.Rooms > stay.MaxRooms || p.Adults < p.Rooms || p.Children < 0 {
		return fmt.Errorf("a party has 1 to %d rooms and an adult in each", stay.MaxRooms)
	}
	return p.Spread()[0].Validate()
}

// ValidateHold rejects a duration in seconds outside the bounds of a hold.
func ValidateHold(seconds int) error {
	if seconds < int(stay.MinHold/time.Second) || seconds > int(stay.MaxHold/time.Second) {
		return fmt.Errorf("must be %d to %d seconds", stay.MinHold/time.Second, stay.MaxHold/time.Second)
	}
	return nil
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

// A Method is a method of payment.
type Method string

// The methods of payment.
const (
	Card          Method = "card"
	PayPal        Method = "paypal"
	MFS           Method = "mfs" // mobile money
	CashOnArrival Method = "cash_on_arrival"
)

// UnmarshalText rejects an unknown method.
func (m *Method) UnmarshalText(text []byte) error {
	read := Method(text)
	if _, ok := providers[read]; !ok {
		return errors.New("not a way to pay")
	}
	*m = read
	return nil
}

// providers are the payment providers. The sandbox simulates all of them.
var providers = map[Method]string{
	Card:          "sandbox-card",
	PayPal:        "sandbox-paypal",
	MFS:           "sandbox-mfs",
	CashOnArrival: "front-desk",
}

// Provider returns the payment provider of the method.
func (m Method) Provider() string { return providers[m] }
