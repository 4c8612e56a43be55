package pricing

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

func TestPrice_nights(t *testing.T) {
	t.Parallel()
	rates := tariff(t)
	rates.Promo = Promo{"NAWROZ", 15}
	rates.Charges = []Charge{
		{Kind: "tax", Description: "Tax", BasisPoints: 333},
		{Kind: "fee", Description: "City fee", Amount: 5 * afghani},
		{Kind: "fee", Description: "Final cleaning", Amount: 40 * afghani, Per: PerStay},
		{Kind: "fee", Description: "Transfer", Amount: 7 * afghani, Per: PerBooking},
	}
	p, err := rates.Price([]Wish{one(cheap, single), one(good, double)}, weekend(t))
	if err != nil {
		t.Fatal(err)
	}
	item := p.Items[0]
	want := []PricedNight{ // 3.33% of 85 and of 170 are 2.8305 and 5.661
		{date(t, "2027-03-04"), 92_830_000, 85 * afghani},
		{date(t, "2027-03-05"), 180_660_000, 170 * afghani},
	}
	if !reflect.DeepEqual(item.Nights, want) {
		t.Errorf("nights %v, want %v", item.Nights, want)
	}
	if want := []Line{{"fee", "Final cleaning", 40 * afghani}}; !reflect.DeepEqual(item.Extras, want) {
		t.Errorf("extras of the room %v, want %v", item.Extras, want)
	}
	if want := money.Micro(313_490_000); item.Total != want {
		t.Errorf("item.Total = %d, want %d", item.Total, want)
	}
	if want := money.Micro(127_500_000); item.NightlyRate != want {
		t.Errorf("item.NightlyRate = %d, want %d", item.NightlyRate, want)
	}
	if want := []Line{{"fee", "Transfer", 7 * afghani}}; !reflect.DeepEqual(p.Extras, want) {
		t.Errorf("extras of the stay %v, want %v", p.Extras, want)
	}
	lines := []Line{
		{"room", "Single", 300 * afghani},
		{"room", "Double", 600 * afghani},
		{"discount", "NAWROZ", -135 * afghani},
		{"tax", "Tax", 25_470_000}, // 2.83 + 5.66 + 5.66 + 11.32
		{"fee", "City fee", 20 * afghani},
		{"fee", "Final cleaning", 80 * afghani},
		{"fee", "Transfer", 7 * afghani},
	}
	if !reflect.DeepEqual(p.Lines, lines) {
		t.Errorf("lines %v, want %v", p.Lines, lines)
	}
}

// A lottery is a random tariff with random wishes for a random stay.
type lottery struct {
	*rand.Rand
	tariff Tariff
	wishes []Wish
	stay   stay.Window
}

func draw(t *testing.T, seed uint64) lottery {
	t.Helper()
	r := rand.New(rand.NewPCG(1404, seed))
	l := lottery{Rand: r, tariff: Tariff{Today: date(t, "2027-03-01"), Currency: money.AFN, Plans: map[id.RatePlan]Plan{}}}
	if r.IntN(2) == 0 {
		l.tariff.Currency = money.USD
		l.tariff.FX = &FX{Base: money.AFN, Quote: money.USD, exact: big.NewRat(1+r.Int64N(30_000), 1_000_000)}
	}
	if r.IntN(3) > 0 {
		l.tariff.Promo = Promo{"CODE", 1 + r.Int64N(100)}
	}
	for range r.IntN(6) {
		c := Charge{Kind: "fee", Description: fmt.Sprint("Fee ", r.IntN(100)), Amount: money.Micro(r.Int64N(900_000_000)),
			Per: []string{"", PerNight, PerStay, PerBooking}[r.IntN(4)]}
		if r.IntN(2) == 0 {
			c = Charge{Kind: "tax", Description: "Tax", BasisPoints: 1 + r.Int64N(3000)}
		}
		l.tariff.Charges = append(l.tariff.Charges, c)
	}
	for n := range 1 + r.IntN(3) {
		key, plan := id.New[id.RatePlan](), Plan{RoomType: id.New[id.RoomType](), Name: fmt.Sprint("Plan ", n), MaxOccupancy: 2}
		for range 7 {
			plan.Weekdays = append(plan.Weekdays, money.Micro(r.Int64N(90_000_000_000)))
		}
		l.tariff.Plans[key] = plan
		for range r.IntN(3) {
			l.wishes = append(l.wishes, one(key, plan.RoomType))
		}
	}
	if len(l.wishes) == 0 {
		return draw(t, seed+1_000_000)
	}
	l.stay.Start = l.tariff.Today.AddDays(r.IntN(400))
	l.stay.End = l.stay.Start.AddDays(2 + r.IntN(20))
	return l
}

func (l lottery) price(t *testing.T, wishes []Wish, w stay.Window) Price {
	t.Helper()
	p, err := l.tariff.Price(wishes, w)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// drawn is the number of random tariffs in each test.
const drawn = 300

func TestPrice_addsUp(t *testing.T) {
	t.Parallel()
	for seed := range uint64(drawn) {
		l := draw(t, seed)
		p := l.price(t, l.wishes, l.stay)
		items := total(p.Extras)
		var rooms money.Micro
		for n, item := range p.Items {
			sum, room := total(item.Extras), money.Micro(0)
			for _, night := range item.Nights {
				sum, room = sum+night.Amount, room+night.Room
				if night.Amount%microPerMinor != 0 || night.Room%microPerMinor != 0 {
					t.Errorf("tariff %d: a night costs %d, of which the room %d: it cannot be paid", seed, night.Amount, night.Room)
				}
			}
			if item.Total != sum {
				t.Errorf("tariff %d: the total of room %d is %d, its nights and extras are %d", seed, n, item.Total, sum)
			}
			if want := room / money.Micro(l.stay.Nights()); item.NightlyRate != want {
				t.Errorf("tariff %d: the nightly rate of room %d is %d, want %d", seed, n, item.NightlyRate, want)
			}
			items, rooms = items+item.Total, rooms+room
		}
		if p.Totals.GrandTotal != items {
			t.Errorf("tariff %d: the grand total is %d, rooms and extras are %d", seed, p.Totals.GrandTotal, items)
		}
		if got := total(p.Lines); got != items {
			t.Errorf("tariff %d: the lines sum to %d, rooms and extras to %d", seed, got, items)
		}
		if got := total(slices.DeleteFunc(slices.Clone(p.Lines), func(l Line) bool { return l.Kind == "tax" || l.Kind == "fee" })); got != rooms {
			t.Errorf("tariff %d: the lines of rooms and discount sum to %d, the rooms of all nights to %d", seed, got, rooms)
		}
	}
}

func total(lines []Line) (sum money.Micro) {
	for _, l := range lines {
		sum += l.Amount
	}
	return sum
}

// The price of a night depends on nothing but the room, the rate, the date, the promotion code and the currency.
func TestPrice_inTwoParts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(drawn) {
		l := draw(t, seed)
		whole := l.price(t, l.wishes, l.stay)
		at := l.stay.Start.AddDays(1 + l.IntN(l.stay.Nights()-1))
		first, second := l.price(t, l.wishes, stay.Window{Start: l.stay.Start, End: at}), l.price(t, l.wishes, stay.Window{Start: at, End: l.stay.End})
		for n, item := range whole.Items {
			if got := slices.Concat(first.Items[n].Nights, second.Items[n].Nights); !slices.Equal(got, item.Nights) {
				t.Errorf("tariff %d: in two parts the nights of room %d are %v, want %v", seed, n, got, item.Nights)
			}
			if !slices.Equal(first.Items[n].Extras, item.Extras) {
				t.Errorf("tariff %d: for fewer nights the extras of room %d are %v, want %v", seed, n, first.Items[n].Extras, item.Extras)
			}
		}
	}
}

func TestPrice_withoutOneRoom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(drawn) {
		l := draw(t, seed)
		if len(l.wishes) == 1 {
			continue
		}
		whole, out := l.price(t, l.wishes, l.stay), l.IntN(len(l.wishes))
		fewer := l.price(t, slices.Delete(slices.Clone(l.wishes), out, out+1), l.stay)
		if want := slices.Delete(slices.Clone(whole.Items), out, out+1); !reflect.DeepEqual(fewer.Items, want) {
			t.Errorf("tariff %d: without room %d the others are %+v, want %+v", seed, out, fewer.Items, want)
		}
		if !slices.Equal(fewer.Extras, whole.Extras) {
			t.Errorf("tariff %d: without room %d the extras of the stay are %v, want %v", seed, out, fewer.Extras, whole.Extras)
		}
		if got, want := fewer.Totals.GrandTotal, whole.Totals.GrandTotal-whole.Items[out].Total; got != want {
			t.Errorf("tariff %d: without room %d the grand total is %d, want %d", seed, out, got, want)
		}
	}
}
