package search

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Destination is a city with hotels.
type Destination struct {
	City    string       `json:"city"` // a name that a search by city accepts
	Name    standin.Name `json:"name"`
	Country string       `json:"country"`
	Geo     standin.Geo  `json:"geo"`
	Hotels  int          `json:"hotels"` // of tenants that are not suspended
}

// Destinations returns cities whose name, in any language, begins with the text, then those whose province or country does. Cities
// with more hotels come first. Cities without hotels are omitted. If the text has commas, its first part is the text, and only cities
// whose province or country begins with its last part are returned, as in "Kabul, Afghanistan".
func (s Listings) Destinations(ctx context.Context, text string, limit int) (all []Destination, err error) {
	text, in := splitPlace(text)
	begins := Fold(text)
	if begins == "" {
		return []Destination{}, nil // every name begins with nothing
	}
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT c.name, c.name, c.name_localized, c.country, c.latitude, c.longitude, n.hotels
			FROM sandbox.cities AS c
			CROSS JOIN LATERAL (
				SELECT EXISTS (SELECT FROM unnest(c.city_keys) AS k WHERE starts_with(k, @begins)) AS itself,
				       EXISTS (SELECT FROM unnest(c.region_keys) AS k WHERE starts_with(k, @begins)) AS region,
				       @in = '' OR EXISTS (SELECT FROM unnest(c.region_keys) AS k WHERE starts_with(k, @in)) AS inside) AS m
			CROSS JOIN LATERAL (
				SELECT count(*) AS hotels
				FROM sandbox.listings AS l
				JOIN sandbox.tenants AS t ON t.tenant_id = l.tenant_id AND t.status = 'active'
				WHERE l.city_id = c.city_id) AS n
			WHERE (m.itself OR m.region) AND m.inside AND n.hotels > 0
			ORDER BY m.itself DESC, n.hotels DESC, c.city_id
			LIMIT @limit`, pgx.StrictNamedArgs{"begins": begins, "in": Fold(in), "limit": limit})
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d Destination, err error) {
			err = row.Scan(&d.City, &d.Name.Default, &d.Name.Localized, &d.Country, &d.Geo.Lat, &d.Geo.Lng, &d.Hotels)
			return d, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listings: destinations: %w", err)
	}
	return list(all), nil
}

// splitPlace returns the first and the last part of a text with Latin, Arabic or full-width commas. Without a comma, the region is
// empty.
func splitPlace(text string) (city, region string) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '،' || r == '，' })
	switch len(parts) {
	case 0:
		return "", ""
	case 1:
		return parts[0], ""
	}
	// In "Kabul, Kabul Province, Afghanistan" the last part is the country.
	return parts[0], parts[len(parts)-1]
}
