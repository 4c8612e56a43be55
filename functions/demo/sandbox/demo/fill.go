package demo

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// load stores a whole hotel. It writes the index last, so that an indexed hotel is complete.
func (h Hotel) load(ctx context.Context, tx postgres.Tx, rules []directory.HouseRule) error {
	b := &pgx.Batch{}
	h.queueTenant(b)
	h.queueProperty(b)
	h.queueRules(b, rules)
	h.queueRooms(b)
	h.queueUnits(b)
	h.queuePlans(b)
	h.queueNights(b)
	if err := tx.SendBatch(ctx, b); err != nil {
		return err
	}
	_, err := search.IndexQuietly(ctx, tx, h.Tenant, &h.Property)
	return err
}

// prolong adds further nights.
func (h Hotel) prolong(ctx context.Context, tx postgres.Tx) error {
	b := &pgx.Batch{}
	h.queueNights(b)
	if err := tx.SendBatch(ctx, b); err != nil {
		return err
	}
	_, err := search.IndexQuietly(ctx, tx, h.Tenant, &h.Property)
	return err
}

func (h Hotel) queueTenant(b *pgx.Batch) {
	b.Queue(`
		INSERT INTO sandbox.tenants (tenant_id, slug, brand_name, brand_localized, brand_tagline, region, currency, currencies, locales, payment_methods)
		VALUES (@tenant, @slug, @brand, @localized, @tagline, @region, @currency, @currencies, @locales, @methods)
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "slug": h.Slug, "brand": h.Brand, "localized": h.Name.Localized, "tagline": h.Tagline,
			"region": h.Region, "currency": h.Currency, "currencies": h.Currencies, "locales": h.Locales, "methods": h.Methods})
	b.Queue(`INSERT INTO sandbox.tenant_domains (tenant_id, domain) VALUES (@tenant, @domain) ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "domain": h.Domain})
	b.Queue(`INSERT INTO sandbox.promo_codes (tenant_id, code, percent) VALUES (@tenant, @code, @percent) ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "code": h.Promo.Code, "percent": h.Promo.Percent})
	b.Queue(`
		INSERT INTO sandbox.theme_versions (theme_version_id, tenant_id, theme_id, version, tokens, published_at)
		VALUES (@published, @tenant, @theme, 1, @tokens, platform.now())
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "theme": h.Theme.ID, "published": h.Theme.Published, "tokens": h.Theme.Tokens})
}

func (h Hotel) queueProperty(b *pgx.Batch) {
	b.Queue(`
		INSERT INTO sandbox.properties (property_id, tenant_id, name, name_localized, time_zone, city, country, latitude, longitude, star_rating,
			city_id, property_type, neighbourhood, neighbourhood_key, amenities, badges, rating, rating_count)
		VALUES (@property, @tenant, @name, @localized, @zone, @city, @country, @lat, @lng, @stars,
			@place, @type, @neighbourhood, @key, @amenities, @badges, @rating, @count)
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"property": h.Property, "tenant": h.Tenant, "name": h.Name.Default, "localized": h.Name.Localized,
			"zone": h.TimeZone, "city": h.City, "country": h.Country, "lat": h.Geo.Lat, "lng": h.Geo.Lng, "stars": h.Stars,
			"place": h.CityID, "type": h.Type, "neighbourhood": h.Neighbourhood, "key": search.Fold(h.Neighbourhood),
			"amenities": h.Amenities, "badges": h.Badges, "rating": h.Rating.Value, "count": h.Rating.Count})
	for n, c := range h.Charges {
		b.Queue(`
			INSERT INTO sandbox.charges (tenant_id, property_id, position, kind, description, basis_points, amount_micro, per)
			VALUES (@tenant, @property, @position, @kind, @description, nullif(@points::int, 0), nullif(@amount::bigint, 0), @per)
			ON CONFLICT DO NOTHING`,
			pgx.StrictNamedArgs{"tenant": h.Tenant, "property": h.Property, "position": n + 1, "kind": c.Kind,
				"description": c.Description, "points": c.BasisPoints, "amount": c.Amount,
				"per": cmp.Or(c.Per, pricing.PerNight)})
	}
}

func (h Hotel) queueRules(b *pgx.Batch, rules []directory.HouseRule) {
	for n, r := range rules {
		b.Queue(`
			INSERT INTO sandbox.policies (tenant_id, property_id, position, kind, title, title_localized, body, body_localized)
			VALUES (@tenant, @property, @position, @kind, @title, @titles, @body, @bodies)
			ON CONFLICT DO NOTHING`,
			pgx.StrictNamedArgs{"tenant": h.Tenant, "property": h.Property, "position": n + 1, "kind": r.Kind,
				"title": r.Title.Default, "titles": r.Title.Localized, "body": r.Text.Default, "bodies": r.Text.Localized})
	}
}

func (h Hotel) queueRooms(b *pgx.Batch) {
	for _, r := range h.Rooms {
		b.Queue(`
			INSERT INTO sandbox.room_types (room_type_id, tenant_id, property_id, name, description, max_occupancy, units)
			VALUES (@room, @tenant, @property, @name, @description, @sleeps, @units)
			ON CONFLICT DO NOTHING`,
			pgx.StrictNamedArgs{"room": r.ID, "tenant": h.Tenant, "property": h.Property, "name": r.Name,
				"description": r.Description, "sleeps": r.Sleeps, "units": r.Units})
		b.Queue(`
			INSERT INTO sandbox.room_texts (tenant_id, room_type_id, locale, name, description)
			SELECT @tenant, @room, t.key, t.value ->> 'name', t.value ->> 'description' FROM jsonb_each(@texts) AS t
			ON CONFLICT DO NOTHING`,
			pgx.StrictNamedArgs{"tenant": h.Tenant, "room": r.ID, "texts": r.Texts})
	}
}

// unitsPerFloor is the number of rooms on one floor.
const unitsPerFloor = 20

// Units returns the physical rooms. Each room type begins on a floor of its own: 101, 102, then 201.
func (h Hotel) Units() (all []directory.Room) {
	floor := 1
	for _, r := range h.Rooms {
		for n := range r.Units {
			on := floor + n/unitsPerFloor
			all = append(all, directory.Room{ID: id.Derive[id.Room](r.ID, fmt.Sprintf("room %d", n+1)), RoomType: r.ID,
				Number: fmt.Sprint(100*on + n%unitsPerFloor + 1), Floor: on})
		}
		floor += (r.Units + unitsPerFloor - 1) / unitsPerFloor
	}
	return all
}

func (h Hotel) queueUnits(b *pgx.Batch) {
	var ids []id.Room
	var types []id.RoomType
	var numbers []string
	var floors []int
	for _, u := range h.Units() {
		ids, types, numbers, floors = append(ids, u.ID), append(types, u.RoomType), append(numbers, u.Number), append(floors, u.Floor)
	}
	b.Queue(`
		INSERT INTO sandbox.rooms (room_id, tenant_id, property_id, room_type_id, number, floor)
		SELECT u.room, @tenant, @property, u.type, u.number, u.floor
		FROM unnest(@rooms::uuid[], @types::uuid[], @numbers::text[], @floors::int[]) AS u (room, type, number, floor)
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "property": h.Property, "rooms": ids, "types": types, "numbers": numbers, "floors": floors})
}

// queueNights adds the missing nights of every room, from today or from the last night on sale.
func (h Hotel) queueNights(b *pgx.Batch) {
	var rooms []id.RoomType
	var units []int
	for _, r := range h.Rooms {
		rooms, units = append(rooms, r.ID), append(units, r.Units)
	}
	b.Queue(`
		INSERT INTO sandbox.inventory_nights (tenant_id, property_id, room_type_id, night, capacity)
		SELECT @tenant, @property, r.room, clock.today + n,
		       greatest(0, r.units - (SELECT count(*) FROM sandbox.room_nights_out AS o WHERE o.room_type_id = r.room AND o.night = clock.today + n))
		FROM unnest(@rooms::uuid[], @units::int[]) AS r (room, units)
		CROSS JOIN (SELECT (platform.now() AT TIME ZONE @zone)::date AS today) AS clock
		CROSS JOIN LATERAL (SELECT max(i.night) AS last FROM sandbox.inventory_nights AS i WHERE i.room_type_id = r.room) AS sold
		CROSS JOIN generate_series(greatest(-1, coalesce(sold.last + 1 - clock.today, -1)), @nights::int - 1) AS n -- the hotel day may begin yesterday
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "property": h.Property, "rooms": rooms, "units": units, "zone": h.TimeZone, "nights": nights})
}

func (h Hotel) queuePlans(b *pgx.Batch) {
	for _, r := range h.Rooms {
		for _, p := range []Plan{r.Flexible, r.Saver} {
			b.Queue(`
				INSERT INTO sandbox.rate_plans (rate_plan_id, tenant_id, property_id, room_type_id, name, meal_plan,
					cancellation_ref, free_until_hours_before, penalty_percent, cancellation_description)
				VALUES (@plan, @tenant, @property, @room, @name, @meals, @ref, @free, @penalty, @description)
				ON CONFLICT DO NOTHING`,
				pgx.StrictNamedArgs{"plan": p.ID, "tenant": h.Tenant, "property": h.Property, "room": r.ID, "name": p.Name, "meals": p.Meals,
					"ref": p.Policy.Ref, "free": p.Policy.FreeUntilHoursBefore, "penalty": p.Policy.PenaltyPercent, "description": p.Policy.Terms()}) // the column is for earlier releases
			b.Queue(`
				INSERT INTO sandbox.weekday_rates (tenant_id, rate_plan_id, weekday, amount_micro)
				SELECT @tenant, @plan, w.weekday, w.amount FROM unnest(@week::bigint[]) WITH ORDINALITY AS w (amount, weekday)
				ON CONFLICT DO NOTHING`,
				pgx.StrictNamedArgs{"tenant": h.Tenant, "plan": p.ID, "week": p.week()})
		}
	}
}

// week returns the price of each night, Monday first.
func (p Plan) week() []money.Micro {
	return []money.Micro{p.Quiet, p.Quiet, p.Quiet, p.Busy, p.Busy, p.Busy, p.Quiet}
}
