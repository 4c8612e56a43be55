package demo

import (
	"context"
	"fmt"
	"math/big"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// nights is the number of days for which rooms are on sale, counted from the latest run.
const nights = 400

// Furnish stores the first n hotels. Existing data does not change; later runs add the nights that are missing since.
func Furnish(ctx context.Context, e env.Env, n int) error {
	a, err := readAtlas()
	if err != nil {
		return err
	}
	db := postgres.Open(e, standin.Schema)
	if err := db.InTx(ctx, func(tx postgres.Tx) error { return a.loadWorld(ctx, tx) }); err != nil {
		return fmt.Errorf("demo: rates and cities: %w", err)
	}
	there, err := readThere(ctx, db)
	if err != nil {
		return fmt.Errorf("demo: list: %w", err)
	}
	hotels, err := Hotels(n)
	if err != nil {
		return err
	}
	for _, h := range hotels {
		current, loaded := there[h.Property]
		switch {
		case !loaded:
			err = db.InTenant(ctx, h.Tenant, func(tx postgres.Tx) error { return h.load(ctx, tx, a.rules) })
		case !current:
			err = db.InTenant(ctx, h.Tenant, func(tx postgres.Tx) error { return h.prolong(ctx, tx) })
		}
		if err != nil {
			return fmt.Errorf("demo: %s: %w", h.Slug, err)
		}
	}
	return nil
}

// readThere returns the hotels that are loaded, and whether all rooms of each are on sale for long enough.
func readThere(ctx context.Context, db *postgres.DB) (there map[id.Property]bool, err error) {
	there = map[id.Property]bool{}
	err = db.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Query(ctx, `
			SELECT l.property_id, coalesce(min(n.last) >= (platform.now() AT TIME ZONE l.time_zone)::date + @nights::int - 1, false)
			FROM sandbox.listings AS l
			JOIN sandbox.room_types AS r USING (property_id)
			CROSS JOIN LATERAL (SELECT max(i.night) AS last FROM sandbox.inventory_nights AS i WHERE i.room_type_id = r.room_type_id) AS n
			GROUP BY l.property_id`,
			pgx.StrictNamedArgs{"nights": nights})
		var p id.Property
		var current bool
		_, err := pgx.ForEachRow(rows, []any{&p, &current}, func() error { there[p] = current; return nil })
		return err
	})
	return there, err
}

// loadWorld stores the data that belongs to no tenant.
func (a *atlas) loadWorld(ctx context.Context, tx postgres.Tx) error {
	if err := a.loadRates(ctx, tx); err != nil {
		return err
	}
	return a.loadCities(ctx, tx)
}

// loadRates stores the exchange rates between all currencies. The rates that examples quote have their own ids.
func (a *atlas) loadRates(ctx context.Context, tx postgres.Tx) error {
	var ids []id.FX
	var bases, quotes []money.Currency
	var amounts []string
	for base := range a.perDollar {
		for quote := range a.perDollar {
			if base == quote {
				continue
			}
			key, rate, err := a.cross(base, quote)
			if err != nil {
				return err
			}
			ids, bases, quotes, amounts = append(ids, key), append(bases, base), append(quotes, quote), append(amounts, rate)
		}
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO sandbox.fx_snapshots (fx_snapshot_id, base, quote, rate, source, captured_at)
		SELECT x.id, x.base, x.quote, x.rate::numeric, 'sandbox', '2026-01-01T00:00:00Z'
		FROM unnest(@ids::uuid[], @bases::text[], @quotes::text[], @rates::text[]) AS x (id, base, quote, rate)
		ON CONFLICT DO NOTHING`,
		pgx.StrictNamedArgs{"ids": ids, "bases": bases, "quotes": quotes, "rates": amounts})
	return err
}

func (a *atlas) cross(base, quote money.Currency) (id.FX, string, error) {
	for _, r := range rates {
		if base == money.AFN && quote == r.Quote {
			return r.ID, r.Rate, nil
		}
	}
	of, ok := new(big.Rat).SetString(a.perDollar[quote])
	in, fine := new(big.Rat).SetString(a.perDollar[base])
	if !ok || !fine || of.Sign() <= 0 || in.Sign() <= 0 {
		return id.FX{}, "", fmt.Errorf("the rate of %s or %s is not a positive decimal", base, quote)
	}
	const decimals = 12
	return id.Derive[id.FX](origin, "fx "+string(base)+" "+string(quote)), new(big.Rat).Quo(of, in).FloatString(decimals), nil
}

func (a *atlas) loadCities(ctx context.Context, tx postgres.Tx) error {
	b := &pgx.Batch{}
	for _, c := range a.cities {
		name := c.Names.name()
		b.Queue(`
			INSERT INTO sandbox.cities (city_id, name, name_localized, country, region, time_zone, latitude, longitude, city_keys, region_keys)
			VALUES (@city, @name, @localized, @country, @region, @zone, @lat, @lng, @keys, @regions)
			ON CONFLICT DO NOTHING`,
			pgx.StrictNamedArgs{"city": c.ID, "name": name.Default, "localized": name.Localized, "country": c.country(),
				"region": a.regions[c.Region][0], "zone": c.Zone, "lat": c.Lat, "lng": c.Lng, "keys": keys(c.Names, c.Also),
				"regions": append(keys(a.regions[c.Region], []string{c.country()}), keys(a.countries[c.country()].Names, a.countries[c.country()].Also)...)})
	}
	return tx.SendBatch(ctx, b)
}

// keys returns all search keys of a place.
func keys(names translations, also []string) []string {
	set := map[string]bool{}
	for _, name := range append(names[:], also...) {
		set[search.Fold(name)] = true
	}
	return sortedKeys(set)
}
