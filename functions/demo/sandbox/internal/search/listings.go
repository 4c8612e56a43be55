package search

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/internal/picture"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Listing is one hotel in a search result.
type Listing struct {
	Property    id.Property     `json:"propertyId"`
	Tenant      id.Tenant       `json:"tenantId"`
	TenantSlug  string          `json:"tenantSlug"`
	Name        standin.Name    `json:"name"`
	City        string          `json:"city"`
	Country     string          `json:"country"`
	Geo         standin.Geo     `json:"geo"`
	Thumbnail   Thumbnail       `json:"thumbnail"`
	StarRating  int             `json:"starRating"`
	GuestRating *standin.Rating `json:"guestRating,omitzero"`
	Amenities   []string        `json:"amenities"`
	Type        string          `json:"propertyType"`
	Badges      []string        `json:"badges"`
	DistanceKm  *float64        `json:"distanceKm,omitzero"` // from the given point or the centre of the given city
	IndexedAt   time.Time       `json:"indexedAt"`
}

// A Thumbnail is the picture of a listing.
type Thumbnail struct {
	URL string       `json:"url"`
	Alt standin.Name `json:"alt"`
}

func (l Listing) thumbnail() Thumbnail {
	return Thumbnail{picture.House{ID: l.Property, City: l.City, Type: l.Type, Stars: l.StarRating}.Thumbnail(), l.Name}
}

// Listings is the search index over all tenants. The maintenance role reads it and cannot write; a listing is written
// in its tenant's context, in the transaction that changes the hotel.
type Listings struct{ standin.Store }

// OpenListings opens the index.
func OpenListings(e env.Env) Listings { return Listings{standin.OpenStore(e)} }

// A Slice is a page of the results and their order.
type Slice struct {
	Sort          Sort
	Limit, Offset int
	Currency      money.Currency // for comparing prices
}

// Search returns a page of the hotels where the party can stay, and their total number.
func (s Listings) Search(ctx context.Context, q Query, part Slice) (page []Listing, total int, err error) {
	args := q.arguments(part)
	args["limit"], args["offset"], args["sort"] = part.Limit, part.Offset, part.Sort
	page = []Listing{}
	err = s.DB.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, found+`
			, page AS (
				SELECT row_number() OVER (ORDER BY
					CASE @sort WHEN 'price-asc' THEN f.nightly END ASC NULLS LAST,
					CASE @sort WHEN 'price-desc' THEN f.nightly END DESC NULLS LAST,
					CASE @sort WHEN 'rating-desc' THEN f.rating END DESC NULLS LAST,
					CASE @sort WHEN 'rating-desc' THEN f.rating_count END DESC NULLS LAST,
					CASE @sort WHEN 'distance-asc' THEN f.km END ASC NULLS LAST,
					f.liked DESC, f.property_id) AS place, f.property_id, f.km
				FROM found AS f
				ORDER BY place
				LIMIT @limit OFFSET @offset)
			SELECT total.n, l.property_id, l.tenant_id, t.slug, l.name, l.name_localized, c.name, c.country, l.place[1], l.place[0],
			       l.star_rating, l.rating::float8, l.rating_count, l.amenities, l.property_type, l.badges, p.km, l.indexed_at
			FROM (SELECT count(*) AS n FROM found) AS total
			LEFT JOIN page AS p ON true
			LEFT JOIN sandbox.listings AS l USING (property_id)
			LEFT JOIN sandbox.tenants AS t USING (tenant_id)
			LEFT JOIN sandbox.cities AS c USING (city_id)
			ORDER BY p.place`, args)
		page, err = collectListings(rows, &total, q.Where.Point != nil || q.Where.City != "")
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("listings: search: %w", err)
	}
	return page, total, nil
}

// collectListings reads the page. An empty page still has one row, with the total.
func collectListings(rows pgx.Rows, total *int, measured bool) ([]Listing, error) {
	page := []Listing{}
	defer rows.Close()
	for rows.Next() {
		if rows.RawValues()[1] == nil {
			if err := rows.Scan(append([]any{total}, make([]any, len(rows.RawValues())-1)...)...); err != nil {
				return nil, err
			}
			continue
		}
		var l Listing
		var km float64
		var rating standin.Rating
		err := rows.Scan(total, &l.Property, &l.Tenant, &l.TenantSlug, &l.Name.Default, &l.Name.Localized, &l.City, &l.Country,
			&l.Geo.Lat, &l.Geo.Lng, &l.StarRating, &rating.Value, &rating.Count, &l.Amenities, &l.Type, &l.Badges,
			&km, &l.IndexedAt)
		if err != nil {
			return nil, err
		}
		if l.GuestRating = rating.OrNone(); measured {
			l.DistanceKm = &km
		}
		l.Thumbnail = l.thumbnail()
		page = append(page, l)
	}
	return page, rows.Err()
}
