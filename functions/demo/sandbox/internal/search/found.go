package search

import (
	"cmp"
	"math"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// found selects the hotels, of all tenants, where a party can stay as requested. Cheap conditions come first. Only
// hotels that match them are checked for enough rooms of one type for all nights: by the index if no room is allocated,
// else by inventory. Prices are computed only if the order or a filter needs them, with the rule of Tariff.Price: each
// night in minor units, then the average. A hotel without an exchange rate into the currency has no price.
//
// A map may have thousands of hotels. Therefore each listing has a copy of the index row of its main room (queueMainRooms). If prices
// and cancellation terms do not matter and the main room has no overlapping allocation, no rooms, rates or inventory are read. A copy
// counts only if it was stored with the current version of the listing.
//
// The cities are looked up as an array: for IN behind an OR the planner reads every listing. The tenants that are not active are few,
// so they are read once, instead of the tenant of each hotel.
const found = `
	WITH clock AS MATERIALIZED (SELECT platform.now() AS now),
	fx AS MATERIALIZED (
		SELECT DISTINCT ON (x.base) x.base, x.rate FROM sandbox.fx_snapshots AS x
		WHERE x.quote = @currency AND x.base <> @currency
		ORDER BY x.base, x.captured_at DESC),
	found AS MATERIALIZED (
		SELECT l.property_id, l.tenant_id, l.place, l.geo_cell, l.rating, l.rating_count, r.nightly,
		       l.standing + 0.1 * ln(1 + coalesce(p.clicks, 0)) AS liked,
		       CASE WHEN @measured THEN sandbox.km(l.place, point(@lng, @lat)) ELSE l.center_km END AS km
		FROM sandbox.listings AS l
		LEFT JOIN sandbox.popularity AS p ON p.property_id = l.property_id
		CROSS JOIN LATERAL (
			SELECT NOT @priced AND @flexibility = 'any' AND l.main_version = l.version AND l.main_occupancy >= @people AND l.main_units >= @rooms
				AND l.main_open_from <= @start AND l.main_open_until >= @end AND NOT EXISTS (
					SELECT FROM sandbox.allocations AS a
					WHERE a.room_type_id = l.main_room_type AND a.state IN ('held', 'committed')
					  AND a.ends_on > @start AND a.ends_on <= @end::date + 366 AND a.starts_on < @end) AS free
			OFFSET 0) AS main
		CROSS JOIN LATERAL (
			SELECT NULL AS nightly WHERE main.free
			UNION ALL
			SELECT min(s.nightly)
			FROM (
				SELECT o.nightly
				FROM sandbox.listing_rooms AS r
				CROSS JOIN LATERAL (
					SELECT min(CASE WHEN @priced THEN (
						SELECT round(sum(round(w.amount * (CASE l.currency WHEN @currency THEN 1 ELSE (SELECT fx.rate FROM fx WHERE fx.base = l.currency) END) / 10000) * w.nights) / @nights)
						FROM unnest(a.weekday_micro, @weekdays::int[]) AS w (amount, nights)
						WHERE w.nights > 0) END) AS nightly
					FROM sandbox.listing_rates AS a
					WHERE a.room_type_id = r.room_type_id
					  AND (@flexibility = 'any' OR @flexibility = 'partial' AND a.penalty_percent < 100
					       OR (@start::date::timestamp AT TIME ZONE l.time_zone) - make_interval(hours => a.free_until_hours_before) > (SELECT now FROM clock))
					HAVING count(*) > 0) AS o
				WHERE r.property_id = l.property_id AND r.max_occupancy >= @people
				  AND CASE WHEN r.units >= @rooms AND r.open_from <= @start AND r.open_until >= @end AND NOT EXISTS (
						SELECT FROM sandbox.allocations AS a
						WHERE a.room_type_id = r.room_type_id AND a.state IN ('held', 'committed')
						  AND a.ends_on > @start AND a.ends_on <= @end::date + 366 AND a.starts_on < @end) -- longest_stay bounds the look
				      THEN true
				      ELSE @rooms <= (SELECT u.units_left FROM sandbox.units_left(ARRAY[r.room_type_id], @start, @end, (SELECT now FROM clock)) AS u) END
				LIMIT CASE WHEN @priced THEN NULL::bigint ELSE 1 END) AS s
			WHERE NOT main.free
			HAVING count(*) > 0) AS r
		WHERE (@city = '' OR l.city_id = ANY (ARRAY(SELECT c.city_id FROM sandbox.cities AS c WHERE c.city_keys @> ARRAY[@city])))
		  AND (@region = '' OR l.city_id = ANY (ARRAY(SELECT c.city_id FROM sandbox.cities AS c WHERE c.region_keys @> ARRAY[@region])))
		  AND (NOT @boxed OR l.place <@ box(point(@west1, @south), point(@east1, @north))
		                  OR l.place <@ box(point(@west2, @south), point(@east2, @north)))
		  AND l.tenant_id NOT IN (SELECT t.tenant_id FROM sandbox.tenants AS t WHERE t.status <> 'active')
		  AND (@radius = 0 OR sandbox.km(l.place, point(@lng, @lat)) <= @radius)
		  AND (@start::date > (SELECT (now AT TIME ZONE 'UTC')::date + 1 FROM clock) -- not past anywhere
		       OR @start::date >= ((SELECT now FROM clock) AT TIME ZONE l.time_zone)::date)
		  AND l.amenities @> @amenities
		  AND (cardinality(@stars::int[]) = 0 OR l.star_rating = ANY (@stars))
		  AND l.rating >= @rating
		  AND (cardinality(@types::text[]) = 0 OR l.property_type = ANY (@types))
		  AND (cardinality(@neighbourhoods::text[]) = 0 OR l.neighbourhood_key = ANY (@neighbourhoods))
		  AND (NOT @bounded OR r.nightly BETWEEN @least AND @most))`

// comparison is the default currency for comparing prices.
const comparison = money.USD

// arguments returns the arguments of found.
func (q Query) arguments(part Slice) pgx.StrictNamedArgs {
	w := q.Dates.window()
	people := q.Party.Party().Spread()[0]
	args := pgx.StrictNamedArgs{
		"start": w.Start, "end": w.End, "nights": w.Nights(), "weekdays": weekdays(w),
		"rooms": q.Party.Rooms, "people": people.Adults + people.Children,
		"city": key(q.Where.City), "region": key(q.Where.Region),
		"amenities": list(q.Filters.Amenities), "stars": list(q.Filters.Stars), "rating": q.Filters.Rating, "types": list(q.Filters.Types),
		"neighbourhoods": keysOf(q.Filters.Neighbourhoods), "flexibility": cmp.Or(q.Filters.Flexibility, "any"),
		"currency": cmp.Or(part.Currency, comparison), "priced": part.Sort.priced() || q.Filters.Price != nil,
		"bounded": q.Filters.Price != nil, "least": 0.0, "most": 0.0,
	}
	if p := q.Filters.Price; p != nil {
		args["currency"] = p.Currency
		args["least"], args["most"] = math.Ceil(minor(p.Min, p.Currency)), math.Floor(minor(p.Max, p.Currency))
	}
	q.Where.arguments(args)
	return args
}

// arguments adds the boxes to search in and the point to measure distances from.
func (w Where) arguments(args pgx.StrictNamedArgs) {
	var area Box
	var from standin.Geo
	radius := 0.0
	switch {
	case w.Point != nil:
		area, from, radius = w.Point.around(), standin.Geo{Lat: w.Point.Lat, Lng: w.Point.Lng}, w.Point.RadiusKm
	case w.Box != nil:
		area, from = *w.Box, w.Box.middle()
	}
	one, other := area.halves()
	args["boxed"], args["measured"], args["radius"] = w.Point != nil || w.Box != nil, w.Point != nil || w.Box != nil, radius
	args["lat"], args["lng"], args["south"], args["north"] = from.Lat, from.Lng, area.SwLat, area.NeLat
	args["west1"], args["east1"], args["west2"], args["east2"] = one.SwLng, one.NeLng, other.SwLng, other.NeLng
}

// weekdays returns the number of nights of a stay per weekday, Monday first.
func weekdays(w stay.Window) []int32 {
	counts := make([]int32, 7)
	for _, d := range w.Dates() {
		counts[standin.Monday(d)]++
	}
	return counts
}

// minor returns an amount of main units in minor units. It rounds, because binary floating point is inexact: 65.32 is
// 6532, although 100 times the nearest float64 is slightly less.
func minor(amount float64, c money.Currency) float64 {
	const finer = 1000
	return math.Round(amount*math.Pow10(c.Exponent())*finer) / finer
}

// key returns a name as the index stores it, or "" for no name. A name without any letter matches no place.
func key(name string) string {
	if folded := Fold(name); folded != "" || name == "" {
		return folded
	}
	return "-"
}

func keysOf(names []string) []string {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = key(name)
	}
	return keys
}

// list returns an empty list for nil, because SQL distinguishes it from NULL.
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
