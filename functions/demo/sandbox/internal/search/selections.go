package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Of returns the listings of these hotels, in the given order. It omits unknown hotels and those of suspended tenants.
func (s Listings) Of(ctx context.Context, properties []id.Property) (all []Listing, err error) {
	err = s.DB.InMaintenance(ctx, func(tx postgres.Tx) error {
		all, err = readListings(ctx, tx.Last(), properties)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listings: of %d hotels: %w", len(properties), err)
	}
	return all, nil
}

func readListings(ctx context.Context, tx postgres.Tx, properties []id.Property) ([]Listing, error) {
	rows, _ := tx.Query(ctx, `
		SELECT l.property_id, l.tenant_id, t.slug, l.name, l.name_localized, c.name, c.country, l.place[1], l.place[0],
		       l.star_rating, l.rating::float8, l.rating_count, l.amenities, l.property_type, l.badges, l.indexed_at
		FROM unnest(@properties::uuid[]) WITH ORDINALITY AS w (property_id, place)
		JOIN sandbox.listings AS l USING (property_id)
		JOIN sandbox.tenants AS t ON t.tenant_id = l.tenant_id AND t.status = 'active'
		JOIN sandbox.cities AS c USING (city_id)
		ORDER BY w.place`, pgx.StrictNamedArgs{"properties": properties})
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l Listing, err error) {
		var rating standin.Rating
		err = row.Scan(&l.Property, &l.Tenant, &l.TenantSlug, &l.Name.Default, &l.Name.Localized, &l.City, &l.Country, &l.Geo.Lat, &l.Geo.Lng,
			&l.StarRating, &rating.Value, &rating.Count, &l.Amenities, &l.Type, &l.Badges, &l.IndexedAt)
		l.GuestRating = rating.OrNone()
		l.Thumbnail = l.thumbnail()
		return l, err
	})
	return list(all), err
}

// A Likeness asks for hotels like one hotel, where a party can stay.
type Likeness struct {
	Property id.Property
	Dates    Dates
	Party    Travellers
	Currency money.Currency // for comparing prices
	Limit    int
}

// Similar returns the hotels of the same city that are nearest to a hotel in stars, then in price. A price is nearest to the hotel's
// own for the stay; if the hotel is sold out, the lowest comes first, and hotels without an exchange rate come last. Similar returns
// ErrNotFound for a hotel that is not in the index.
func (s Listings) Similar(ctx context.Context, w Likeness) (all []Listing, err error) {
	err = s.DB.InMaintenance(ctx, func(tx postgres.Tx) error {
		var city, name string
		var stars int
		err := tx.QueryRow(ctx, `
			SELECT l.city_id, c.name, l.star_rating
			FROM sandbox.listings AS l
			JOIN sandbox.cities AS c USING (city_id)
			WHERE l.property_id = @property`, pgx.StrictNamedArgs{"property": w.Property}).Scan(&city, &name, &stars)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.ErrNotFound
		}
		if err != nil {
			return err
		}
		q := Query{Where: Where{Mode: "city", City: name}, Dates: w.Dates, Party: w.Party}
		args := q.arguments(Slice{Sort: PriceUp, Currency: w.Currency})
		args["property"], args["city_id"], args["own_stars"], args["limit"] = w.Property, city, stars, w.Limit
		rows, _ := tx.Query(ctx, found+`
			SELECT f.property_id
			FROM found AS f
			JOIN sandbox.listings AS l USING (property_id)
			WHERE l.city_id = @city_id AND f.property_id <> @property
			ORDER BY abs(l.star_rating - @own_stars), abs(f.nightly - (SELECT o.nightly FROM found AS o WHERE o.property_id = @property)) NULLS LAST,
				f.nightly NULLS LAST, f.liked DESC, f.property_id
			LIMIT @limit`, args)
		nearest, err := pgx.CollectRows(rows, pgx.RowTo[id.Property])
		if err != nil {
			return err
		}
		all, err = readListings(ctx, tx.Last(), nearest)
		return err
	})
	if errors.Is(err, fault.ErrNotFound) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("listings: similar to %s: %w", w.Property, err)
	}
	return all, nil
}
