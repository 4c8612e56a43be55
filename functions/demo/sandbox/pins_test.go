package sandbox_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/uber/h3-go/v4"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// cellOf returns the cell in the index.
func (w manyHotels) cellOf(t *testing.T, p id.Property) string {
	t.Helper()
	var cell int64
	check.Must(t, w.owner.QueryRow(t.Context(), `SELECT geo_cell FROM sandbox.listings WHERE property_id = $1`, p).Scan(&cell))
	return "h3:" + h3.Cell(cell).String()
}

// A place is one of many hotels.
type place struct {
	Property id.Property
	Geo      standin.Geo
	Cell     h3.Cell
	Clicks   int
}

// addCopies adds a copy of the first hotel, with one of its rooms, at each place. Its clicks decide the order.
func (w manyHotels) addCopies(t *testing.T, at []standin.Geo) []place {
	t.Helper()
	all := make([]place, len(at))
	var ids []id.Property
	var cells []int64
	var lats, lngs []float64
	var clicks []int
	for i, g := range at {
		all[i] = place{id.New[id.Property](), g, h3.LatLngToCell(h3.NewLatLng(g.Lat, g.Lng), 10), 1000 + i*7919%len(at)}
		ids, cells, clicks = append(ids, all[i].Property), append(cells, int64(all[i].Cell)), append(clicks, all[i].Clicks)
		lats, lngs = append(lats, g.Lat), append(lngs, g.Lng)
	}
	check.Got(w.owner.Exec(t.Context(), `SET session_replication_role = replica`)).Must(t)
	for _, sql := range []string{
		`INSERT INTO sandbox.listings (property_id, tenant_id, city_id, time_zone, currency, place, center_km, star_rating, rating, rating_count, standing,
				property_type, neighbourhood_key, amenities, name, name_localized, badges, indexed_at, geo_cell)
			SELECT c.id, tenant_id, city_id, time_zone, currency, point(c.lng, c.lat), center_km, star_rating, rating, rating_count, standing,
				property_type, neighbourhood_key, amenities, name, name_localized, badges, indexed_at, c.cell
			FROM sandbox.listings AS l, copies AS c WHERE l.property_id = $1`,
		`INSERT INTO sandbox.listing_rooms SELECT c.id, r.tenant_id, c.id, r.max_occupancy, r.units, r.open_from, r.open_until
			FROM sandbox.listing_rooms AS r, copies AS c
			WHERE r.room_type_id = (SELECT min(o.room_type_id::text)::uuid FROM sandbox.listing_rooms AS o WHERE o.property_id = $1)`,
		`INSERT INTO sandbox.listing_rates SELECT c.id, r.tenant_id, c.id, c.id, r.free_until_hours_before, r.penalty_percent, r.weekday_micro
			FROM sandbox.listing_rates AS r, copies AS c
			WHERE r.rate_plan_id = (SELECT min(o.rate_plan_id::text)::uuid FROM sandbox.listing_rates AS o WHERE o.property_id = $1)`,
		`INSERT INTO sandbox.popularity SELECT c.id, c.clicks FROM copies AS c WHERE $1::uuid IS NOT NULL`,
	} {
		with := `WITH copies AS (SELECT c.id, c.cell, c.lat, c.lng, c.clicks FROM unnest($2::uuid[], $3::bigint[], $4::float8[], $5::float8[], $6::int[]) AS c (id, cell, lat, lng, clicks)) `
		check.Got(w.owner.Exec(t.Context(), with+sql, kabul.Property, ids, cells, lats, lngs, clicks)).Must(t)
	}
	check.Got(w.owner.Exec(t.Context(), `ANALYZE sandbox.listings, sandbox.listing_rooms, sandbox.listing_rates, sandbox.popularity`)).Must(t)
	return all
}

// checkPins compares the pins with the hotels in the box, and returns the resolution of the clusters or -1.
func checkPins(t *testing.T, pins []search.Pin, total int, in []place) (resolution int) {
	t.Helper()
	const maxPins = 200
	resolution = -1
	counted := 0
	check.Equal(t, total, len(in))
	if len(pins) > maxPins {
		t.Errorf("len(pins) = %d, want at most %d", len(pins), maxPins)
	}
	for _, p := range pins {
		counted += p.Count
		if p.Cell != "" {
			resolution = h3.Cell(h3.IndexFromString(p.Cell[len("h3:"):])).Resolution()
		}
	}
	check.Equal(t, counted, total, "the counts add up to")
	for _, p := range pins {
		members := []place{}
		for _, h := range in {
			if h.Property == p.Property || p.Cell != "" && "h3:"+h.Cell.Parent(resolution).String() == p.Cell {
				members = append(members, h)
			}
		}
		check.MustEqual(t, len(members), p.Count, "%s", p.Cell)
		best := slices.MaxFunc(members, func(a, b place) int { return cmp.Compare(a.Clicks, b.Clicks) })
		check.Equal(t, best.Property, p.Property, "%s", p.Cell)
		if far := h3.GreatCircleDistanceM(h3.NewLatLng(p.Geo.Lat, p.Geo.Lng), centroid(members)); far > 1 {
			t.Errorf("%s: the pin is %.1f m from the centroid of its hotels", p.Cell, far)
		}
	}
	return resolution
}

func centroid(all []place) h3.LatLng {
	var x, y, z float64
	for _, h := range all {
		lat, lng := h.Geo.Lat*math.Pi/180, h.Geo.Lng*math.Pi/180
		x, y, z = x+math.Cos(lat)*math.Cos(lng), y+math.Cos(lat)*math.Sin(lng), z+math.Sin(lat)
	}
	return h3.NewLatLng(math.Atan2(z, math.Hypot(x, y))*180/math.Pi, math.Atan2(y, x)*180/math.Pi)
}

func TestPins_clusters(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := manyHotels{books: b, Listings: search.OpenListings(b.env)}
	random := rand.New(rand.NewPCG(10, 4))
	var at []standin.Geo
	add := func(n int, box search.Box) {
		for range n {
			g := standin.Geo{Lat: box.SwLat + random.Float64()*(box.NeLat-box.SwLat), Lng: box.SwLng + random.Float64()*(box.NeLng-box.SwLng)}
			if g.Lng > 180 {
				g.Lng -= 360
			}
			at = append(at, g)
		}
	}
	// In the sea and the ice, where the example hotels are not.
	boxes := []struct {
		name       string
		hotels     int
		box        search.Box
		resolution int // -1: single hotels
	}{
		{"10,000 in a country", 10_000, search.Box{SwLat: -15, SwLng: 60, NeLat: -5, NeLng: 70}, 3},
		{"a part of them", 0, search.Box{SwLat: -11, SwLng: 63, NeLat: -10, NeLng: 65}, -1},
		{"another part", 0, search.Box{SwLat: -12, SwLng: 63, NeLat: -10, NeLng: 65}, 5},
		{"200", 200, search.Box{SwLat: -30, SwLng: 60, NeLat: -29, NeLng: 61}, -1},
		{"201", 201, search.Box{SwLat: -35, SwLng: 60, NeLat: -34, NeLng: 61}, 6},
		{"all in one place", 250, search.Box{SwLat: -40, SwLng: 60, NeLat: -39.99999, NeLng: 60.00001}, 10},
		{"over the date line", 900, search.Box{SwLat: -1, SwLng: 179, NeLat: 1, NeLng: 181}, 4},
		{"at a pole", 900, search.Box{SwLat: -90, SwLng: -180, NeLat: -89, NeLng: 180}, 5},
	}
	pentagon := h3.Pentagons(7)[2].LatLng()
	boxes = append(boxes, boxes[0])
	last := &boxes[len(boxes)-1]
	last.name, last.hotels, last.resolution = "around a pentagon", 900, 6
	last.box = search.Box{SwLat: pentagon.Lat - 0.3, SwLng: pentagon.Lng - 0.3, NeLat: pentagon.Lat + 0.3, NeLng: pentagon.Lng + 0.3}
	for _, test := range boxes {
		add(test.hotels, test.box)
	}
	all := w.addCopies(t, at)
	for _, test := range boxes {
		t.Run(test.name, func(t *testing.T) {
			box := test.box
			if box.NeLng > 180 {
				box.NeLng -= 360
			}
			in := slices.DeleteFunc(slices.Clone(all), func(h place) bool {
				lng := h.Geo.Lng
				if lng < test.box.SwLng {
					lng += 360
				}
				return h.Geo.Lat < test.box.SwLat || h.Geo.Lat > test.box.NeLat || lng > test.box.NeLng
			})
			if len(in) < test.hotels {
				t.Fatalf("%d hotels, want %d", len(in), test.hotels)
			}
			pins, total, err := w.Pins(t.Context(), w.query(search.Where{Mode: "bounding-box", Box: &box}), 200)
			check.Must(t, err)
			check.Equal(t, checkPins(t, pins, total, in), test.resolution)
		})
	}
}

// Hotels that were indexed before cells were stored are one cluster until they are indexed again.
func TestPins_withoutCells(t *testing.T) {
	t.Parallel()
	b := open(t)
	w := manyHotels{books: b, Listings: search.OpenListings(b.env)}
	var at []standin.Geo
	for n := range 300 {
		at = append(at, standin.Geo{Lat: -10, Lng: 60 + float64(n)/1000})
	}
	all := w.addCopies(t, at)
	var old []id.Property
	for _, h := range all[:100] {
		old = append(old, h.Property)
	}
	check.Got(w.owner.Exec(t.Context(), `UPDATE sandbox.listings SET geo_cell = NULL WHERE property_id = ANY ($1)`, old)).Must(t)
	box := search.Box{SwLat: -11, SwLng: 59, NeLat: -9, NeLng: 61}
	pins, total, err := w.Pins(t.Context(), w.query(search.Where{Mode: "bounding-box", Box: &box}), 200)
	check.Must(t, err)
	counted, without := 0, []int{}
	for _, p := range pins {
		counted += p.Count
		if p.Cell == "" {
			without = append(without, p.Count)
		}
	}
	check.Equal(t, total, 300)
	check.Equal(t, counted, 300)
	check.Equal(t, without, []int{100}, "hotels in clusters without a cell")
}

func TestPins_request(t *testing.T) {
	t.Parallel()
	w := withAllHotels(t)
	f := w.front(t)
	ask := func(limit int, box body) (got struct {
		Pins  []search.Pin `json:"pins"`
		Total int          `json:"total"`
		Cells []string     `json:"geoCells"`
	}) {
		t.Helper()
		f.Post("/sandbox/search/v1/pins", w.mapRequest(limit, box)).Into(t, &got)
		return got
	}
	earth := body{"swLat": -90, "swLng": -180, "neLat": 90, "neLng": 180}
	got := ask(500, earth)
	check.Equal(t, len(got.Pins), len(w.hotels), "the whole earth")
	check.Equal(t, got.Total, len(w.hotels), "the whole earth")
	check.Equal(t, len(got.Cells), 0, "the whole earth")
	first := w.found(t, w.query(world), search.Recommended)[0]
	check.Equal(t, got.Pins[0].Property, first.Property, "the whole earth")
	// Over the date line: everything but a strip around Kabul.
	got = ask(500, body{"swLat": 30, "swLng": 69.5, "neLat": 40, "neLng": 69})
	check.NotEqual(t, got.Total, 0, "over the date line")
	if slices.ContainsFunc(got.Pins, func(p search.Pin) bool {
		return p.Geo.Lng > 69 && p.Geo.Lng < 69.5 || p.Geo.Lat < 30
	}) {
		t.Errorf("over the date line: a pin is outside the box: %+v", got.Pins)
	}
	got = ask(500, body{"swLat": 34.4, "swLng": 69, "neLat": 34.7, "neLng": 69.4})
	if want := "h3:" + h3.LatLngToCell(h3.NewLatLng(kabul.Geo.Lat, kabul.Geo.Lng), 10).Parent(4).String(); !slices.Contains(got.Cells, want) {
		t.Errorf("Kabul: got.Cells = %q, want %q in it", got.Cells, want)
	}
	for _, limit := range []int{0, 129, 501} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			f.Post("/sandbox/search/v1/pins", w.mapRequest(limit, earth)).Want(t, 400)
		})
	}
}

func (b books) mapRequest(limit int, box body) body {
	return body{"geo": body{"mode": "bounding-box", "boundingBox": box}, "limit": limit,
		"dates": body{"checkIn": b.today.AddDays(20), "checkOut": b.today.AddDays(23)}, "occupancy": body{"adults": 2, "children": 0, "rooms": 1}}
}

// The answer to a search names the cells of the place, however the place is given.
func TestSearch_cells(t *testing.T) {
	t.Parallel()
	w := withKabulHotels(t)
	f := w.front(t)
	cell := func(g standin.Geo) string {
		return "h3:" + h3.LatLngToCell(h3.NewLatLng(g.Lat, g.Lng), 10).Parent(4).String()
	}
	for _, test := range []struct {
		name  string
		where body
		want  []string // in the answer
	}{
		{"a city", body{"mode": "city", "city": "کابل"}, []string{cell(kabul.Geo)}},
		{"a province", body{"mode": "region", "region": "Balkh"}, []string{cell(standin.Geo{Lat: 36.709, Lng: 67.1109})}}, // of Mazar-i-Sharif
		{"a country", body{"mode": "region", "region": "Afghanistan"}, []string{cell(kabul.Geo), cell(demo.HeratGarden.Geo)}},
		{"the earth", body{"mode": "bounding-box", "boundingBox": body{"swLat": -90, "swLng": -180, "neLat": 90, "neLng": 180}}, nil},
		{"a point", body{"mode": "point", "point": body{"lat": kabul.Geo.Lat, "lng": kabul.Geo.Lng, "radiusKm": 5}}, []string{cell(kabul.Geo)}},
		{"an unknown city", body{"mode": "city", "city": "Nowhere"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got struct {
				Cells []string `json:"geoCells"`
			}
			f.Post("/sandbox/search/v1/searches", w.asked(func(b body) { b["geo"] = test.where })).Into(t, &got)
			if (len(got.Cells) == 0) != (len(test.want) == 0) || len(got.Cells) > 64 {
				t.Errorf("got.Cells = %q, want %q", got.Cells, test.want)
			}
			for _, want := range test.want {
				check.Equal(t, slices.Contains(got.Cells, want), true, "got.Cells = %q", got.Cells)
			}
		})
	}
}

func TestH3Parent(t *testing.T) {
	t.Parallel()
	b := open(t)
	random := rand.New(rand.NewPCG(3, 3))
	cells := h3.Pentagons(15)
	for range 200 {
		cells = append(cells, h3.LatLngToCell(h3.NewLatLng(random.Float64()*180-90, random.Float64()*360-180), 15))
	}
	var fine, want []int64
	for _, c := range cells {
		for r := range 16 {
			for to := range r + 1 {
				fine, want = append(fine, int64(c.Parent(r))), append(want, int64(c.Parent(r).Parent(to)))
			}
		}
	}
	var wrong int
	if err := b.owner.QueryRow(t.Context(), `
		SELECT count(*) FROM unnest($1::bigint[], $2::bigint[]) AS c (fine, want)
		WHERE sandbox.h3_parent(c.fine, ((c.want >> 52) & 15)::int) <> c.want`, fine, want).Scan(&wrong); err != nil {
		t.Fatal(err)
	}
	check.Equal(t, wrong, 0, "cells of %d for which h3_parent() differs from h3-go", len(fine))
}
