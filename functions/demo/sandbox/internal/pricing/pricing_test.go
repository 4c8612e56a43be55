package pricing

import (
	"context"
	"errors"
	"math/big"
	"reflect"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
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
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	want := []PricedNight{{date(t, "2027-03-04"), 100 * afghani, 100 * afghani}, {date(t, "2027-03-05"), 200 * afghani, 200 * afghani}}
	if got := p.Items[0].Nights; !reflect.DeepEqual(got, want) {
		t.Errorf("nights %v, want %v", got, want)
	}
	if p.Items[0].Total != 300*afghani {
		t.Errorf("p.Items[0].Total = %d, want %d", p.Items[0].Total, 300*afghani)
	}
	if p.Items[0].NightlyRate != 150*afghani {
		t.Errorf("p.Items[0].NightlyRate = %d, want %d", p.Items[0].NightlyRate, 150*afghani)
	}
	if p.Totals.GrandTotal != 300*afghani {
		t.Errorf("p.Totals.GrandTotal = %d, want %d", p.Totals.GrandTotal, 300*afghani)
	}
}

func TestPrice_linesAddUp(t *testing.T) {
	t.Parallel()
	rates := tariff(t)
	rates.Promo = Promo{"NAWROZ", 15}
	rates.Charges = []Charge{{Kind: "tax", Description: "Tax", BasisPoints: 1000}, {Kind: "fee", Description: "City fee", Amount: 5 * afghani}}
	p, err := rates.Price([]Wish{one(cheap, single), one(good, double)}, weekend(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []Line{
		{"room", "Single", 300 * afghani},
		{"room", "Double", 600 * afghani},
		{"discount", "NAWROZ", -135 * afghani},
		{"tax", "Tax", 76_500_000}, // of 765
		{"fee", "City fee", 20 * afghani},
	}
	if !reflect.DeepEqual(p.Lines, want) {
		t.Errorf("lines %v, want %v", p.Lines, want)
	}
	if want := money.Micro(861_500_000); p.Totals.GrandTotal != want {
		t.Errorf("grand total %d, want %d", p.Totals.GrandTotal, want)
	}
	if p.CancellationPolicy.Ref != "saver" {
		t.Errorf("policy %s, want the one that is free for the shorter time", p.CancellationPolicy.Ref)
	}
	for _, item := range p.Items {
		if want := tariff(t).Plans[item.RatePlan].Policy; item.Policy != want {
			t.Errorf("the room at %s has policy %+v, want its own, %+v", item.RatePlan, item.Policy, want)
		}
	}
}

func TestPrice_otherCurrencies(t *testing.T) {
	t.Parallel()
	rates := tariff(t)
	rates.Currency = money.USD
	rates.FX = &FX{Base: money.AFN, Quote: money.USD, exact: big.NewRat(14237, 1_000_000)} // 100 AFN are 1.4237 USD
	rates.Charges = []Charge{{Kind: "tax", Description: "Tax", BasisPoints: 333}}
	p, err := rates.Price([]Wish{one(cheap, single)}, weekend(t))
	if err != nil {
		t.Fatal(err)
	}
	got := []money.Micro{p.Items[0].Nights[0].Room, p.Items[0].Nights[1].Room}
	if got[0] != 1_420_000 {
		t.Errorf("got[0] = %d, want 1_420_000", got[0])
	}
	if got[1] != 2_850_000 {
		t.Errorf("got[1] = %d, want 2_850_000", got[1])
	}
	if _, err := (money.Amount{Micro: p.Totals.GrandTotal, Currency: money.USD}).Minor(); err != nil {
		t.Errorf("grand total %d: %v", p.Totals.GrandTotal, err)
	}
	quoted, err := rates.Quote([]Wish{one(cheap, single)}, weekend(t))
	afghanis := tariff(t)
	afghanis.Charges = rates.Charges
	own, ownErr := afghanis.Price([]Wish{one(cheap, single)}, weekend(t))
	if err != nil {
		t.Fatal(err)
	}
	if ownErr != nil {
		t.Fatal(ownErr)
	}
	if quoted.Totals.OwnTotal != own.Totals.GrandTotal {
		t.Errorf("quoted.Totals.OwnTotal = %d, want %d", quoted.Totals.OwnTotal, own.Totals.GrandTotal)
	}
	if quoted.Totals.OwnCurrency != money.AFN {
		t.Errorf("quoted.Totals.OwnCurrency = %q, want %q", quoted.Totals.OwnCurrency, money.AFN)
	}
	if p.FX == nil {
		t.Error("p.FX = nil, want a value")
	}
	if p.Totals.Currency != money.USD {
		t.Errorf("p.Totals.Currency = %q, want %q", p.Totals.Currency, money.USD)
	}
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
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
	if _, err := round(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 80))); !errors.Is(err, money.ErrOverflow) {
		t.Errorf("2^80: %v, want ErrOverflow", err)
	}
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
			if !ok {
				t.Error("ok = false, want true")
			}
			if len(f.Violations) != 1 {
				t.Fatalf("len(f.Violations) = %d, want 1", len(f.Violations))
			}
			if f.Violations[0].Pointer != test.pointer {
				t.Errorf("f.Violations[0].Pointer = %q, want %q", f.Violations[0].Pointer, test.pointer)
			}
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
	if _, err := tariff.Compare(ctx, standin.Party{Adults: 20, Rooms: 20}, year); !errors.Is(err, context.Canceled) {
		t.Errorf("Compare() = %v, want %v", err, context.Canceled)
	}
}
