package search

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/platform/postgres"
)

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
	err = s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
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
