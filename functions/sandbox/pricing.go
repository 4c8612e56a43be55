package sandbox

import (
	"errors"
	"fmt"
	"math/big"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Wish is one room that a price is asked for.
type Wish struct {
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants stay.Occupants `json:"occupants"`
}

// A Price is what a stay costs, night by night and line by line. The lines add up to the grand total.
type Price struct {
	Items              []PricedItem `json:"items"`
	Lines              []Line       `json:"lines"`
	Totals             Totals       `json:"totals"`
	CancellationPolicy Policy       `json:"cancellationPolicy"`
	FX                 *FX          `json:"fxSnapshot,omitzero"` // where the tenant's own currency is another
}

// A PricedItem is the price of one room.
type PricedItem struct {
	RoomType    id.RoomType   `json:"roomTypeId"`
	RatePlan    id.RatePlan   `json:"ratePlanId"`
	Nights      []PricedNight `json:"nights"`
	NightlyRate money.Micro   `json:"nightlyRateMicro"` // the average, cut off: for showing, never for adding up
	Total       money.Micro   `json:"totalMicro"`
	Policy      Policy        `json:"cancellationPolicy"`
}

// A PricedNight is the price of one room for one night.
type PricedNight struct {
	Date   stay.Date   `json:"date"`
	Amount money.Micro `json:"amountMicro"`
}

// A Line is one part of the grand total.
type Line struct {
	Kind        string      `json:"kind"` // room, tax, fee or discount
	Description string      `json:"description"`
	Amount      money.Micro `json:"amountMicro"` // of a discount, negative
}

// Totals is what the guest pays, and what the same costs in the tenant's own currency where that is another.
type Totals struct {
	GrandTotal  money.Micro    `json:"grandTotalMicro"`
	Currency    money.Currency `json:"currency"`
	OwnTotal    money.Micro    `json:"inTenantCurrencyMicro,omitzero"`
	OwnCurrency money.Currency `json:"tenantCurrency,omitzero"`
}

// A Policy says what a cancellation and a no-show cost: nights, if there are any, else a share of the price. A no-show without either
// costs what a late cancellation does.
type Policy struct {
	Ref                  string `json:"ref"`
	FreeUntilHoursBefore int    `json:"freeUntilHoursBefore"`
	PenaltyPercent       int    `json:"penaltyPercent"`
	PenaltyNights        int    `json:"penaltyNights,omitzero"`
	NoShowPercent        *int   `json:"noShowPercent,omitzero"`
	NoShowNights         int    `json:"noShowNights,omitzero"`
	Description          string `json:"description"`
}

// An FX is an exchange rate as it stood at one moment: what one unit of base costs in quote.
type FX struct {
	ID         id.FX          `json:"fxSnapshotId"`
	Base       money.Currency `json:"base"`
	Quote      money.Currency `json:"quote"`
	Rate       float64        `json:"rate"` // for showing; amounts are converted with the exact decimal
	Source     string         `json:"source"`
	CapturedAt time.Time      `json:"capturedAt"`

	exact *big.Rat
}

// A Tariff is everything that the price of a stay in one property follows from, as it stood at one moment.
type Tariff struct {
	Today    stay.Date      // at the property
	Currency money.Currency // that is asked for
	FX       *FX            // into it, from the tenant's own; nil where they are the same
	Plans    map[id.RatePlan]Plan
	Charges  []Charge
	Promo    Promo
}

// A Plan is a rate plan with what it costs on each weekday, Monday first, in the tenant's own currency.
type Plan struct {
	RoomType     id.RoomType
	Name         string // of room type and plan, for the bill
	Rate         string // of the plan alone
	MealPlan     string
	MaxOccupancy int
	Weekdays     []money.Micro
	Policy       Policy
}

// A Charge is a tax in basis points of the rooms less their discount, or a fee per room and night.
type Charge struct {
	Kind        string
	Description string
	BasisPoints int64
	Amount      money.Micro
}

// A Promo is a promotion code and what it takes off the rooms.
type Promo struct {
	Code    string
	Percent int64
}

const (
	whole       = 100    // percent
	basisPoints = 10_000 // of one
)

// Price applies the tariff. Whatever is rounded is rounded once, to the minor unit, so that every amount can be paid.
func (t Tariff) Price(wishes []Wish, w stay.Window) (Price, error) {
	if w.Start.Before(t.Today) {
		return Price{}, Refuse("/stayWindow/start", "future", "The stay begins in the past.")
	}
	p := Price{FX: t.FX, Totals: Totals{Currency: t.Currency}}
	bill := bill{currency: t.Currency, price: &p}
	for n, wish := range wishes {
		plan, err := t.plan(n, wish)
		if err != nil {
			return Price{}, err
		}
		item, err := t.room(plan, wish, w)
		if err != nil {
			return Price{}, err
		}
		p.Items = append(p.Items, item)
		p.CancellationPolicy = stricter(p.CancellationPolicy, plan.Policy, n == 0)
		bill.add("room", plan.Name, rat(item.Total))
	}
	if t.Promo.Percent > 0 {
		bill.add("discount", t.Promo.Code, share(bill.total(), -t.Promo.Percent, whole))
	}
	rooms := bill.total()
	for _, c := range t.Charges {
		if c.BasisPoints > 0 {
			bill.add(c.Kind, c.Description, share(rooms, c.BasisPoints, basisPoints))
		} else {
			each, err := round(t.converted(c.Amount))
			bill.fail(err)
			bill.add(c.Kind, c.Description, share(each, int64(len(wishes)*w.Nights()), 1))
		}
	}
	p.Totals.GrandTotal = bill.total()
	return p, bill.err
}

// Quote is Price with the total in the tenant's own currency.
func (t Tariff) Quote(wishes []Wish, w stay.Window) (Price, error) {
	p, err := t.Price(wishes, w)
	if err != nil || t.FX == nil {
		return p, err
	}
	own := t
	own.Currency, own.FX = t.FX.Base, nil
	same, err := own.Price(wishes, w)
	p.Totals.OwnTotal, p.Totals.OwnCurrency = same.Totals.GrandTotal, own.Currency
	return p, err
}

// plan finds the plan of the n-th wish and whether its people fit into the room.
func (t Tariff) plan(n int, wish Wish) (Plan, error) {
	plan, ok := t.Plans[wish.RatePlan]
	switch {
	case !ok:
		return plan, Refuse(fmt.Sprintf("/items/%d/ratePlanId", n), "known", "The property does not sell this rate plan.")
	case plan.RoomType != wish.RoomType:
		return plan, Refuse(fmt.Sprintf("/items/%d/roomTypeId", n), "known", "The rate plan is not for this room type.")
	case wish.Occupants.Adults+wish.Occupants.Children > plan.MaxOccupancy:
		return plan, Refuse(fmt.Sprintf("/items/%d/occupants", n), "maxOccupancy", "The occupancy exceeds the room's capacity.")
	}
	return plan, nil
}

func (t Tariff) room(plan Plan, wish Wish, w stay.Window) (item PricedItem, err error) {
	item = PricedItem{RoomType: wish.RoomType, RatePlan: wish.RatePlan, Policy: plan.Policy, Nights: make([]PricedNight, 0, w.Nights())}
	week := make([]money.Micro, len(plan.Weekdays)) // converted once: a stay may have a year of nights in twenty rooms
	for day, amount := range plan.Weekdays {
		if week[day], err = round(t.converted(amount)); err != nil {
			return item, err
		}
	}
	for _, d := range w.Dates() {
		amount := week[monday(d)]
		item.Nights = append(item.Nights, PricedNight{d, amount})
		if item.Total, err = item.Total.Plus(amount); err != nil {
			return item, err
		}
	}
	item.NightlyRate = item.Total / money.Micro(len(item.Nights))
	return item, nil
}

func (t Tariff) converted(m money.Micro) *big.Rat {
	if t.FX == nil {
		return rat(m)
	}
	return new(big.Rat).Mul(rat(m), t.FX.exact)
}

// stricter is the policy that stands for a stay of several rooms where only one is shown: the one that is free for the shortest time,
// then the dearer. Each room keeps its own.
func stricter(a, b Policy, first bool) Policy {
	earlier := b.FreeUntilHoursBefore > a.FreeUntilHoursBefore
	dearer := b.FreeUntilHoursBefore == a.FreeUntilHoursBefore && b.PenaltyPercent > a.PenaltyPercent
	if first || earlier || dearer {
		return b
	}
	return a
}

// Refuse is the fault of one member of a request that breaks a rule.
func Refuse(pointer, rule, message string) error {
	return fault.ErrValidation.With(fault.Violation{Pointer: pointer, Rule: rule, Message: message})
}

// A bill adds up lines. Its first error stays.
type bill struct {
	currency money.Currency
	price    *Price
	err      error
}

func (b *bill) add(kind, description string, amount *big.Rat) {
	m, err := round(amount)
	b.fail(err)
	b.price.Lines = append(b.price.Lines, Line{Kind: kind, Description: description, Amount: m})
}

func (b *bill) total() (sum money.Micro) {
	for _, l := range b.price.Lines {
		var err error
		sum, err = sum.Plus(l.Amount)
		b.fail(err)
	}
	return sum
}

func (b *bill) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

func rat(m money.Micro) *big.Rat { return new(big.Rat).SetInt64(int64(m)) }

// share is m × of / in.
func share(m money.Micro, of, in int64) *big.Rat {
	return new(big.Rat).Mul(rat(m), big.NewRat(of, in))
}

// microPerMinor is how many micro units the smallest payable amount has: all currencies of the platform have two decimals.
const microPerMinor = 10_000

// round goes to the nearest minor unit, halves away from zero.
func round(r *big.Rat) (money.Micro, error) {
	minor := new(big.Rat).Quo(r, big.NewRat(microPerMinor, 1))
	half := big.NewRat(int64(r.Sign()), 2)
	minor.Add(minor, half)
	units := new(big.Int).Quo(minor.Num(), minor.Denom()) // Quo cuts off towards zero
	units.Mul(units, big.NewInt(microPerMinor))
	if !units.IsInt64() {
		return 0, errors.Join(errors.New("pricing: round"), money.ErrOverflow)
	}
	return money.Micro(units.Int64()), nil
}
