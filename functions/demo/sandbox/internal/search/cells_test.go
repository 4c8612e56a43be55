package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/uber/h3-go/v4"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// anywhere returns a random place, with every part of the earth equally likely.
func anywhere(random *rand.Rand) standin.Geo {
	return standin.Geo{Lat: math.Asin(2*random.Float64()-1) * halfCircle / math.Pi, Lng: random.Float64()*fullCircle - halfCircle}
}

// within returns a random place in the area, or false.
func within(a area, random *rand.Rand) (standin.Geo, bool) {
	at := anywhere(random)
	switch a := a.(type) {
	case Box:
		at = standin.Geo{Lat: a.SwLat + random.Float64()*(a.NeLat-a.SwLat), Lng: wrap(a.SwLng + random.Float64()*eastward(a.SwLng, a.NeLng))}
	case Circle:
		far := 0.999 * a.RadiusKm * math.Sqrt(random.Float64())
		at = Circle{a.Lat, a.Lng, far}.travel(random.Float64() * 2 * math.Pi)
	}
	return at, a.km(at) == 0
}

// A hotel of an area must be in one of the area's cells, by the cell that its event names.
func TestCover_containsItsHotels(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 1))
	areas := map[string][]area{
		"a town":             {Box{34.40625, 69, 34.75, 69.4375}},
		"over the date line": {Box{-17.5, 179.25, -16.5, -179.25}},
		"at a pole":          {Box{89.5, -180, 90, 180}},
		"a pole's circle":    {Circle{-90, 0, 40}},
		"two cities":         {Circle{34.5, 69.2, cityKm}, Circle{34.3, 62.2, cityKm}},
		"one place":          {Circle{34.5, 69.2, 1}},
	}
	for _, c := range h3.Pentagons(areaResolution) {
		at := c.LatLng()
		areas["the pentagon "+c.String()] = []area{Circle{at.Lat, at.Lng, 60}}
	}
	for range 300 {
		at := anywhere(random)
		width, height := random.Float64()*2, random.Float64()*2
		areas["box "+cellOf(at).String()] = []area{Box{max(-pole, at.Lat-height), wrap(at.Lng - width), min(pole, at.Lat+height), wrap(at.Lng + width)}}
		areas["circle "+cellOf(at).String()] = []area{Circle{at.Lat, at.Lng, 1 + random.Float64()*60}}
	}
	for name, all := range areas {
		cells := cover(all...)
		if len(cells) == 0 {
			if b, ok := all[0].(Box); ok && b.km2() > 5_000 {
				continue // too large for a list of cells
			}
			t.Errorf("%s: no cells", name)
		}
		for range 200 {
			at, ok := within(all[random.IntN(len(all))], random)
			if cell := geoCell(cellOf(at).Parent(areaResolution)); ok && !slices.Contains(cells, cell) {
				t.Errorf("%s: %+v is in %s, which is not in %v", name, at, cell, cells)
				break
			}
		}
	}
}

func TestCover_size(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		area []area
		want int // 0: absent
	}{
		{"none", nil, 0},
		{"one place", []area{Circle{34.5, 69.2, 1}}, 2},
		{"Kabul", []area{Circle{34.5553, 69.2075, cityKm}}, 4},
		{"the same city twice", []area{Circle{34.5553, 69.2075, cityKm}, Circle{34.5553, 69.2075, cityKm}}, 4},
		{"200 km", []area{Circle{34.5, 69.2, 200}}, 0},
		{"the earth", []area{Box{-90, -180, 90, 180}}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, len(cover(test.area...)), test.want)
		})
	}
}

func TestBox_resolution(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		box  Box
		want int
	}{
		{"the earth", Box{-90, -180, 90, 180}, 1},
		{"a country", Box{29, 60, 39, 75}, 4},
		{"a town", Box{34.4, 69, 34.7, 69.4}, 7},
		{"a street", Box{34.53, 69.17, 34.54, 69.18}, 10},
		{"over the date line", Box{-0.2, 179.8, 0.2, -179.8}, 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, test.box.resolution(), test.want)
		})
	}
}

func TestVector_direction(t *testing.T) {
	t.Parallel()
	of := func(places ...standin.Geo) (v vector) {
		for _, at := range places {
			lat, lng := at.Lat*math.Pi/halfCircle, at.Lng*math.Pi/halfCircle
			v.x, v.y, v.z = v.x+math.Cos(lat)*math.Cos(lng), v.y+math.Cos(lat)*math.Sin(lng), v.z+math.Sin(lat)
		}
		return v
	}
	for _, test := range []struct {
		name   string
		places []standin.Geo
		want   standin.Geo
	}{
		{"one", []standin.Geo{{Lat: 34.5, Lng: 69.2}}, standin.Geo{Lat: 34.5, Lng: 69.2}},
		{"two", []standin.Geo{{Lat: 34.5, Lng: 69.1}, {Lat: 34.6, Lng: 69.1}}, standin.Geo{Lat: 34.55, Lng: 69.1}},
		{"over the date line", []standin.Geo{{Lat: 0, Lng: 179}, {Lat: 0, Lng: -179}, {Lat: 0, Lng: -178}}, standin.Geo{Lat: 0, Lng: -179.333333}},
		{"around the pole", []standin.Geo{{Lat: 89, Lng: 0}, {Lat: 89, Lng: 120}, {Lat: 89, Lng: -120}}, standin.Geo{Lat: 90, Lng: 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := of(test.places...).direction()
			if kmBetween(got, test.want) > 0.02 {
				t.Errorf("direction() = %+v, want %+v", got, test.want)
			}
		})
	}
}
