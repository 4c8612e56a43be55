package storefront

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Search is the search form as the guest filled it in. Values are not validated here.
type Search struct {
	Property, CheckIn, CheckOut, Adults, Children, Rooms string
}

// HasDates reports whether the form has a date.
func (s Search) HasDates() bool { return s.CheckIn != "" || s.CheckOut != "" }

// Query returns the search as query parameters.
func (s Search) Query() url.Values {
	return url.Values{"propertyId": {s.Property}, "checkIn": {s.CheckIn}, "checkOut": {s.CheckOut},
		"adults": {s.Adults}, "children": {s.Children}, "rooms": {s.Rooms}}
}

// BookingFields returns the fields of a form that books a room of the search result, at the rate and the price on the page.
func (s Search) BookingFields(room id.RoomType, rate id.RatePlan, shown money.Minor) url.Values {
	fields := s.Query()
	fields.Set("roomTypeId", room.String())
	fields.Set("ratePlanId", rate.String())
	fields.Set("total", strconv.FormatInt(shown.Amount, 10))
	fields.Set("currency", string(shown.Currency))
	return fields
}

// WithDefaults returns the search with defaults for empty fields: two adults, next week, two nights.
func (v *Visitor) WithDefaults(s Search) Search {
	if !s.HasDates() {
		today := stay.DateOf(v.At.In(v.Localizer.Zone))
		s.CheckIn, s.CheckOut = today.AddDays(7).String(), today.AddDays(9).String()
	}
	for field, usual := range map[*string]string{&s.Adults: "2", &s.Children: "0", &s.Rooms: "1"} {
		if *field == "" {
			*field = usual
		}
	}
	if s.Property == "" && len(v.Bootstrap.Properties) > 0 {
		s.Property = v.Bootstrap.Properties[0].ID.String()
	}
	return s
}

// Search returns the search that the guest made on the consumer site.
func (a Arrival) Search() Search {
	return Search{
		Property: a.Property.String(),
		CheckIn:  a.Stay.CheckIn.String(),
		CheckOut: a.Stay.CheckOut.String(),
		Adults:   strconv.Itoa(a.Occupancy.Adults),
		Children: strconv.Itoa(a.Occupancy.Children),
		Rooms:    strconv.Itoa(a.Occupancy.Rooms),
	}
}

// RejectedHandoff returns the guest's choices on the consumer site, if the booking service returned them with the error: the link was used in
// another browser, or too late.
func RejectedHandoff(err error) (a Arrival, ok bool) {
	text, err := json.Marshal(ServiceErrorOf(err).Handoff)
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	return a, err == nil && a.Stay != DraftStay{}
}

// Search returns the search from which the booking was made.
func (q DraftQuote) Search() Search {
	return Arrival{Property: q.Property, Stay: q.Stay, Occupancy: q.Occupancy}.Search()
}

// checkDates returns a ServiceError for dates that the guest must choose again: a day that the solar calendar does not have, an arrival
// before today at the hotel, and a stay that is too long for the hotel's site. The booking service accepts an arrival yesterday, because
// it does not know the zone, and would answer that no room is left. checkDates leaves all other dates to the booking service.
func (v *Visitor) checkDates(checkIn, checkOut string) error {
	if err := page.CheckDays(checkIn, checkOut); err != nil {
		return err
	}
	from, noFrom := stay.ParseDate(checkIn)
	to, noTo := stay.ParseDate(checkOut)
	if noFrom == nil && from.Before(stay.DateOf(v.At.In(v.Localizer.Zone))) {
		return &ServiceError{Code: dayOver}
	}
	nights := stay.Window{Start: from, End: to}.Nights()
	if maxNights := v.Bootstrap.Flow.MaxNights; noFrom == nil && noTo == nil && maxNights > 0 && nights > maxNights {
		return &ServiceError{Code: tooLong}
	}
	return nil
}

// Search returns the result of the search.
func (v *Visitor) Search(ctx context.Context, s Search) (*Availability, error) {
	if err := v.checkDates(s.CheckIn, s.CheckOut); err != nil {
		return nil, err
	}
	var found Availability
	err := v.call(ctx, apiRequest{method: http.MethodGet, path: "/availability?" + s.Query().Encode(), out: &found})
	return &found, err
}

// Dates returns the dates of the search for a heading; zero if they are invalid.
func (v View) Dates() (s DraftStay) {
	s.CheckIn, _ = stay.ParseDate(v.Search.CheckIn)
	s.CheckOut, _ = stay.ParseDate(v.Search.CheckOut)
	return s
}

// NoRoomText returns why no room is offered: each room is too small for the guests, or no room is free.
func (v View) NoRoomText() string {
	adults, children, rooms := page.Number(v.Search.Adults), page.Number(v.Search.Children), max(1, page.Number(v.Search.Rooms))
	largest := 0
	for _, p := range v.Bootstrap.Properties {
		for _, r := range p.RoomTypes {
			if p.ID.String() == v.Search.Property {
				largest = max(largest, r.MaxOccupancy)
			}
		}
	}
	if people := adults + children; largest > 0 && people > rooms*largest {
		if needed := (people + largest - 1) / largest; needed <= min(adults, stay.MaxSiteRooms) { // each room needs an adult
			return v.T("rooms.tooSmall", largest, needed)
		}
	}
	return v.T("rooms.none")
}

// NightlyText returns the price of a night, which is that of one room.
func (v View) NightlyText(m money.Minor) string {
	return v.Localizer.Nightly(m, page.Number(v.Search.Rooms))
}

// ForStay returns what a price of the search is for: "for 2 nights, taxes included".
func (v View) ForStay() string {
	d := v.Dates()
	if nights := (stay.Window{Start: d.CheckIn, End: d.CheckOut}).Nights(); nights != 1 {
		return v.T("price.nights", nights)
	}
	return v.T("price.night")
}

// Full reports whether no room is left.
func (r AvailableRoom) Full() bool { return r.UnitsLeft != nil && *r.UnitsLeft == 0 }

// few is the number of rooms from which the page warns that few are left.
const few = 3

// Scarce reports whether few rooms are left.
func (r AvailableRoom) Scarce() bool {
	return r.UnitsLeft != nil && *r.UnitsLeft > 0 && *r.UnitsLeft <= few
}

// Left returns the number of rooms. It must be known.
func (r AvailableRoom) Left() int { return *r.UnitsLeft }
