package search

import (
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"
	"github.com/uber/h3-go/v4"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// The resolutions of the H3 grid (decision 144) that search uses. A cell at resolution 10 is about 130 m wide, one at resolution
// 4 about 40 km.
const (
	listingResolution = 10
	areaResolution    = 4
)

const (
	maxAreaCells = 64   // cells that an answer names
	reachKm      = 32.0 // from the centre of a cell at areaResolution to the farthest hotel in it: 29.8 km in a sample of three million
	cityKm       = 25.0 // radius around a city's centre in which its hotels are expected
)

// cellOf returns the H3 cell of a place at listingResolution.
func cellOf(g standin.Geo) h3.Cell {
	return h3.LatLngToCell(h3.NewLatLng(g.Lat, g.Lng), listingResolution)
}

// geoCell returns the name of a cell in events and answers.
func geoCell(c h3.Cell) string { return "h3:" + c.String() }

// Cells returns the cells at areaResolution in which the hotels of the searched area are, or nil if there are more than
// maxAreaCells. A city or region is the surroundings of the centres of its cities.
func (s Listings) Cells(ctx context.Context, w Where) ([]string, error) {
	switch {
	case w.Box != nil:
		return cover(*w.Box), nil
	case w.Point != nil:
		return cover(*w.Point), nil
	}
	var cities []area
	err := s.DB.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT c.latitude, c.longitude
			FROM sandbox.cities AS c
			WHERE @city <> '' AND c.city_keys @> ARRAY[@city] OR @region <> '' AND c.region_keys @> ARRAY[@region]`,
			pgx.StrictNamedArgs{"city": key(w.City), "region": key(w.Region)})
		c := Circle{RadiusKm: cityKm}
		_, err := pgx.ForEachRow(rows, []any{&c.Lat, &c.Lng}, func() error { cities = append(cities, c); return nil })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listings: cells: %w", err)
	}
	return cover(cities...), nil
}

// An area is a part of the earth without gaps.
type area interface {
	middle() standin.Geo
	km(from standin.Geo) float64 // to the nearest place in the area; 0 inside
}

// cover returns the cells at areaResolution in which the hotels of these areas are, or nil if there are more than maxAreaCells.
// It starts in the middle of each area and goes from cell to cell for as long as a cell can contain a hotel of the area.
func cover(areas ...area) []string {
	var names []string
	seen := map[h3.Cell]bool{}
	for _, a := range areas {
		reached := map[h3.Cell]bool{}
		middle := a.middle()
		for next := []h3.Cell{h3.LatLngToCell(h3.NewLatLng(middle.Lat, middle.Lng), areaResolution)}; len(next) > 0; next = next[1:] {
			at := next[0].LatLng()
			if reached[next[0]] || a.km(standin.Geo{Lat: at.Lat, Lng: at.Lng}) > reachKm {
				continue
			}
			reached[next[0]] = true
			if !seen[next[0]] {
				seen[next[0]] = true
				names = append(names, geoCell(next[0]))
			}
			if len(names) > maxAreaCells {
				return nil
			}
			next = append(next, next[0].GridDisk(1)...)
		}
	}
	return names
}

func (c Circle) middle() standin.Geo { return standin.Geo{Lat: c.Lat, Lng: c.Lng} }

func (c Circle) km(from standin.Geo) float64 { return max(0, kmBetween(from, c.middle())-c.RadiusKm) }

// km returns the distance to the nearest place in the box. Outside the box's meridians that place is on one of its two sides.
func (b Box) km(from standin.Geo) float64 {
	if eastward(b.SwLng, from.Lng) <= eastward(b.SwLng, b.NeLng) {
		return kmBetween(from, standin.Geo{Lat: b.clamp(from.Lat), Lng: from.Lng})
	}
	return min(b.kmToSide(from, b.SwLng), b.kmToSide(from, b.NeLng))
}

// kmToSide returns the distance to the nearest place on a side of the box, which is a part of a meridian.
func (b Box) kmToSide(from standin.Geo, meridian float64) float64 {
	rad := math.Pi / halfCircle
	nearest := math.Atan2(math.Sin(from.Lat*rad), math.Cos(from.Lat*rad)*math.Cos((meridian-from.Lng)*rad)) / rad
	return kmBetween(from, standin.Geo{Lat: b.clamp(nearest), Lng: meridian})
}

func (b Box) clamp(lat float64) float64 { return min(b.NeLat, max(b.SwLat, lat)) }

// eastward returns the degrees from one meridian to another, going east.
func eastward(from, to float64) float64 {
	if to < from {
		to += fullCircle
	}
	return to - from
}

// kmBetween returns the distance between two places on the sphere of sandbox.km.
func kmBetween(from, to standin.Geo) float64 {
	return h3.GreatCircleDistanceKm(h3.NewLatLng(from.Lat, from.Lng), h3.NewLatLng(to.Lat, to.Lng))
}
