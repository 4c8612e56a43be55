package pricing

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const afghani = money.Micro(1_000_000)

var (
	single, double = id.New[id.RoomType](), id.New[id.RoomType]()
	cheap, good    = id.New[id.RatePlan](), id.New[id.RatePlan]()
)

// tariff returns a tariff with singles at 100 and doubles at 200, twice that on Fridays.
func tariff(t *testing.T) Tariff {
	t.Helper()
	week := func(rate money.Micro) []money.Micro {
		return []money.Micro{rate, rate, rate, rate, 2 * rate, rate, rate}
	}
	return Tariff{
		Today: date(t, "2027-03-01"), Currency: money.AFN,
		Plans: map[id.RatePlan]Plan{
			cheap: {RoomType: single, Name: "Single", MaxOccupancy: 1, Weekdays: week(100 * afghani), Policy: Policy{Ref: "saver", FreeUntilHoursBefore: 168, PenaltyPercent: 50}},
			good:  {RoomType: double, Name: "Double", MaxOccupancy: 2, Weekdays: week(200 * afghani), Policy: Policy{Ref: "flexible", FreeUntilHoursBefore: 24, PenaltyPercent: 100}},
		},
	}
}

func date(t *testing.T, s string) stay.Date {
	t.Helper()
	d, err := stay.ParseDate(s)
	check.Must(t, err)
	return d
}

// weekend is Thursday to Saturday: one ordinary night and a Friday.
func weekend(t *testing.T) stay.Window {
	return stay.Window{Start: date(t, "2027-03-04"), End: date(t, "2027-03-06")}
}

func one(plan id.RatePlan, room id.RoomType) Wish {
	return Wish{room, plan, stay.Occupants{Adults: 1}}
}

func TestPrice_weekdays(t *testing.T) {
	t.Parallel()
	p, err := tariff(t).Price([]Wish{one(cheap, single)}, weekend(t))
	check.Must(t, err)
	want := []PricedNight{{date(t, "2027-03-04"), 100 * afghani, 100 * afghani}, {date(t, "2027-03-05"), 200 * afghani, 200 * afghani}}
	check.Equal(t, p.Items[0].Nights, want)
	check.Equal(t, p.Items[0].Total, 300*afghani)
	check.Equal(t, p.Items[0].NightlyRate, 150*afghani)
	check.Equal(t, p.Totals.GrandTotal, 300*afghani)
}

func TestPrice_linesAddUp(t *testing.T) {
	t.Parallel()
	rates := tariff(t)
	rates.Promo = Promo{"NAWROZ", 15}
	rates.Charges = []Charge{{Kind: "tax", Description: "Tax", BasisPoints: 1000}, {Kind: "fee", Description: "City fee", Amount: 5 * afghani}}
	p, err := rates.Price([]Wish{one(cheap, single), one(good, double)}, weekend(t))
	check.Must(t, err)
	want := []Line{
		{"room", "Single", 300 * afghani},
		{"room", "Double", 600 * afghani},
		{"discount", "NAWROZ", -135 * afghani},
		{"tax", "Tax", 76_500_000}, // of 765
		{"fee", "City fee", 20 * afghani},
	}
	check.Equal(t, p.Lines, want)
	check.Equal(t, p.Totals.GrandTotal, money.Micro(861_500_000), "grand total")
	check.Equal(t, p.CancellationPolicy.Ref, "saver")
	for _, item := range p.Items {
		check.Equal(t, item.Policy, tariff(t).Plans[item.RatePlan].Policy, "policy of the room at %s", item.RatePlan)
	}
}

func TestPrice_otherCurrencies(t *testing.T) {
	t.Parallel()
	rates := tariff(t)
	rates.Currency = money.USD
	rates.FX = &FX{Base: money.AFN, Quote: money.USD, exact: big.NewRat(14237, 1_000_000)} // 100 AFN are 1.4237 USD
	rates.Charges = []Charge{{Kind: "tax", Description: "Tax", BasisPoints: 333}}
	p, err := rates.Price([]Wish{one(cheap, single)}, weekend(t))
	check.Must(t, err)
	got := []money.Micro{p.Items[0].Nights[0].Room, p.Items[0].Nights[1].Room}
	check.Equal(t, got[0], 1_420_000)
	check.Equal(t, got[1], 2_850_000)
	check.Got((money.Amount{Micro: p.Totals.GrandTotal, Currency: money.USD}).Minor()).NoError(t, "grand total %d", p.Totals.GrandTotal)
	quoted, err := rates.Quote([]Wish{one(cheap, single)}, weekend(t))
	afghanis := tariff(t)
	afghanis.Charges = rates.Charges
	own, ownErr := afghanis.Price([]Wish{one(cheap, single)}, weekend(t))
	check.Must(t, err)
	check.Must(t, ownErr)
	check.Equal(t, quoted.Totals.OwnTotal, own.Totals.GrandTotal)
	check.Equal(t, quoted.Totals.OwnCurrency, money.AFN)
	check.NotEqual(t, p.FX, nil)
	check.Equal(t, p.Totals.Currency, money.USD)
}

func TestRound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   *big.Rat
		want money.Micro
	}{
		{in: big.NewRat(4_999, 1), want: 0},
		{in: big.NewRat(5_000, 1), want: 10_000},
		{in: big.NewRat(14_999, 1), want: 10_000},
		{in: big.NewRat(-5_000, 1), want: -10_000},
		{in: big.NewRat(-4_999, 1), want: 0},
		{in: big.NewRat(1, 3), want: 0},
	} {
		t.Run(test.in.String(), func(t *testing.T) {
			got, err := round(test.in)
			check.Must(t, err)
			check.Equal(t, got, test.want)
		})
	}
	check.Got(round(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 80)))).Error(t, money.ErrOverflow)
}

func TestPrice_rejects(t *testing.T) {
	t.Parallel()
	past := stay.Window{Start: date(t, "2027-02-28"), End: date(t, "2027-03-02")}
	full := one(cheap, single)
	full.Occupants.Children = 1
	for _, test := range []struct {
		name    string
		wish    Wish
		w       stay.Window
		pointer string
	}{
		{"a plan of another house", one(id.New[id.RatePlan](), single), weekend(t), "/items/0/ratePlanId"},
		{"a plan of another room type", one(cheap, double), weekend(t), "/items/0/roomTypeId"},
		{"too many people", full, weekend(t), "/items/0/occupants"},
		{"yesterday", one(cheap, single), past, "/stayWindow/start"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := tariff(t).Price([]Wish{test.wish}, test.w)
			f, ok := errors.AsType[*fault.Fault](err)
			check.Equal(t, ok, true)
			check.MustEqual(t, len(f.Violations), 1)
			check.Equal(t, f.Violations[0].Pointer, test.pointer)
		})
	}
}

func TestCompare_canceled(t *testing.T) {
	t.Parallel()
	tariff := tariff(t)
	for range 1000 {
		tariff.Plans[id.New[id.RatePlan]()] = tariff.Plans[good]
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	year := stay.Window{Start: date(t, "2027-03-04"), End: date(t, "2028-03-04")}
	check.Got(tariff.Compare(ctx, standin.Party{Adults: 20, Rooms: 20}, year)).Error(t, context.Canceled)
}
