package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// An Indexed is a listing that was indexed.
type Indexed struct {
	Tenant    id.Tenant   `json:"tenantId"`
	Property  id.Property `json:"propertyId"`
	IndexedAt time.Time   `json:"indexedAt"`
	Cell      string      `json:"geoCell"` // H3 index at resolution 10, after "h3:"

	version int
}

// Index updates a hotel in the index and publishes the event.
func (s Listings) Index(ctx context.Context, p id.Property) (x Indexed, err error) {
	tenant, err := standin.PropertyOwner(ctx, s.DB, p)
	if err != nil {
		return x, err
	}
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		all, err := Index(ctx, tx, s.Outbox, tenant, &p)
		if err == nil && len(all) == 0 {
			return fault.ErrNotFound // without a city no search can find it
		}
		if err == nil {
			x = all[0]
		}
		return err
	})
	if errors.Is(err, fault.ErrNotFound) {
		return x, err
	}
	if err != nil {
		return x, fmt.Errorf("listings: index %s: %w", p, err)
	}
	return x, nil
}

// Index updates one hotel of a tenant, or all of them, in the index and publishes the events, in the caller's
// transaction.
func Index(ctx context.Context, tx postgres.Tx, o *outbox.Outbox, tenant id.Tenant, one *id.Property) ([]Indexed, error) {
	all, err := IndexQuietly(ctx, tx, tenant, one)
	if err != nil {
		return nil, err
	}
	drafts := make([]event.Draft, len(all))
	for i, x := range all {
		drafts[i] = listingIndexed(x)
	}
	return all, o.Append(ctx, tx, drafts...)
}

// IndexQuietly updates the property one of the tenant, or all of them if it is nil, in the index, in the caller's
// transaction. It appends no event. The sandbox's own hotels are loaded with it.
func IndexQuietly(ctx context.Context, tx postgres.Tx, tenant id.Tenant, one *id.Property) ([]Indexed, error) {
	args := pgx.StrictNamedArgs{"tenant": tenant, "one": one}
	rows, _ := tx.Query(ctx, `
		INSERT INTO sandbox.listings AS l (property_id, tenant_id, city_id, time_zone, currency, place, center_km, star_rating, rating, rating_count,
			standing, property_type, neighbourhood_key, amenities, name, name_localized, badges, indexed_at)
		SELECT p.property_id, p.tenant_id, p.city_id, p.time_zone, t.currency, point(p.longitude, p.latitude),
		       sandbox.km(point(p.longitude, p.latitude), point(c.longitude, c.latitude)), p.star_rating, p.rating, p.rating_count,
		       (p.rating * p.rating_count + 3.5 * 20) / (p.rating_count + 20), p.property_type, p.neighbourhood_key,
		       p.amenities, p.name, p.name_localized, p.badges, platform.now()
		FROM sandbox.properties AS p
		JOIN sandbox.tenants AS t USING (tenant_id)
		JOIN sandbox.cities AS c USING (city_id)
		WHERE p.tenant_id = @tenant AND (@one::uuid IS NULL OR p.property_id = @one)
		ORDER BY p.property_id
		ON CONFLICT (property_id) DO UPDATE SET (city_id, time_zone, currency, place, center_km, star_rating, rating, rating_count, standing,
			property_type, neighbourhood_key, amenities, name, name_localized, badges, indexed_at, version)
			= (EXCLUDED.city_id, EXCLUDED.time_zone, EXCLUDED.currency, EXCLUDED.place, EXCLUDED.center_km, EXCLUDED.star_rating, EXCLUDED.rating,
			EXCLUDED.rating_count, EXCLUDED.standing, EXCLUDED.property_type, EXCLUDED.neighbourhood_key, EXCLUDED.amenities, EXCLUDED.name,
			EXCLUDED.name_localized, EXCLUDED.badges, EXCLUDED.indexed_at, l.version + 1)
		RETURNING l.tenant_id, l.property_id, l.indexed_at, l.place[1], l.place[0], l.version`, args)
	var hotels []id.Property
	var cells []int64
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (x Indexed, err error) {
		var at standin.Geo
		err = row.Scan(&x.Tenant, &x.Property, &x.IndexedAt, &at.Lat, &at.Lng, &x.version)
		cell := cellOf(at)
		x.Cell = geoCell(cell)
		hotels, cells = append(hotels, x.Property), append(cells, int64(cell))
		return x, err
	})
	if err != nil {
		return nil, err
	}
	// The listings' rows serialise concurrent indexing of a hotel. These statements run after them, so they see what
	// the other run wrote.
	queueRooms(tx, args)
	queueRates(tx, args)
	queueCells(tx, tenant, hotels, cells)
	queueMainRooms(tx, args)
	return all, nil
}

func queueRooms(tx postgres.Tx, args pgx.StrictNamedArgs) {
	tx.Queue(`
		INSERT INTO sandbox.listing_rooms AS r (room_type_id, tenant_id, property_id, max_occupancy, units, open_from, open_until)
		SELECT t.room_type_id, t.tenant_id, t.property_id, t.max_occupancy, coalesce(n.least, 0), coalesce(n.first, '-infinity'),
		       CASE WHEN n.last - n.first + 1 = n.nights THEN n.last + 1 ELSE '-infinity' END -- with a gap only the nights themselves tell
		FROM sandbox.room_types AS t
		JOIN sandbox.listings AS l USING (property_id)
		CROSS JOIN LATERAL (
			SELECT min(i.capacity) AS least, min(i.night) AS first, max(i.night) AS last, count(*) AS nights
			FROM sandbox.inventory_nights AS i
			WHERE i.room_type_id = t.room_type_id AND i.night >= (platform.now() AT TIME ZONE l.time_zone)::date) AS n
		WHERE t.tenant_id = @tenant AND (@one::uuid IS NULL OR t.property_id = @one)
		ORDER BY t.room_type_id
		ON CONFLICT (room_type_id) DO UPDATE SET (max_occupancy, units, open_from, open_until)
			= (EXCLUDED.max_occupancy, EXCLUDED.units, EXCLUDED.open_from, EXCLUDED.open_until)`, args)
}

func queueRates(tx postgres.Tx, args pgx.StrictNamedArgs) {
	tx.Queue(`
		INSERT INTO sandbox.listing_rates AS r (rate_plan_id, tenant_id, property_id, room_type_id, free_until_hours_before, penalty_percent, weekday_micro)
		SELECT p.rate_plan_id, p.tenant_id, p.property_id, p.room_type_id, p.free_until_hours_before, p.penalty_percent, w.amounts
		FROM sandbox.rate_plans AS p
		JOIN sandbox.listings AS l USING (property_id)
		JOIN LATERAL (
			SELECT array_agg(d.amount_micro ORDER BY d.weekday) AS amounts
			FROM sandbox.weekday_rates AS d
			WHERE d.rate_plan_id = p.rate_plan_id) AS w ON cardinality(w.amounts) = 7
		WHERE p.tenant_id = @tenant AND (@one::uuid IS NULL OR p.property_id = @one)
		ORDER BY p.rate_plan_id
		ON CONFLICT (rate_plan_id) DO UPDATE SET (room_type_id, free_until_hours_before, penalty_percent, weekday_micro)
			= (EXCLUDED.room_type_id, EXCLUDED.free_until_hours_before, EXCLUDED.penalty_percent, EXCLUDED.weekday_micro)`, args)
}

func queueCells(tx postgres.Tx, tenant id.Tenant, hotels []id.Property, cells []int64) {
	tx.Queue(`
		UPDATE sandbox.listings AS l SET geo_cell = c.cell
		FROM unnest(@hotels::uuid[], @cells::bigint[]) AS c (property_id, cell)
		WHERE l.property_id = c.property_id AND l.tenant_id = @tenant`,
		pgx.StrictNamedArgs{"tenant": tenant, "hotels": hotels, "cells": cells})
}

// queueMainRooms copies the index row of the main room into each listing. The main room has a rate plan, preferably takes two guests
// or more, and has the most units. A listing without such a room keeps an old copy, which found ignores because of its version.
func queueMainRooms(tx postgres.Tx, args pgx.StrictNamedArgs) {
	tx.Queue(`
		UPDATE sandbox.listings AS l
		SET (main_version, main_room_type, main_occupancy, main_units, main_open_from, main_open_until)
			= (l.version, r.room_type_id, r.max_occupancy, r.units, r.open_from, r.open_until)
		FROM (
			SELECT DISTINCT ON (r.property_id) r.*
			FROM sandbox.listing_rooms AS r
			WHERE r.tenant_id = @tenant AND (@one::uuid IS NULL OR r.property_id = @one)
			  AND EXISTS (SELECT FROM sandbox.listing_rates AS a WHERE a.room_type_id = r.room_type_id)
			ORDER BY r.property_id, r.max_occupancy >= 2 DESC, r.units DESC, r.max_occupancy DESC, r.room_type_id) AS r
		WHERE l.property_id = r.property_id AND l.tenant_id = @tenant`, args)
}

// Clicked counts a click on a hotel, in the caller's transaction. It returns ErrNotFound if the hotel does not exist.
func (s Listings) Clicked(ctx context.Context, tx postgres.Tx, p id.Property) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO sandbox.popularity AS p (property_id, clicks) VALUES (@property, 1)
		ON CONFLICT (property_id) DO UPDATE SET clicks = p.clicks + 1`,
		pgx.StrictNamedArgs{"property": p})
	if postgres.Violates(err, "popularity_property_id_fkey") {
		return fault.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("listings: clicked %s: %w", p, err)
	}
	return nil
}
