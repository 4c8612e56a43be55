package search

import (
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/stay"
)

// A GeoMode is the way in which a query specifies its place.
type GeoMode string

// The modes.
const (
	Point  GeoMode = "point"
	Box    GeoMode = "bounding-box"
	City   GeoMode = "city"
	Region GeoMode = "region"
)

// UnmarshalText rejects unknown modes.
func (m *GeoMode) UnmarshalText(text []byte) error {
	switch read := GeoMode(text); read {
	case Point, Box, City, Region:
		*m = read
		return nil
	}
	return errors.New("is not a geo mode")
}

// A GeoQuery specifies the place of a search in exactly one way.
type GeoQuery struct {
	Mode   GeoMode      `json:"mode"`
	Point  *Circle      `json:"point,omitzero"`
	Box    *BoundingBox `json:"boundingBox,omitzero"`
	City   string       `json:"city,omitzero"`
	Region string       `json:"region,omitzero"`
}

// A Circle is the area around a point, in degrees and kilometres.
type Circle struct {
	Lat      float64 `json:"lat"`
	Lng      float64 `json:"lng"`
	RadiusKm float64 `json:"radiusKm"`
}

// A BoundingBox is the part of a map between a south-western and a north-eastern corner, in degrees. If SwLng is greater than
// NeLng, the box crosses the date line.
type BoundingBox struct {
	SwLat float64 `json:"swLat"`
	SwLng float64 `json:"swLng"`
	NeLat float64 `json:"neLat"`
	NeLng float64 `json:"neLng"`
}

const (
	maxRadius     = 200 // kilometres around a point
	maxNameLength = 80  // characters of a place's name
)

// Check returns the violations of the place, with pointers below at.
func (g GeoQuery) Check(at string) (wrong []fault.Violation) {
	for _, way := range []struct {
		mode  GeoMode
		name  string
		given bool
	}{
		{Point, "/point", g.Point != nil}, {Box, "/boundingBox", g.Box != nil},
		{City, "/city", !isBlank(g.City)}, {Region, "/region", !isBlank(g.Region)},
	} {
		switch {
		case way.mode == g.Mode && !way.given:
			wrong = append(wrong, violation(at+way.name, "required", "Required for this mode."))
		case way.mode != g.Mode && way.given:
			wrong = append(wrong, violation(at+way.name, "oneMode", "Only the member of the given mode may be set."))
		}
	}
	if c := g.Point; c != nil && (!onEarth(c.Lat, c.Lng) || c.RadiusKm <= 0 || c.RadiusKm > maxRadius) {
		wrong = append(wrong, violation(at+"/point", "range", fmt.Sprintf("Must be valid coordinates with a radius of at most %d km.", maxRadius)))
	}
	if b := g.Box; b != nil && (!onEarth(b.SwLat, b.SwLng) || !onEarth(b.NeLat, b.NeLng) || b.SwLat >= b.NeLat || b.SwLng == b.NeLng) {
		wrong = append(wrong, violation(at+"/boundingBox", "range", "Must be valid coordinates, from the south-west to the north-east corner."))
	}
	if !isPlaceName(g.City) {
		wrong = append(wrong, violation(at+"/city", "form", placeNameMessage))
	}
	if !isPlaceName(g.Region) {
		wrong = append(wrong, violation(at+"/region", "form", placeNameMessage))
	}
	return wrong
}

func onEarth(lat, lng float64) bool { return lat >= -90 && lat <= 90 && lng >= -180 && lng <= 180 }

// A DateRange is a stay from check-in to check-out, in the hotel's time zone.
type DateRange struct {
	CheckIn  stay.Date `json:"checkIn"`
	CheckOut stay.Date `json:"checkOut"`
}

// Window returns the stay as a [stay.Window].
func (d DateRange) Window() stay.Window { return stay.Window{Start: d.CheckIn, End: d.CheckOut} }

const maxDaysAhead = 400 // hotels have no prices beyond it

// Check returns the violations of the dates, with pointers below at. It accepts yesterday, because the hotel's time zone is not
// known yet; see [Property.CheckDates].
func (d DateRange) Check(at string, now time.Time) []fault.Violation {
	today := stay.DateOf(now)
	switch {
	case !d.CheckIn.Before(d.CheckOut):
		return []fault.Violation{violation(at+"/checkOut", "range", "The stay must end after it starts.")}
	case d.CheckIn.Before(today.AddDays(-1)):
		return []fault.Violation{datesInPast(at)}
	case today.AddDays(maxDaysAhead).Before(d.CheckIn):
		return []fault.Violation{violation(at+"/checkIn", "range", fmt.Sprintf("The stay must begin within %d days.", maxDaysAhead))}
	case d.Window().Nights() > stay.MaxSiteNights:
		return []fault.Violation{violation(at+"/checkOut", "range", fmt.Sprintf("The stay must have at most %d nights.", stay.MaxSiteNights))}
	}
	return nil
}

func datesInPast(at string) fault.Violation {
	return violation(at+"/checkIn", "range", "The stay begins in the past.")
}

// An Occupancy is the number of guests and rooms of a stay.
type Occupancy struct {
	Adults       int   `json:"adults"`
	Children     int   `json:"children"`
	Rooms        int   `json:"rooms"`
	ChildrenAges []int `json:"childrenAges,omitempty"`
}

// A Party is an occupancy without the children's ages, for the pricing service and for events.
type Party struct {
	Adults   int `json:"adults"`
	Children int `json:"children"`
	Rooms    int `json:"rooms"`
}

// Party returns the occupancy without the children's ages.
func (o Occupancy) Party() Party {
	return Party{Adults: o.Adults, Children: o.Children, Rooms: o.Rooms}
}

const (
	maxAdults   = 36
	maxChildren = 36
	oldestChild = 17
)

// Check returns the violations of the occupancy, with pointers below at.
func (o Occupancy) Check(at string) (wrong []fault.Violation) {
	if o.Rooms < 1 || o.Rooms > stay.MaxSiteRooms {
		wrong = append(wrong, violation(at+"/rooms", "range", fmt.Sprintf("Must be 1 to %d.", stay.MaxSiteRooms)))
	}
	if o.Adults < max(1, o.Rooms) || o.Adults > maxAdults {
		wrong = append(wrong, violation(at+"/adults", "range", fmt.Sprintf("Must be at least one per room and at most %d.", maxAdults)))
	}
	if o.Children < 0 || o.Children > maxChildren {
		wrong = append(wrong, violation(at+"/children", "range", fmt.Sprintf("Must be 0 to %d.", maxChildren)))
	}
	if o.ChildrenAges != nil && len(o.ChildrenAges) != o.Children {
		wrong = append(wrong, violation(at+"/childrenAges", "count", "Must name the age of each child."))
	}
	for i, age := range o.ChildrenAges {
		if age < 0 || age > oldestChild {
			wrong = append(wrong, violation(fmt.Sprintf("%s/childrenAges/%d", at, i), "range", fmt.Sprintf("Must be 0 to %d.", oldestChild)))
		}
		if i == maxChildren {
			break
		}
	}
	return wrong
}

func violation(pointer, rule, message string) fault.Violation {
	return fault.Violation{Pointer: pointer, Rule: rule, Message: message}
}

// validationError returns a validation error with the violations, or nil if there are no violations.
func validationError(wrong ...fault.Violation) error {
	if len(wrong) == 0 {
		return nil
	}
	return fault.ErrValidation.With(wrong...)
}
