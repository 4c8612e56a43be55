package marketplace

import (
	"math"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// The size of the map in its own units, and the distance of hotels from its edge. On the smallest telephones the map is 288 pixels wide,
// and a pin is 25.
const (
	mapWidth, mapHeight = 360, 300
	mapEdge             = 40
	smallestMap         = 0.02 // degrees: a single hotel is not shown larger than this
	pinRadius           = 16
	pinDistance         = 2*pinRadius + 3 // between the middles of two pins, with the stroke
	maxRounds           = 500             // of moving pins apart; ten pins need fewer than a hundred
)

// A Map is a picture of where hotels are, without streets.
type Map struct {
	Width, Height int
	Radius        int // of a pin
	Total         int
	Truncated     bool
	Pins          []Marker // the hotels of the list, none covered by another
	Others        []Marker // further hotels, which are no links
	Kilometres    int      // a length, and how long it is on the map
	Length        int
}

// A Marker is a hotel on the map, or several.
type Marker struct {
	X, Y     float64
	Count    int
	Number   int // of the hotel in the list below the map, or 0
	Name     string
	Property id.Property
	Price    *money.Minor
}

// newMap places the pins. Hotels of the list get their number in it and their name.
func newMap(pins *Pins, cards []Card, offset int) *Map {
	m := &Map{Width: mapWidth, Height: mapHeight, Radius: pinRadius, Total: pins.Total, Truncated: pins.Truncated}
	if len(pins.Pins) == 0 {
		return m
	}
	var places []Position
	for _, p := range pins.Pins {
		places = append(places, p.Geo)
	}
	low, high := bounds(places)
	middle := Position{(low.Lat + high.Lat) / 2, (low.Lng + high.Lng) / 2}
	narrowing := math.Max(math.Cos(middle.Lat*math.Pi/180), smallestMap) // a degree of longitude is shorter than one of latitude
	perDegree := math.Min((mapWidth-2*mapEdge)/(math.Max(high.Lng-low.Lng, smallestMap)*narrowing), (mapHeight-2*mapEdge)/math.Max(high.Lat-low.Lat, smallestMap))
	for _, p := range pins.Pins {
		marker := Marker{X: mapWidth/2 + (p.Geo.Lng-middle.Lng)*narrowing*perDegree, Y: mapHeight/2 - (p.Geo.Lat-middle.Lat)*perDegree,
			Count: p.Count, Property: p.Property}
		if p.Nightly > 0 {
			marker.Price = &money.Minor{Amount: p.Nightly, Currency: p.Currency, Exponent: p.Exponent}
		}
		for i, c := range cards {
			if c.Property == p.Property && p.Count == 1 {
				marker.Number, marker.Name = offset+i+1, c.Name.Display
			}
		}
		if marker.Number > 0 {
			m.Pins = append(m.Pins, marker)
		} else {
			marker.X, marker.Y = math.Round(marker.X), math.Round(marker.Y)
			m.Others = append(m.Others, marker)
		}
	}
	spread(m.Pins)
	m.scale(perDegree)
	return m
}

// spread moves pins apart that overlap, so that a guest can press each of them. It keeps them on the map.
func spread(pins []Marker) {
	for i := range pins { // pins at one place, or in one line, need a direction
		pins[i].X += math.Cos(float64(i))
		pins[i].Y += math.Sin(float64(i))
	}
	for moved, round := true, 0; moved && round < maxRounds; round++ {
		moved = false
		for i := range pins {
			for j := range i {
				moved = part(&pins[i], &pins[j]) || moved
			}
		}
	}
	for i := range pins {
		pins[i].X, pins[i].Y = math.Round(pins[i].X), math.Round(pins[i].Y)
	}
}

// part moves two pins apart if they overlap, and reports whether they did.
func part(a, b *Marker) bool {
	x, y := a.X-b.X, a.Y-b.Y
	distance := math.Hypot(x, y)
	if distance >= pinDistance {
		return false
	}
	by := (pinDistance + 1 - distance) / 2 / math.Max(distance, 1)
	for pin, side := range map[*Marker]float64{a: by, b: -by} {
		pin.X = math.Min(math.Max(pin.X+x*side, pinRadius+1), mapWidth-pinRadius-1)
		pin.Y = math.Min(math.Max(pin.Y+y*side, pinRadius+1), mapHeight-pinRadius-1)
	}
	return true
}

// bounds returns the south-western and the north-eastern corner of some places.
func bounds(places []Position) (low, high Position) {
	low, high = places[0], places[0]
	for _, p := range places {
		low = Position{math.Min(low.Lat, p.Lat), math.Min(low.Lng, p.Lng)}
		high = Position{math.Max(high.Lat, p.Lat), math.Max(high.Lng, p.Lng)}
	}
	return low, high
}

// around returns the box of the cards with a margin. There is at least one card.
func around(cards []Card) *box {
	var places []Position
	for _, c := range cards {
		places = append(places, c.Geo)
	}
	low, high := bounds(places)
	return &box{South: math.Max(low.Lat-smallestMap, -poles), West: math.Max(low.Lng-smallestMap, -dateLine),
		North: math.Min(high.Lat+smallestMap, poles), East: math.Min(high.Lng+smallestMap, dateLine)}
}

const poles, dateLine = 90, 180 // degrees

const kilometresPerDegree = 111.2

// scale chooses the longest round length that takes at most a quarter of the map.
func (m *Map) scale(perDegree float64) {
	perKilometre := perDegree / kilometresPerDegree
	for _, km := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if length := int(float64(km) * perKilometre); m.Kilometres == 0 || length <= mapWidth/4 {
			m.Kilometres, m.Length = km, length
		}
	}
}
