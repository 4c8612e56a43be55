package search

import (
	"time"
	_ "time/tzdata" // the date at a hotel needs it; a base image may lack it

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// CheckDates rejects dates that begin before today in the hotel's time zone; the violation has the pointer at. An unknown time
// zone counts as UTC.
func (h Property) CheckDates(d DateRange, at string, now time.Time) error {
	zone, err := time.LoadLocation(h.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	if d.CheckIn.Before(stay.DateOf(now.In(zone))) {
		return validationError(datesInPast(at))
	}
	return nil
}

// detail returns the property's own data in one language.
func (h Property) detail(l locale.Tag) HotelDetail {
	d := HotelDetail{
		Property: PropertySummary{
			Property: h.ID,
			Tenant:   h.Tenant,
			Name:     localized(h.Name, l),
			City:     h.City,
			Country:  h.Country,
			Geo:      h.Geo,
			TimeZone: h.TimeZone,
			Stars:    h.Stars,
			Rating:   h.Rating.orNil(),
			Type:     h.Type,
		},
		Rooms: []RoomTypeSummary{}, Photos: pictures(h.Photos, l), Handoff: h.handoffHint(), Locale: l,
	}
	for _, r := range h.RoomTypes {
		d.Rooms = append(d.Rooms, r.show(l))
	}
	return d
}

func (r RoomType) show(l locale.Tag) RoomTypeSummary {
	text := locale.Among(r.Localized, l, RoomText{r.Name, r.Description})
	return RoomTypeSummary{
		RoomType:     r.ID,
		Name:         text.Name,
		Description:  text.Description,
		MaxOccupancy: r.MaxOccupancy,
		Photos:       pictures(r.Photos, l),
	}
}

func pictures(photos []Photo, l locale.Tag) []PhotoView {
	views := []PhotoView{}
	for _, p := range photos {
		views = append(views, PhotoView{URL: p.URL, Alt: p.Alt.In(l), Hero: p.Hero})
	}
	return views
}

// policies returns the most requested rules. If there is no rule about check-in or check-out, the property's times are used.
func (h Property) policies(rules []PropertyRule, l locale.Tag) PolicyTexts {
	t := PolicyTexts{CheckIn: h.CheckIn, CheckOut: h.CheckOut}
	for _, r := range rules {
		switch text := r.Text.In(l); r.Kind {
		case "cancellation":
			t.Cancellation = text
		case "check_in":
			t.CheckIn = text
		case "check_out":
			t.CheckOut = text
		}
	}
	return t
}

// show returns the calendar in minor units. It omits nights without an exact value.
func (c Calendar) show() []CalendarDay {
	days := []CalendarDay{}
	for _, d := range c.Days {
		price, err := money.Amount{Micro: d.Cheapest, Currency: c.Currency}.Minor()
		if err == nil && price.Amount > 0 {
			days = append(days, CalendarDay{Date: d.Date, Cheapest: price.Amount, Currency: price.Currency, Exponent: price.Exponent})
		}
	}
	return days
}
