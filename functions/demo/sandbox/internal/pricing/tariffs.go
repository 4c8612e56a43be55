package pricing

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// Tariffs reads the tariffs of properties.
type Tariffs struct{ db *postgres.DB }

// OpenTariffs opens the store.
func OpenTariffs(e env.Env) Tariffs { return Tariffs{postgres.Open(e, standin.Schema)} }

// Get returns the tariff of a tenant's property, in a currency of the tenant and with an optional promotion code.
func (s Tariffs) Get(ctx context.Context, tenant id.Tenant, p id.Property, c money.Currency, promo string) (t Tariff, err error) {
	err = s.db.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		t, err = readTariff(ctx, tx, p, c)
		if err == nil && promo != "" {
			t.Promo, err = readPromo(ctx, tx, promo)
		}
		return err
	})
	if err != nil {
		return t, fmt.Errorf("tariffs: get of %s: %w", p, err)
	}
	return t, nil
}

func readTariff(ctx context.Context, tx postgres.Tx, p id.Property, c money.Currency) (t Tariff, err error) {
	var own money.Currency
	var currencies []money.Currency
	err = tx.QueryRow(ctx, `
		SELECT t.currency, t.currencies, (platform.now() AT TIME ZONE p.time_zone)::date,
		       ((platform.now() - make_interval(hours => least(t.no_show_grace_hours, @hours))) AT TIME ZONE p.time_zone)::date
		FROM sandbox.properties AS p JOIN sandbox.tenants AS t USING (tenant_id)
		WHERE p.property_id = @property`,
		pgx.StrictNamedArgs{"property": p, "hours": stay.MaxBusinessHours}).Scan(&own, &currencies, &t.Today, &t.Business)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return t, fault.ErrNotFound
	case err != nil:
		return t, err
	case !slices.Contains(currencies, c):
		return t, standin.ErrCurrency
	}
	t.Currency = c
	if own != c {
		if t.FX, err = readFX(ctx, tx, own, c); err != nil {
			return t, err
		}
	}
	plans, err := readPlans(ctx, tx, p)
	if err != nil {
		return t, err
	}
	charges, err := readCharges(ctx, tx, p)
	t.Plans, t.Charges = plans[p], charges[p]
	return t, err
}

// readCharges returns the taxes and fees of some properties.
func readCharges(ctx context.Context, tx postgres.Tx, of ...id.Property) (map[id.Property][]Charge, error) {
	rows, _ := tx.Query(ctx, `
		SELECT property_id, kind, description, coalesce(basis_points, 0), coalesce(amount_micro, 0), per
		FROM sandbox.charges
		WHERE property_id = ANY (@properties)
		ORDER BY property_id, position`,
		pgx.StrictNamedArgs{"properties": of})
	charges := map[id.Property][]Charge{}
	var p id.Property
	var c Charge
	_, err := pgx.ForEachRow(rows, []any{&p, &c.Kind, &c.Description, &c.BasisPoints, &c.Amount, &c.Per}, func() error {
		charges[p] = append(charges[p], c)
		return nil
	})
	return charges, err
}

// readPlans returns the rate plans of some properties. It omits a plan without a price for each weekday: it is not on
// sale.
func readPlans(ctx context.Context, tx postgres.Tx, of ...id.Property) (map[id.Property]map[id.RatePlan]Plan, error) {
	rows, _ := tx.Query(ctx, `
		SELECT p.property_id, p.rate_plan_id, p.room_type_id, r.name || ', ' || p.name, p.name, p.meal_plan, r.max_occupancy,
		       p.cancellation_ref, p.free_until_hours_before, p.penalty_percent, p.penalty_nights,
		       p.no_show_percent, p.no_show_nights, w.amounts
		FROM sandbox.rate_plans AS p
		JOIN sandbox.room_types AS r USING (room_type_id)
		JOIN LATERAL (
			SELECT array_agg(d.amount_micro ORDER BY d.weekday) AS amounts
			FROM sandbox.weekday_rates AS d
			WHERE d.rate_plan_id = p.rate_plan_id) AS w ON cardinality(w.amounts) = 7
		WHERE p.property_id = ANY (@properties)`,
		pgx.StrictNamedArgs{"properties": of})
	plans := map[id.Property]map[id.RatePlan]Plan{}
	var p id.Property
	var key id.RatePlan
	var plan Plan
	_, err := pgx.ForEachRow(rows, []any{&p, &key, &plan.RoomType, &plan.Name, &plan.Rate, &plan.MealPlan, &plan.MaxOccupancy,
		&plan.Policy.Ref, &plan.Policy.FreeUntilHoursBefore, &plan.Policy.PenaltyPercent, &plan.Policy.PenaltyNights,
		&plan.Policy.NoShowPercent, &plan.Policy.NoShowNights, &plan.Weekdays}, func() error {
		plan.Policy.Description = plan.Policy.Terms()
		plan.Weekdays = slices.Clone(plan.Weekdays)
		if plans[p] == nil {
			plans[p] = map[id.RatePlan]Plan{}
		}
		plans[p][key] = plan
		return nil
	})
	return plans, err
}

// readFX returns the newest rate from the platform's table, which belongs to no tenant.
func readFX(ctx context.Context, tx postgres.Tx, base, quote money.Currency) (*FX, error) {
	var rate string
	fx := &FX{Base: base, Quote: quote}
	err := tx.QueryRow(ctx, `
		SELECT fx_snapshot_id, rate::text, rate::float8, source, captured_at
		FROM sandbox.fx_snapshots
		WHERE base = @base AND quote = @quote
		ORDER BY captured_at DESC
		LIMIT 1`,
		pgx.StrictNamedArgs{"base": base, "quote": quote}).Scan(&fx.ID, &rate, &fx.Rate, &fx.Source, &fx.CapturedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, standin.ErrCurrency
	}
	if err != nil {
		return nil, err
	}
	exact, ok := new(big.Rat).SetString(rate)
	if !ok {
		return nil, fmt.Errorf("the rate of %s is not a decimal", fx.ID)
	}
	fx.exact = exact
	return fx, nil
}

func readPromo(ctx context.Context, tx postgres.Tx, code string) (Promo, error) {
	rows, _ := tx.Query(ctx, `
		SELECT code, percent
		FROM sandbox.promo_codes
		WHERE code = @code AND (valid_until IS NULL OR valid_until > platform.now())`,
		pgx.StrictNamedArgs{"code": strings.ToUpper(code)})
	promo, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Promo])
	if errors.Is(err, pgx.ErrNoRows) {
		return promo, standin.Refuse("/promoCode", "known", "The promotion code is invalid or has expired.")
	}
	return promo, err
}
