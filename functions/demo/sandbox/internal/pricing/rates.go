package pricing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// Offers are the rates of one room type, cheapest first.
type Offers struct {
	RoomType id.RoomType `json:"roomTypeId"`
	Cheapest id.RatePlan `json:"cheapestRatePlanId"`
	Rates    []Offer     `json:"rates"`
}

// An Offer is the price of a whole party's stay at one rate.
type Offer struct {
	RatePlan id.RatePlan `json:"ratePlanId"`
	Name     string      `json:"name"`
	MealPlan string      `json:"mealPlan"`
	Nightly  money.Micro `json:"nightlyMicro"` // one room for one night on average, after discount, without taxes and fees; for display
	Total    money.Micro `json:"totalMicro"`   // all rooms, all nights, with taxes and fees; equals a quote's total
	Policy   Policy      `json:"cancellationPolicy"`
}

// Compare prices every rate at which the party can stay. It omits room types that are too small. It stops when ctx
// ends.
func (t Tariff) Compare(ctx context.Context, p standin.Party, w stay.Window) ([]Offers, error) {
	rooms := p.Spread()
	all := map[id.RoomType][]Offer{}
	for key, plan := range t.Plans {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("tariffs: compare: %w", err)
		}
		if rooms[0].Adults+rooms[0].Children > plan.MaxOccupancy {
			continue
		}
		offer, err := t.offer(key, plan, rooms, w)
		if err != nil {
			return nil, err
		}
		all[plan.RoomType] = append(all[plan.RoomType], offer)
	}
	return sorted(all), nil
}

func (t Tariff) offer(key id.RatePlan, plan Plan, rooms []stay.Occupants, w stay.Window) (o Offer, err error) {
	wishes := make([]Wish, len(rooms))
	for n, people := range rooms {
		wishes[n] = Wish{RoomType: plan.RoomType, RatePlan: key, Occupants: people}
	}
	price, err := t.Price(wishes, w)
	if err != nil {
		return o, err
	}
	nightly, err := round(rat(price.Items[0].NightlyRate))
	return Offer{
		RatePlan: key,
		Name:     plan.Rate,
		MealPlan: plan.MealPlan,
		Nightly:  nightly,
		Total:    price.Totals.GrandTotal,
		Policy:   plan.Policy,
	}, err
}

func sorted(all map[id.RoomType][]Offer) []Offers {
	list := make([]Offers, 0, len(all))
	for room, rates := range all {
		slices.SortFunc(rates, func(a, b Offer) int {
			return cmp.Or(cmp.Compare(a.Total, b.Total), bytes.Compare(a.RatePlan[:], b.RatePlan[:]))
		})
		list = append(list, Offers{RoomType: room, Cheapest: rates[0].RatePlan, Rates: rates})
	}
	slices.SortFunc(list, func(a, b Offers) int {
		return cmp.Or(cmp.Compare(a.Rates[0].Total, b.Rates[0].Total), bytes.Compare(a.RoomType[:], b.RoomType[:]))
	})
	return list
}

// dearerBy is the price rise in the scenario price_changed.
const dearerBy = 10 // percent

// Dearer returns the tariff after the price rise.
func (t Tariff) Dearer() Tariff {
	plans := make(map[id.RatePlan]Plan, len(t.Plans))
	for key, plan := range t.Plans {
		plan.Weekdays = slices.Clone(plan.Weekdays)
		for day := range plan.Weekdays {
			plan.Weekdays[day] += plan.Weekdays[day] / whole * dearerBy
		}
		plans[key] = plan
	}
	t.Plans = plans
	return t
}

// A PublishedPlan is a rate plan whose prices were published.
type PublishedPlan struct {
	Tenant    id.Tenant   `json:"tenantId"`
	Property  id.Property `json:"propertyId"`
	RatePlan  id.RatePlan `json:"ratePlanId"`
	Version   int         `json:"version"`
	Published time.Time   `json:"publishedAt"`
}

// Rates publishes prices of rate plans.
type Rates struct{ standin.Store }

// OpenRates opens the store.
func OpenRates(e env.Env) Rates { return Rates{standin.OpenStore(e)} }

// Publish sets the prices of a rate plan, Monday first, and publishes the event. Existing quotes do not change.
func (s Rates) Publish(ctx context.Context, plan id.RatePlan, weekdays []money.Micro) (p PublishedPlan, err error) {
	tenant, err := standin.Owner(ctx, s.DB, `SELECT tenant_id FROM sandbox.rate_plans WHERE rate_plan_id = @key`, plan)
	if err != nil {
		return p, err
	}
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		err := tx.QueryRow(ctx, `
			UPDATE sandbox.rate_plans SET version = version + 1
			WHERE rate_plan_id = @plan
			RETURNING tenant_id, property_id, rate_plan_id, version, platform.now()`,
			pgx.StrictNamedArgs{"plan": plan}).Scan(&p.Tenant, &p.Property, &p.RatePlan, &p.Version, &p.Published)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.ErrNotFound
		}
		if err != nil {
			return err
		}
		tx.Queue(`
			INSERT INTO sandbox.weekday_rates (tenant_id, rate_plan_id, weekday, amount_micro)
			SELECT @tenant, @plan, d.weekday, d.amount FROM unnest(@amounts::bigint[]) WITH ORDINALITY AS d (amount, weekday)
			ON CONFLICT (rate_plan_id, weekday) DO UPDATE SET amount_micro = EXCLUDED.amount_micro`,
			pgx.StrictNamedArgs{"tenant": tenant, "plan": plan, "amounts": weekdays})
		if err := s.Outbox.Append(ctx, tx, ratePlanPublished(p)); err != nil {
			return err
		}
		_, err = search.Index(ctx, tx, s.Outbox, tenant, &p.Property)
		return err
	})
	if err != nil {
		return p, fmt.Errorf("rates: publish %s: %w", plan, err)
	}
	return p, nil
}
