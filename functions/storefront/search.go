package storefront

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Search is what a guest has entered, whatever it is: a form of a page is never malformed, at most not understood.
type Search struct {
	Property, CheckIn, CheckOut, Adults, Children, Rooms string
}

// Asked reports whether the guest has searched at all.
func (s Search) Asked() bool { return s.CheckIn != "" || s.CheckOut != "" }

// Query is the search as an address has it.
func (s Search) Query() url.Values {
	return url.Values{"propertyId": {s.Property}, "checkIn": {s.CheckIn}, "checkOut": {s.CheckOut},
		"adults": {s.Adults}, "children": {s.Children}, "rooms": {s.Rooms}}
}

// At returns the fields of a form that books a room found by the search, at the rate and the price that the page shows.
func (s Search) At(room id.RoomType, rate id.RatePlan, shown money.Minor) url.Values {
	fields := s.Query()
	fields.Set("roomTypeId", room.String())
	fields.Set("ratePlanId", rate.String())
	fields.Set("total", strconv.FormatInt(shown.Amount, 10))
	fields.Set("currency", string(shown.Currency))
	return fields
}

// Whole is the search with what most guests mean where they have said nothing: two people, next week, two nights.
func (v *Visit) Whole(s Search) Search {
	if !s.Asked() {
		today := stay.DateOf(v.At.In(v.Words.zone))
		s.CheckIn, s.CheckOut = today.AddDays(7).String(), today.AddDays(9).String()
	}
	for field, usual := range map[*string]string{&s.Adults: "2", &s.Children: "0", &s.Rooms: "1"} {
		if *field == "" {
			*field = usual
		}
	}
	if s.Property == "" && len(v.Front.Houses) > 0 {
		s.Property = v.Front.Houses[0].ID.String()
	}
	return s
}

// From is the search that a guest has made before they came.
func (a Arrival) From() Search {
	return Search{
		Property: a.Property.String(),
		CheckIn:  a.Stay.CheckIn.String(),
		CheckOut: a.Stay.CheckOut.String(),
		Adults:   strconv.Itoa(a.Occupancy.Adults),
		Children: strconv.Itoa(a.Occupancy.Children),
		Rooms:    strconv.Itoa(a.Occupancy.Rooms),
	}
}

// Again is the search that a booking came from.
func (q DraftQuote) Again() Search {
	return Arrival{Property: q.Property, Stay: q.Stay, Occupancy: q.Occupancy}.From()
}

// Find asks what the hotel has.
func (v *Visit) Find(ctx context.Context, s Search) (*Available, error) {
	var found Available
	_, err := v.do(ctx, wish{method: http.MethodGet, path: "/availability?" + s.Query().Encode(), out: &found})
	return &found, err
}

// Dates are those of the search, for a heading; zero where they are not understood.
func (v View) Dates() (s DraftStay) {
	s.CheckIn, _ = stay.ParseDate(v.Search.CheckIn)
	s.CheckOut, _ = stay.ParseDate(v.Search.CheckOut)
	return s
}

// Full reports whether nothing is left of a room.
func (r AvailableRoom) Full() bool { return r.UnitsLeft != nil && *r.UnitsLeft == 0 }

// few is how many rooms are worth hurrying for.
const few = 3

// Scarce reports whether little is left of a room.
func (r AvailableRoom) Scarce() bool {
	return r.UnitsLeft != nil && *r.UnitsLeft > 0 && *r.UnitsLeft <= few
}

// Left is how many there are, where that is known.
func (r AvailableRoom) Left() int { return *r.UnitsLeft }
