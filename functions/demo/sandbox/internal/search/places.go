package search

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
)

// A Where is the area to search, given in exactly one way.
type Where struct {
	Mode   string  `json:"mode"` // point, bounding-box, city or region
	Point  *Circle `json:"point,omitzero"`
	Box    *Box    `json:"boundingBox,omitzero"`
	City   string  `json:"city,omitzero"`   // in any language
	Region string  `json:"region,omitzero"` // a province or a country, in any language
}

// A Circle is the area around a point.
type Circle struct {
	Lat      float64 `json:"lat"`
	Lng      float64 `json:"lng"`
	RadiusKm float64 `json:"radiusKm"`
}

// A Box is the area between two parallels and two meridians. If its west is east of its east, it crosses the date line.
type Box struct {
	SwLat float64 `json:"swLat"`
	SwLng float64 `json:"swLng"`
	NeLat float64 `json:"neLat"`
	NeLng float64 `json:"neLng"`
}

const (
	halfCircle     = 180.0
	fullCircle     = 360.0
	pole           = 90.0
	kmPerDegree    = 111.195 // of a meridian of the sphere that sandbox.km measures on
	farthest       = 20_100  // km: half-way round
	maxPlaceLength = 80      // characters
)

// Validate rejects an area that is given in no way or in several, or that is not on earth.
func (w Where) Validate() error {
	given := map[string]bool{"point": w.Point != nil, "bounding-box": w.Box != nil, "city": w.City != "", "region": w.Region != ""}
	ways := 0
	for _, is := range given {
		if is {
			ways++
		}
	}
	if ways != 1 || !given[w.Mode] {
		return standin.Refuse("/geo", "one", "Name the mode and exactly that one: a point, a boundingBox, a city or a region.")
	}
	switch {
	case w.Point != nil:
		if !onEarth(w.Point.Lat, w.Point.Lng) || !(w.Point.RadiusKm > 0 && w.Point.RadiusKm <= farthest) {
			return standin.Refuse("/geo/point", "range", "Must have a latitude from -90 to 90, a longitude from -180 to 180, and a radius above 0 and at most 20100 km.")
		}
	case w.Box != nil:
		if !onEarth(w.Box.SwLat, w.Box.SwLng) || !onEarth(w.Box.NeLat, w.Box.NeLng) || w.Box.SwLat >= w.Box.NeLat || w.Box.SwLng == w.Box.NeLng {
			return standin.Refuse("/geo/boundingBox", "range", "Must have latitudes from -90 to 90, longitudes from -180 to 180, and its south-west corner south of its north-east corner.")
		}
	case tooLong(w.City), tooLong(w.Region):
		return standin.Refuse("/geo/"+w.Mode, "length", overlong)
	}
	return nil
}

const overlong = "Must have at most 80 characters."

// tooLong reports whether a place's name has too many characters, in any script.
func tooLong(name string) bool { return utf8.RuneCountInString(name) > maxPlaceLength }

func onEarth(lat, lng float64) bool {
	return math.Abs(lat) <= pole && math.Abs(lng) <= halfCircle // false for NaN
}

// around returns a box that contains the circle.
func (c Circle) around() Box {
	up := c.RadiusKm / kmPerDegree
	b := Box{SwLat: max(-pole, c.Lat-up), SwLng: -halfCircle, NeLat: min(pole, c.Lat+up), NeLng: halfCircle}
	if b.SwLat == -pole || b.NeLat == pole {
		return b // near a pole the circle touches every meridian
	}
	// The circle is widest where it touches a meridian, which is nearer to the pole than its centre.
	across := math.Asin(min(1, math.Sin(up*math.Pi/halfCircle)/math.Cos(c.Lat*math.Pi/halfCircle))) * halfCircle / math.Pi
	if across < halfCircle {
		b.SwLng, b.NeLng = wrap(c.Lng-across), wrap(c.Lng+across)
	}
	return b
}

func wrap(lng float64) float64 {
	switch {
	case lng < -halfCircle:
		return lng + fullCircle
	case lng > halfCircle:
		return lng - fullCircle
	}
	return lng
}

// halves returns one or two boxes that together equal b and do not cross the date line.
func (b Box) halves() (Box, Box) {
	if b.SwLng <= b.NeLng {
		return b, b
	}
	west, east := b, b
	west.NeLng, east.SwLng = halfCircle, -halfCircle
	return west, east
}

// middle returns the centre of the box.
func (b Box) middle() standin.Geo {
	width := b.NeLng - b.SwLng
	if width < 0 {
		width += fullCircle
	}
	return standin.Geo{Lat: (b.SwLat + b.NeLat) / 2, Lng: wrap(b.SwLng + width/2)}
}

// letters replaces letters that have several spellings in place names.
var letters = strings.NewReplacer("ي", "ی", "ى", "ی", "ې", "ی", "ۍ", "ی", "ئ", "ی", "ك", "ک", "ګ", "گ", "ة", "ه", "ۀ", "ه", "ہ", "ه", "ھ", "ه",
	"أ", "ا", "إ", "ا", "آ", "ا", "ٱ", "ا", "ؤ", "و", "ړ", "ر", "ڑ", "ر", "ټ", "ت", "ٹ", "ت", "ډ", "د", "ڈ", "د", "ښ", "ش", "ږ", "ژ", "ı", "i")

// Fold returns the same key for all spellings of a place's name: it ignores case, accents, vowel signs, hyphens, spaces
// and the spelling variants of letters between languages.
func Fold(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(letters.Replace(norm.NFKC.String(name))) {
		if unicode.IsLetter(r) && r != 'ـ' || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return letters.Replace(b.String())
}
