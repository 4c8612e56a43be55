package pricing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// A Preview is the lowest current price of a party's stay in one hotel, in the wanted currency, or in the hotel's own if there is
// no exchange rate.
type Preview struct {
	Property   id.Property    `json:"propertyId"`
	Tenant     id.Tenant      `json:"tenantId"`
	RoomType   id.RoomType    `json:"roomTypeId"`
	RatePlan   id.RatePlan    `json:"ratePlanId"`
	Nightly    money.Micro    `json:"cheapestNightlyMicro"` // one room for one night on average, without taxes and fees
	Total      money.Micro    `json:"totalMicro"`           // all rooms, all nights, with taxes and fees
	Currency   money.Currency `json:"currency"`
	FX         id.FX          `json:"fxSnapshotId,omitzero"` // if it was converted
	CapturedAt time.Time      `json:"capturedAt"`
}

// A Staying is a party, a stay and the currency to show prices in.
type Staying struct {
	Party    standin.Party
	Window   stay.Window
	Currency money.Currency
}

// A hotel is one property of a preview: its tariff and the free rooms per type.
type hotel struct {
	tenant id.Tenant
	at     time.Time
	tariff Tariff
	left   map[id.RoomType]int
}

// Preview returns prices of hotels of any tenant, in the given order. It omits hotels where the party cannot stay. Prices
// without an exchange rate into the currency are in the hotel's own. Amend changes tariffs before pricing; it may be nil.
func (s Tariffs) Preview(ctx context.Context, of []id.Property, y Staying, amend func(Tariff) Tariff) ([]Preview, error) {
	var hotels map[id.Property]*hotel
	err := s.db.InMaintenance(ctx, func(tx postgres.Tx) (err error) {
		hotels, err = readHotels(ctx, tx, of, y)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tariffs: preview: %w", err)
	}
	all := make([]Preview, 0, len(of))
	for _, p := range of {
		h := hotels[p]
		if h == nil || y.Window.Start.Before(h.tariff.Today) {
			continue
		}
		tariff := h.tariff
		if amend != nil {
			tariff = amend(tariff)
		}
		offers, err := tariff.Compare(ctx, y.Party, y.Window)
		if err != nil {
			return nil, err
		}
		left := slices.IndexFunc(offers, func(o Offers) bool { return h.left[o.RoomType] >= y.Party.Rooms })
		if left >= 0 { // cheapest room first
			all = append(all, h.preview(p, offers[left]))
		}
	}
	return all, nil
}

func (h *hotel) preview(p id.Property, o Offers) Preview {
	v := Preview{Property: p, Tenant: h.tenant, RoomType: o.RoomType, RatePlan: o.Cheapest, Nightly: o.Rates[0].Nightly,
		Total: o.Rates[0].Total, Currency: h.tariff.Currency, CapturedAt: h.at}
	if h.tariff.FX != nil {
		v.FX = h.tariff.FX.ID
	}
	return v
}

// readHotels reads the data of many hotels, of several tenants, with one statement per kind of data.
func readHotels(ctx context.Context, tx postgres.Tx, of []id.Property, y Staying) (map[id.Property]*hotel, error) {
	rows, _ := tx.Query(ctx, `
		SELECT p.property_id, p.tenant_id, t.currency, (platform.now() AT TIME ZONE p.time_zone)::date, platform.now()
		FROM sandbox.properties AS p
		JOIN sandbox.tenants AS t USING (tenant_id)
		WHERE p.property_id = ANY (@properties)`,
		pgx.StrictNamedArgs{"properties": of})
	hotels, rates := map[id.Property]*hotel{}, map[money.Currency]*FX{}
	var p id.Property
	var own money.Currency
	var h hotel
	if _, err := pgx.ForEachRow(rows, []any{&p, &h.tenant, &own, &h.tariff.Today, &h.at}, func() error {
		copied := h
		copied.tariff.Currency = own
		copied.left = map[id.RoomType]int{}
		hotels[p], rates[own] = &copied, nil
		return nil
	}); err != nil {
		return nil, err
	}
	if err := readRates(ctx, tx, rates, y.Currency); err != nil {
		return nil, err
	}
	for _, h := range hotels {
		if fx := rates[h.tariff.Currency]; fx != nil {
			h.tariff.FX, h.tariff.Currency = fx, y.Currency
		} // else it is the wanted currency already, or prices stay in the hotel's own
	}
	return hotels, furnish(ctx, tx, hotels, of, y.Window)
}

// readRates fills in the known exchange rates into the currency.
func readRates(ctx context.Context, tx postgres.Tx, rates map[money.Currency]*FX, into money.Currency) error {
	for base := range rates {
		if base == into {
			continue
		}
		fx, err := readFX(ctx, tx, base, into)
		if err != nil && !errors.Is(err, standin.ErrCurrency) {
			return err
		}
		rates[base] = fx
	}
	return nil
}

// furnish reads the rooms that the hotels sell, and the free ones.
func furnish(ctx context.Context, tx postgres.Tx, hotels map[id.Property]*hotel, of []id.Property, w stay.Window) error {
	plans, err := readPlans(ctx, tx, of...)
	if err != nil {
		return err
	}
	charges, err := readCharges(ctx, tx, of...)
	if err != nil {
		return err
	}
	for p, h := range hotels {
		h.tariff.Plans, h.tariff.Charges = plans[p], charges[p]
	}
	rows, _ := tx.Query(ctx, `
		SELECT t.property_id, l.room_type_id, l.units_left
		FROM sandbox.units_left(
			ARRAY(SELECT r.room_type_id FROM sandbox.room_types AS r WHERE r.property_id = ANY (@properties)), @start, @end, platform.now()) AS l
		JOIN sandbox.room_types AS t USING (room_type_id)`,
		pgx.StrictNamedArgs{"properties": of, "start": w.Start, "end": w.End})
	var p id.Property
	var room id.RoomType
	var units int
	_, err = pgx.ForEachRow(rows, []any{&p, &room, &units}, func() error {
		if hotels[p] != nil {
			hotels[p].left[room] = units
		}
		return nil
	})
	return err
}

// A DayPrice is the lowest price of one room for the night that begins on a day, without taxes and fees.
type DayPrice struct {
	Date     stay.Date   `json:"date"`
	Cheapest money.Micro `json:"cheapestMicro"`
}

// Calendar returns the lowest price of each night of a window, and the currency: the wanted one, or the hotel's own if there is
// no exchange rate. It omits past nights and nights without free rooms.
func (s Tariffs) Calendar(ctx context.Context, p id.Property, w stay.Window, wanted money.Currency) ([]DayPrice, money.Currency, error) {
	var h *hotel
	nights := map[stay.Date][]id.RoomType{}
	err := s.db.InMaintenance(ctx, func(tx postgres.Tx) error {
		hotels, err := readHotels(ctx, tx, []id.Property{p}, Staying{Window: w, Currency: wanted})
		if err != nil {
			return err
		}
		if h = hotels[p]; h == nil {
			return fault.ErrNotFound
		}
		return readNights(ctx, tx, p, w, nights)
	})
	if err != nil {
		return nil, "", fmt.Errorf("tariffs: calendar of %s: %w", p, err)
	}
	days := []DayPrice{}
	for _, d := range w.Dates() {
		if least, ok := h.tariff.least(d, nights[d]); ok && !d.Before(h.tariff.Today) {
			days = append(days, DayPrice{d, least})
		}
	}
	return days, h.tariff.Currency, nil
}

// readNights reads the free room types of each night.
func readNights(ctx context.Context, tx postgres.Tx, p id.Property, w stay.Window, nights map[stay.Date][]id.RoomType) error {
	rows, _ := tx.Query(ctx, `
		SELECT d.night::date, l.room_type_id
		FROM generate_series(@start::date, @end::date - 1, interval '1 day') AS d (night)
		CROSS JOIN LATERAL sandbox.units_left(
			ARRAY(SELECT r.room_type_id FROM sandbox.room_types AS r WHERE r.property_id = @property), d.night::date, d.night::date + 1, platform.now()) AS l
		WHERE l.units_left > 0`,
		pgx.StrictNamedArgs{"property": p, "start": w.Start, "end": w.End})
	var night stay.Date
	var room id.RoomType
	_, err := pgx.ForEachRow(rows, []any{&night, &room}, func() error {
		nights[night] = append(nights[night], room)
		return nil
	})
	return err
}

// least returns the price of the cheapest of some rooms for one night.
func (t Tariff) least(d stay.Date, rooms []id.RoomType) (least money.Micro, ok bool) {
	for _, plan := range t.Plans {
		for _, room := range rooms {
			if plan.RoomType != room {
				continue
			}
			if amount, err := round(t.converted(plan.Weekdays[standin.Monday(d)])); err == nil && (!ok || amount < least) {
				least, ok = amount, true
			}
		}
	}
	return least, ok
}
