package search

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

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
// whose province or country begins with its last part are returned, as in "Kabul, Afghanistan". If nothing begins with the text, it is the
// beginning of a hotel's name or a misspelt city: then the one city that is meant most likely is returned.
func (s Listings) Destinations(ctx context.Context, text string, limit int) (all []Destination, err error) {
	text, in := splitPlace(text)
	begins := Fold(text)
	if begins == "" {
		return []Destination{}, nil // every name begins with nothing
	}
	all, err = s.destinations(ctx, `
		CROSS JOIN LATERAL (
			SELECT NOT EXISTS (SELECT FROM unnest(c.city_keys) AS k WHERE starts_with(k, @begins)) AS distance,
			       EXISTS (SELECT FROM unnest(c.region_keys) AS k WHERE starts_with(k, @begins)) AS region) AS m
		WHERE (NOT m.distance OR m.region)`, pgx.StrictNamedArgs{"begins": begins, "in": Fold(in), "limit": limit})
	mistakes := min(utf8.RuneCountInString(begins)/lettersPerMistake, maxMistakes)
	if err != nil || len(all) > 0 || mistakes == 0 {
		return list(all), err
	}
	all, err = s.destinations(ctx, `
		CROSS JOIN LATERAL (
			SELECT CASE WHEN EXISTS (
				SELECT FROM sandbox.listings AS l
				JOIN sandbox.tenants AS t ON t.tenant_id = l.tenant_id AND t.status = 'active'
				WHERE l.city_id = c.city_id AND (starts_with(lower(l.name), @typed)
				   OR EXISTS (SELECT FROM jsonb_each_text(l.name_localized) AS n WHERE starts_with(lower(n.value), @typed)))) THEN 0
			ELSE (SELECT min(sandbox.levenshtein_less_equal(k, @begins, @mistakes)) FROM unnest(c.city_keys) AS k) END AS distance) AS m
		WHERE m.distance <= @mistakes`,
		pgx.StrictNamedArgs{"begins": begins, "typed": strings.ToLower(strings.TrimSpace(text)), "mistakes": mistakes, "in": Fold(in), "limit": 1})
	return list(all), err
}

// A misspelt name has at most one wrong letter in three, and at most two.
const lettersPerMistake, maxMistakes = 3, 2

// destinations returns the cities c that match, nearest first by m.distance.
func (s Listings) destinations(ctx context.Context, matching string, args pgx.StrictNamedArgs) (all []Destination, err error) {
	err = s.DB.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT c.name, c.name, c.name_localized, c.country, c.latitude, c.longitude, n.hotels
			FROM sandbox.cities AS c
			CROSS JOIN LATERAL (
				SELECT count(*) AS hotels
				FROM sandbox.listings AS l
				JOIN sandbox.tenants AS t ON t.tenant_id = l.tenant_id AND t.status = 'active'
				WHERE l.city_id = c.city_id) AS n`+matching+`
			  AND (@in = '' OR EXISTS (SELECT FROM unnest(c.region_keys) AS k WHERE starts_with(k, @in))) AND n.hotels > 0
			ORDER BY m.distance, n.hotels DESC, c.city_id
			LIMIT @limit`, args)
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d Destination, err error) {
			err = row.Scan(&d.City, &d.Name.Default, &d.Name.Localized, &d.Country, &d.Geo.Lat, &d.Geo.Lng, &d.Hotels)
			return d, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listings: destinations: %w", err)
	}
	return all, nil
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

// A NamedPlace names the searched place in English, whatever language it was asked for in. A member is empty if no city
// matches, or if the matching cities differ in it.
type NamedPlace struct {
	City    string `json:"city,omitzero"`
	Country string `json:"country,omitzero"`
}

// Place returns the name of the place that a query is about: the city of that name, the country of the region of that
// name, or the city whose centre is in the box. The area around a point has no name: it may be where the visitor is.
func (s Listings) Place(ctx context.Context, w Where) (p NamedPlace, err error) {
	if w.Point != nil {
		return p, nil
	}
	args := pgx.StrictNamedArgs{"city": key(w.City), "region": key(w.Region)}
	w.arguments(args)
	for _, unused := range []string{"measured", "radius", "lat", "lng"} {
		delete(args, unused)
	}
	err = s.DB.InMaintenance(ctx, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `
			SELECT CASE WHEN count(DISTINCT c.name) = 1 AND @region = '' THEN min(c.name) ELSE '' END,
			       CASE WHEN count(DISTINCT c.country) = 1 THEN min(c.country) ELSE '' END
			FROM sandbox.cities AS c
			WHERE (@city = '' OR c.city_keys @> ARRAY[@city])
			  AND (@region = '' OR c.region_keys @> ARRAY[@region])
			  AND (NOT @boxed OR c.latitude BETWEEN @south AND @north
			                 AND (c.longitude BETWEEN @west1 AND @east1 OR c.longitude BETWEEN @west2 AND @east2))`, args).
			Scan(&p.City, &p.Country)
	})
	if err != nil {
		return p, fmt.Errorf("listings: place: %w", err)
	}
	return p, nil
}
