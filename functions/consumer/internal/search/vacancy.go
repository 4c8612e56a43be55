package search

import (
	"context"
	"errors"
	"slices"

	"github.com/sourcegraph/conc"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
)

// A Vacancy summarizes a hotel's offers for a stay. Available says whether a room is available; it is nil if prices are
// missing. Rooms lists prices independently of availability.
type Vacancy struct {
	Property  id.Property    `json:"propertyId"`
	Tenant    id.Tenant      `json:"tenantId"`
	Dates     DateRange      `json:"dates"`
	Occupancy Occupancy      `json:"occupancy"`
	Currency  money.Currency `json:"currency"`
	Available *bool          `json:"available"`
	Rate      *RateSnapshot  `json:"cheapestRateSnapshot"`
	Rooms     []VacantRoom   `json:"rooms"`
	Handoff   HandoffHint    `json:"handoffHint"`
	Stale     bool           `json:"stale"`
	Missing   []string       `json:"degraded,omitempty"`
}

// A VacantRoom is a room type with its cheapest rate.
type VacantRoom struct {
	RoomTypeSummary
	RatePlan *id.RatePlan `json:"ratePlanId"`
	Nightly  *money.Minor `json:"nightly"`
	Total    *money.Minor `json:"total"`
	FX       id.FX        `json:"fxSnapshotId,omitzero"`
}

// Vacancy composes a hotel's offers for a stay.
func (h *Hotels) Vacancy(ctx context.Context, l locale.Tag, property id.Property, t Trip) (Vacancy, Composition, error) {
	ctx, cancel := compositionContext(ctx)
	defer cancel()
	hotel, preview, offers, err := h.fetchVacancy(ctx, property, t)
	if err != nil {
		return Vacancy{}, Composition{}, err
	}
	var c Composition
	hotel.addTo(&c, "property")
	preview.addTo(&c, "pricing")
	offers.addTo(&c, "rates")
	out := Vacancy{Property: property, Tenant: hotel.value.Tenant, Dates: t.Dates, Occupancy: t.Occupancy, Currency: t.Currency,
		Rooms: []VacantRoom{}, Handoff: hotel.value.handoffHint(), Stale: c.Stale, Missing: c.Missing}
	price, left := preview.value[property]
	if preview.err == nil {
		out.Available = &left
	}
	if left {
		out.Rate = price.show(t.Currency, preview.state == cache.Stale)
	}
	for _, r := range hotel.value.RoomTypes {
		room := VacantRoom{RoomTypeSummary: r.show(l)}
		room.setPrice(offers.value)
		out.Rooms = append(out.Rooms, room)
	}
	return out, c, nil
}

// fetchVacancy fetches the parts of a vacancy. A suspended hotel is fault.ErrNotFound.
func (h *Hotels) fetchVacancy(ctx context.Context, property id.Property, t Trip) (
	hotel part[Property], preview part[map[id.Property]Preview], offers part[Offers], err error,
) {
	if h.properties.Absent(ctx, property) {
		return hotel, preview, offers, fault.ErrNotFound
	}
	ctx, cancel := context.WithCancel(ctx)
	var work conc.WaitGroup
	defer work.Wait()
	defer cancel()
	work.Go(func() { preview.set(h.searches.prices.Preview(ctx, []id.Property{property}, t)) })
	hotel.set(h.properties.Get(ctx, property))
	if hotel.err != nil {
		return hotel, preview, offers, asBudgetExceeded(hotel.err)
	}
	company, closed := h.tenants.Status(ctx, hotel.value.Tenant)
	if closed {
		return hotel, preview, offers, fault.ErrNotFound
	}
	if err := hotel.value.CheckDates(t.Dates, "", h.now()); err != nil {
		return hotel, preview, offers, err
	}
	offers.set(h.offers(ctx, hotel.value, t.inCurrencyOf(company), company.Currency))
	work.Wait()
	return hotel, preview, offers, nil
}

// offers returns a hotel's offers, in the hotel's own currency if there is no exchange rate for the currency of the trip.
func (h *Hotels) offers(ctx context.Context, hotel Property, t Trip, own money.Currency) (Offers, cache.State, error) {
	found, state, err := h.searches.prices.Offers(ctx, hotel.Tenant, hotel.ID, t)
	if !errors.Is(err, errNotConvertible) || own == "" || own == t.Currency {
		return found, state, err
	}
	t.Currency = own
	return h.searches.prices.Offers(ctx, hotel.Tenant, hotel.ID, t)
}

// inCurrencyOf returns the trip in the visitor's currency if the hotel accepts it, else in the hotel's own.
func (t Trip) inCurrencyOf(company Tenant) Trip {
	if company.Currency != "" && !slices.Contains(company.Currencies, t.Currency) {
		t.Currency = company.Currency
	}
	return t
}

// setPrice adds the cheapest rate, if its amounts have exact values in minor units.
func (r *VacantRoom) setPrice(o Offers) {
	for _, offered := range o.RoomTypes {
		if offered.RoomType != r.RoomType || len(offered.Rates) == 0 {
			continue
		}
		rate := offered.Rates[0]
		nightly, inexact := money.Amount{Micro: rate.Nightly, Currency: o.Currency}.Minor()
		total, wrong := money.Amount{Micro: rate.Total, Currency: o.Currency}.Minor()
		if inexact == nil && wrong == nil && total.Amount > 0 {
			r.RatePlan, r.Nightly, r.Total = &rate.RatePlan, &nightly, &total
			if o.FX != nil {
				r.FX = o.FX.ID
			}
		}
	}
}
