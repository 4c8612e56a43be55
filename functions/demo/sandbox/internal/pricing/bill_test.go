package pricing

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
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
	check.Must(t, err)
	item := p.Items[0]
	want := []PricedNight{ // 3.33% of 85 and of 170 are 2.8305 and 5.661
		{date(t, "2027-03-04"), 92_830_000, 85 * afghani},
		{date(t, "2027-03-05"), 180_660_000, 170 * afghani},
	}
	check.Equal(t, item.Nights, want)
	check.Equal(t, item.Extras, []Line{{"fee", "Final cleaning", 40 * afghani}}, "extras of the room")
	check.Equal(t, item.Total, money.Micro(313_490_000))
	check.Equal(t, item.NightlyRate, money.Micro(127_500_000))
	check.Equal(t, p.Extras, []Line{{"fee", "Transfer", 7 * afghani}}, "extras of the stay")
	lines := []Line{
		{"room", "Single", 300 * afghani},
		{"room", "Double", 600 * afghani},
		{"discount", "NAWROZ", -135 * afghani},
		{"tax", "Tax", 25_470_000}, // 2.83 + 5.66 + 5.66 + 11.32
		{"fee", "City fee", 20 * afghani},
		{"fee", "Final cleaning", 80 * afghani},
		{"fee", "Transfer", 7 * afghani},
	}
	check.Equal(t, p.Lines, lines)
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
	check.Must(t, err)
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
				check.Equal(t, night.Amount%microPerMinor, 0)
				check.Equal(t, night.Room%microPerMinor, 0)
			}
			check.Equal(t, item.Total, sum, "tariff %d: total of room %d, from its nights and extras", seed, n)
			check.Equal(t, item.NightlyRate, room/money.Micro(l.stay.Nights()), "tariff %d: the nightly rate of room %d", seed, n)
			items, rooms = items+item.Total, rooms+room
		}
		check.Equal(t, p.Totals.GrandTotal, items, "tariff %d: grand total, from rooms and extras", seed)
		check.Equal(t, total(p.Lines), items, "tariff %d: sum of the lines, from rooms and extras", seed)
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
			check.Equal(t, slices.Concat(first.Items[n].Nights, second.Items[n].Nights), item.Nights, "tariff %d: in two parts the nights of room %d", seed, n)
			check.Equal(t, first.Items[n].Extras, item.Extras, "tariff %d: for fewer nights the extras of room %d", seed, n)
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
		check.Equal(t, fewer.Items, slices.Delete(slices.Clone(whole.Items), out, out+1), "tariff %d: without room %d the others", seed, out)
		check.Equal(t, fewer.Extras, whole.Extras, "tariff %d: without room %d the extras of the stay", seed, out)
		check.Equal(t, fewer.Totals.GrandTotal, whole.Totals.GrandTotal-whole.Items[out].Total, "tariff %d: without room %d the grand total", seed, out)
	}
}
