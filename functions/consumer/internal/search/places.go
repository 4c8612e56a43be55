package search

import "math"

// stepsPerDegree is the precision of a searched point: 0.01 degrees, 1.1 km at most. The search service, the cache's keys and the
// session get the rounded point only; the exact one is personal, and would make every search a search of its own.
const stepsPerDegree = 100

// minRadius is the smallest radius that is searched, in kilometres. The rounded point is up to 0.8 km away from the exact one, so
// a smaller circle could miss the hotel that the guest stands in front of.
const minRadius = 1

// rounded returns the circle as it is searched.
func (c Circle) rounded() *Circle {
	round := func(degrees float64) float64 { return math.Round(degrees*stepsPerDegree) / stepsPerDegree }
	return &Circle{Lat: round(c.Lat), Lng: round(c.Lng), RadiusKm: max(minRadius, c.RadiusKm)}
}

const earthKm = 6371.0 // radius of the sphere on which distances are measured

// distance returns the kilometres from the point to a hotel with one decimal, or nil if the place is not a point.
func (g GeoQuery) distance(hotel Position) *float64 {
	if g.Point == nil {
		return nil
	}
	rad := func(degrees float64) float64 { return degrees * math.Pi / (fullCircle / 2) }
	half := func(from, to float64) float64 { s := math.Sin(rad(to-from) / 2); return s * s }
	h := half(g.Point.Lat, hotel.Lat) + math.Cos(rad(g.Point.Lat))*math.Cos(rad(hotel.Lat))*half(g.Point.Lng, hotel.Lng)
	km := math.Round(2*earthKm*math.Asin(math.Sqrt(min(1, h)))*10) / 10
	return &km
}

const fullCircle = 360

// eastward returns the degrees from one meridian to another, going east.
func eastward(from, to float64) float64 {
	if to < from {
		to += fullCircle
	}
	return to - from
}

// cells returns the box extended to whole cells. Boxes of the same cells are one search: of a map that was moved a little, and
// of two visitors in one town.
func (b BoundingBox) cells() *BoundingBox {
	width := eastward(b.SwLng, b.NeLng)
	h, w := cellOf(b.NeLat-b.SwLat), cellOf(width)
	out := &BoundingBox{SwLat: math.Floor(b.SwLat/h) * h, NeLat: math.Ceil(b.NeLat/h) * h, SwLng: -fullCircle / 2, NeLng: fullCircle / 2}
	if width+2*w < fullCircle { // else the two ends would meet
		out.SwLng, out.NeLng = math.Floor(b.SwLng/w)*w, math.Ceil(b.NeLng/w)*w
	}
	return out
}

// coarse returns the cells of the box, or nil if the place is not a box.
func (g GeoQuery) coarse() *BoundingBox {
	if g.Box == nil {
		return nil
	}
	return g.Box.cells()
}

// The sides of cells, in degrees. They are powers of two, so multiples of them are exact, also at the poles and the date line.
const (
	minCell     = 1.0 / 128 // 0.9 km at most
	maxCell     = 1.0
	cellsOfSide = 8 // of a box, at least
)

// cellOf returns the side of the cells for a box of that side.
func cellOf(side float64) float64 {
	return min(maxCell, max(minCell, math.Exp2(math.Floor(math.Log2(side/cellsOfSide)))))
}
