package search

import (
	"fmt"
	"math"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestNormal_point(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		from, to Circle
	}{
		{"on the grid", Circle{34.53, 69.17, 5}, Circle{34.53, 69.17, 5}},
		{"between", Circle{34.5349999, 69.1751, 5}, Circle{34.53, 69.18, 5}},
		{"south and west", Circle{-34.5351, -69.1749, 5}, Circle{-34.54, -69.17, 5}},
		{"corner of the earth", Circle{89.999, -179.999, 5}, Circle{90, -180, 5}},
		{"radius below the rounding", Circle{34.53, 69.17, 0.2}, Circle{34.53, 69.17, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			exact := test.from
			got := Query{Geo: GeoQuery{Mode: Point, Point: &exact}}.Normal()
			check.Equal(t, *got.Geo.Point, test.to)
			check.Equal(t, exact, test.from)
		})
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	at := func(lat, lng float64) GeoQuery {
		return GeoQuery{Mode: Point, Point: &Circle{Lat: lat, Lng: lng, RadiusKm: 5}}
	}
	for _, test := range []struct {
		name  string
		place GeoQuery
		hotel Position
		want  float64
	}{
		{"here", at(34.5, 69.1), Position{34.5, 69.1}, 0},
		{"300 m to the north", at(34.5, 69.1), Position{34.5027, 69.1}, 0.3},
		{"degree of a meridian", at(0, 0), Position{1, 0}, 111.2},
		{"Kabul to Herat", at(34.5553, 69.2075), Position{34.3529, 62.204}, 642.4},
		{"over the date line", at(0, 179.5), Position{0, -179.5}, 111.2},
		{"antipode", at(0, 0), Position{0, 180}, 20015.1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, *test.place.distance(test.hotel), test.want, "km")
		})
	}
	check.Equal(t, (GeoQuery{Mode: City, City: "Kabul"}).distance(Position{34.5, 69.1}), nil, "distance from a city")
}

func TestCells(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		box, want BoundingBox
	}{
		{"town", BoundingBox{34.41, 69.03, 34.72, 69.42}, BoundingBox{34.40625, 69, 34.75, 69.4375}},
		{"town 40 m further", BoundingBox{34.4104, 69.0304, 34.7204, 69.4204}, BoundingBox{34.40625, 69, 34.75, 69.4375}},
		{"street", BoundingBox{34.5301, 69.1701, 34.5312, 69.1718}, BoundingBox{34.5234375, 69.1640625, 34.53125, 69.171875}},
		{"over the date line", BoundingBox{-10.3, 170.3, 10.3, -170.3}, BoundingBox{-11, 170, 11, -170}},
		{"whole earth", BoundingBox{-90, -180, 90, 180}, BoundingBox{-90, -180, 90, 180}},
		{"nearly whole earth", BoundingBox{-89.9, 10.2, 89.9, 10.1}, BoundingBox{-90, -180, 90, 180}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := test.box.cells()
			check.Equal(t, *got, test.want)
			check.Equal(t, *got.cells(), *got)
			side := math.Max(eastward(test.box.SwLng, test.box.NeLng), test.box.NeLat-test.box.SwLat)
			for _, corner := range []Position{{test.box.SwLat, test.box.SwLng}, {test.box.NeLat, test.box.NeLng}} {
				t.Run(fmt.Sprint(corner.Lat), func(t *testing.T) {
					if corner.Lat < got.SwLat || corner.Lat > got.NeLat {
						t.Errorf("%+v is south or north of %+v", corner, *got)
					}
					if eastward(got.SwLng, corner.Lng) > eastward(got.SwLng, got.NeLng) {
						t.Errorf("%+v is west or east of %+v", corner, *got)
					}
					if eastward(got.SwLng, test.box.SwLng) > side/cellsOfSide && got.NeLng-got.SwLng != fullCircle && side > minCell {
						t.Errorf("%+v does not fit around %+v", *got, test.box)
					}
				})
			}
		})
	}
}
