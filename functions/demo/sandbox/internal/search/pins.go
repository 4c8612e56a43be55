package search

import (
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"
	"github.com/uber/h3-go/v4"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Pin is one hotel on a map, or the cluster of all hotels in one H3 cell. A cluster has the ids of its most popular hotel and
// is in the centroid of its hotels.
type Pin struct {
	Property id.Property `json:"propertyId"`
	Tenant   id.Tenant   `json:"tenantId"`
	Geo      standin.Geo `json:"geo"`
	Count    int         `json:"count"`
	Cell     string      `json:"geoCell,omitzero"` // of a cluster
}

// Pins returns the hotels in a box where the party can stay, in at most limit pins, and their total number. If there are more
// hotels, it clusters them by the cells of the finest resolution that fits. Pins of popular hotels come first.
func (s Listings) Pins(ctx context.Context, q Query, limit int) (pins []Pin, total int, err error) {
	args := q.arguments(Slice{Sort: Recommended})
	args["measured"] = false // distances are not shown
	args["limit"], args["finest"], args["digits"] = limit, q.Where.Box.resolution(), digits()
	err = s.DB.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, found+clustered, args)
		pins, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Pin, err error) {
			var sum vector
			var cell *int64
			err = row.Scan(&p.Property, &p.Tenant, &p.Geo.Lat, &p.Geo.Lng, &p.Count, &sum.x, &sum.y, &sum.z, &cell, &total)
			if p.Count > 1 {
				p.Geo = sum.direction()
				if cell != nil {
					p.Cell = geoCell(h3.Cell(*cell))
				}
			}
			return p, err
		})
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("listings: pins: %w", err)
	}
	return pins, total, nil
}

// clustered groups what found selects. In the order of their indexes, hotels of one cell follow each other at every resolution,
// because an index lists the digits of the cell from coarse to fine. So two neighbours in this order that first differ in the
// digit of a resolution are in two cells from this resolution on, and one pass counts the cells of all resolutions. The place of
// the highest bit in which they differ names the digit: digit 15 has the lowest three bits. Hotels without a cell are one cluster.
const clustered = `
	, borders AS MATERIALIZED (
		SELECT 16 - width_bucket(h.difference, @digits::bigint[]) AS resolution, count(*) AS n
		FROM (SELECT f.geo_cell # lag(f.geo_cell) OVER (ORDER BY f.geo_cell) AS difference FROM found AS f) AS h
		WHERE h.difference > 0
		GROUP BY 1),
	whole AS MATERIALIZED (
		SELECT count(*) AS total, bool_or(f.geo_cell IS NULL)::int + bool_or(f.geo_cell IS NOT NULL)::int AS least FROM found AS f),
	zoom AS MATERIALIZED (
		SELECT w.total, (
			SELECT coalesce(max(r), 0)
			FROM generate_series(0, @finest::int) AS r
			WHERE w.least + (SELECT coalesce(sum(b.n), 0) FROM borders AS b WHERE b.resolution <= r) <= @limit) AS resolution
		FROM whole AS w),
	placed AS (
		SELECT f.*, z.total, sandbox.h3_parent(f.geo_cell, z.resolution) AS cell, CASE WHEN z.total <= @limit THEN f.property_id END AS alone
		FROM found AS f, zoom AS z),
	ranked AS (
		SELECT p.property_id, p.tenant_id, p.place, p.liked, p.cell, p.total, row_number() OVER best AS rank, count(*) OVER whole AS n,
		       sum(cosd(p.place[1]) * cosd(p.place[0])) OVER whole AS x, sum(cosd(p.place[1]) * sind(p.place[0])) OVER whole AS y,
		       sum(sind(p.place[1])) OVER whole AS z
		FROM placed AS p
		WINDOW whole AS (PARTITION BY p.cell, p.alone), best AS (PARTITION BY p.cell, p.alone ORDER BY p.liked DESC, p.property_id))
	SELECT r.property_id, r.tenant_id, r.place[1], r.place[0], r.n, r.x, r.y, r.z, r.cell, r.total
	FROM ranked AS r
	WHERE r.rank = 1
	ORDER BY r.liked DESC, r.property_id
	LIMIT @limit`

// digits returns the lowest value of each digit of an index, from digit 15 to digit 1, and of the base cell.
func digits() []int64 {
	all := make([]int64, 16)
	for n := range all {
		all[n] = 1 << (3 * n)
	}
	return all
}

// maxCellsInView bounds the number of cells in the box of a map. Smaller cells are too close together on a screen.
const maxCellsInView = 1000

// resolution returns the finest resolution at which the pins of a map of this box can be told apart.
func (b Box) resolution() int {
	finest := 0
	for finest < listingResolution && b.km2()/h3.HexagonAreaAvgKm2(finest+1) <= maxCellsInView {
		finest++
	}
	return finest
}

// km2 returns the area of the box in square kilometres.
func (b Box) km2() float64 {
	const earthKm = 6371.0088
	rad := math.Pi / halfCircle
	return earthKm * earthKm * eastward(b.SwLng, b.NeLng) * rad * (math.Sin(b.NeLat*rad) - math.Sin(b.SwLat*rad))
}

// A vector is a sum of places as vectors from the earth's centre. Unlike an average of degrees, it is correct at the date line
// and the poles.
type vector struct{ x, y, z float64 }

// direction returns the place below the vector, in degrees with six decimals (0.1 m).
func (v vector) direction() standin.Geo {
	degrees := func(rad float64) float64 { return math.Round(rad*halfCircle/math.Pi*1e6) / 1e6 }
	return standin.Geo{Lat: degrees(math.Atan2(v.z, math.Hypot(v.x, v.y))), Lng: degrees(math.Atan2(v.y, v.x))}
}
