package demo

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/postgres"
)

// nights is how far ahead rooms are on sale, counted from the day of the latest Load.
const nights = 400

// Load brings the hotels into the sandbox's tables. What is there already stays as it is; a later Load puts the days
// that have come nearer since on sale.
func Load(ctx context.Context, e env.Env) error {
	db := postgres.Open(e, sandbox.Schema)
	if err := db.InTx(ctx, func(tx postgres.Tx) error { return loadRates(ctx, tx) }); err != nil {
		return fmt.Errorf("demo: exchange rates: %w", err)
	}
	for _, h := range Hotels() {
		if err := db.InTenant(ctx, h.Tenant, func(tx postgres.Tx) error { return h.load(ctx, tx) }); err != nil {
			return fmt.Errorf("demo: %s: %w", h.Slug, err)
		}
	}
	return nil
}

func loadRates(ctx context.Context, tx postgres.Tx) error {
	b := &pgx.Batch{}
	for _, r := range rates {
		b.Queue(`
			INSERT INTO sandbox.fx_snapshots (fx_snapshot_id, base, quote, rate, source, captured_at)
			VALUES (@fx, @base, @quote, @rate::text::numeric, 'sandbox', '2026-01-01T00:00:00Z')
			ON CONFLICT DO NOTHING`,
			pgx.StrictNamedArgs{"fx": r.ID, "base": money.AFN, "quote": r.Quote, "rate": r.Rate})
	}
	return tx.SendBatch(ctx, b).Close()
}

func (h Hotel) load(ctx context.Context, tx postgres.Tx) error {
	b := &pgx.Batch{}
	h.queueTenant(b)
	h.queueProperty(b)
	h.queueRules(b)
	for _, r := range h.Rooms {
		h.queueRoom(b, r)
		h.queueTexts(b, r)
		h.queuePlan(b, r, r.Flexible)
		h.queuePlan(b, r, r.Saver)
	}
	return tx.SendBatch(ctx, b).Close()
}

func (h Hotel) queueTenant(b *pgx.Batch) {
	b.Queue(`
		INSERT INTO sandbox.tenants (tenant_id, slug, brand_name, region, currency, currencies, locales, payment_methods)
		VALUES (@tenant, @slug, @brand, @region, @currency, @currencies, @locales, @methods)
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "slug": h.Slug, "brand": h.Brand, "region": h.Region, "currency": h.Currency,
			"currencies": h.Currencies, "locales": h.Locales, "methods": h.Methods})
	b.Queue(`INSERT INTO sandbox.tenant_domains (tenant_id, domain) VALUES (@tenant, @domain) ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "domain": h.Domain})
	b.Queue(`INSERT INTO sandbox.promo_codes (tenant_id, code, percent) VALUES (@tenant, @code, @percent) ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "code": h.Promo.Code, "percent": h.Promo.Percent})
	b.Queue(`UPDATE sandbox.tenants SET brand_tagline = @tagline WHERE tenant_id = @tenant AND brand_tagline IS NULL AND version = 1`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "tagline": h.Tagline})
	b.Queue(`
		INSERT INTO sandbox.theme_versions (theme_version_id, tenant_id, theme_id, version, tokens, published_at)
		VALUES (@published, @tenant, @theme, 1, @tokens, platform.now())
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "theme": h.Theme.ID, "published": h.Theme.Published, "tokens": h.Theme.Tokens})
}

func (h Hotel) queueProperty(b *pgx.Batch) {
	b.Queue(`
		INSERT INTO sandbox.properties (property_id, tenant_id, name, name_localized, time_zone, city, country,
			latitude, longitude, star_rating)
		VALUES (@property, @tenant, @name, @localized, @zone, @city, @country, @lat, @lng, @stars)
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"property": h.Property, "tenant": h.Tenant, "name": h.Name.Default, "localized": h.Name.Localized,
			"zone": h.TimeZone, "city": h.City, "country": h.Country, "lat": h.Geo.Lat, "lng": h.Geo.Lng, "stars": h.Stars})
	for n, c := range h.Charges {
		b.Queue(`
			INSERT INTO sandbox.charges (tenant_id, property_id, position, kind, description, basis_points, amount_micro)
			VALUES (@tenant, @property, @position, @kind, @description, nullif(@points::int, 0), nullif(@amount::bigint, 0))
			ON CONFLICT DO NOTHING`,
			pgx.StrictNamedArgs{"tenant": h.Tenant, "property": h.Property, "position": n + 1, "kind": c.Kind,
				"description": c.Description, "points": c.BasisPoints, "amount": c.Amount})
	}
}

func (h Hotel) queueRules(b *pgx.Batch) {
	for n, r := range rules {
		b.Queue(`
			INSERT INTO sandbox.policies (tenant_id, property_id, position, kind, title, title_localized, body, body_localized)
			VALUES (@tenant, @property, @position, @kind, @title, @titles, @body, @bodies)
			ON CONFLICT DO NOTHING`,
			pgx.StrictNamedArgs{"tenant": h.Tenant, "property": h.Property, "position": n + 1, "kind": r.Kind,
				"title": r.Title.Default, "titles": r.Title.Localized, "body": r.Text.Default, "bodies": r.Text.Localized})
	}
}

func (h Hotel) queueTexts(b *pgx.Batch, r Room) {
	for locale, text := range r.Texts {
		b.Queue(`
			INSERT INTO sandbox.room_texts (tenant_id, room_type_id, locale, name, description)
			VALUES (@tenant, @room, @locale, @name, @description)
			ON CONFLICT DO NOTHING`,
			pgx.StrictNamedArgs{"tenant": h.Tenant, "room": r.ID, "locale": locale, "name": text.Name, "description": text.Description})
	}
}

func (h Hotel) queueRoom(b *pgx.Batch, r Room) {
	b.Queue(`
		INSERT INTO sandbox.room_types (room_type_id, tenant_id, property_id, name, description, max_occupancy, units)
		VALUES (@room, @tenant, @property, @name, @description, @sleeps, @units)
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"room": r.ID, "tenant": h.Tenant, "property": h.Property, "name": r.Name,
			"description": r.Description, "sleeps": r.Sleeps, "units": r.Units})
	b.Queue(`
		INSERT INTO sandbox.inventory_nights (tenant_id, property_id, room_type_id, night, capacity)
		SELECT @tenant, @property, @room, today + n, @units
		FROM (SELECT (platform.now() AT TIME ZONE @zone)::date AS today) AS clock, generate_series(0, @nights::int - 1) AS n
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "property": h.Property, "room": r.ID, "units": r.Units,
			"zone": h.TimeZone, "nights": nights})
}

func (h Hotel) queuePlan(b *pgx.Batch, r Room, p Plan) {
	b.Queue(`
		INSERT INTO sandbox.rate_plans (rate_plan_id, tenant_id, property_id, room_type_id, name, meal_plan,
			cancellation_ref, free_until_hours_before, penalty_percent, cancellation_description)
		VALUES (@plan, @tenant, @property, @room, @name, @meals, @ref, @free, @penalty, @description)
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"plan": p.ID, "tenant": h.Tenant, "property": h.Property, "room": r.ID, "name": p.Name, "meals": p.Meals,
			"ref": p.Policy.Ref, "free": p.Policy.FreeUntilHoursBefore, "penalty": p.Policy.PenaltyPercent, "description": p.Policy.Description})
	b.Queue(`
		INSERT INTO sandbox.weekday_rates (tenant_id, rate_plan_id, weekday, amount_micro)
		SELECT @tenant, @plan, d, CASE WHEN d IN (4, 5, 6) THEN @busy::bigint ELSE @quiet::bigint END
		FROM generate_series(1, 7) AS d
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"tenant": h.Tenant, "plan": p.ID, "busy": p.Busy, "quiet": p.Quiet})
}
