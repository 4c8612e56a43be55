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

// A Wish is one room to price.
type Wish struct {
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants stay.Occupants `json:"occupants"`
}

// A Price is the price of a stay by night and by line. The lines sum to the grand total.
type Price struct {
	Items              []PricedItem `json:"items"`
	Lines              []Line       `json:"lines"`
	Totals             Totals       `json:"totals"`
	CancellationPolicy Policy       `json:"cancellationPolicy"`
	FX                 *FX          `json:"fxSnapshot,omitzero"` // if the tenant's own currency differs
}

// A PricedItem is the price of one room.
type PricedItem struct {
	RoomType    id.RoomType   `json:"roomTypeId"`
	RatePlan    id.RatePlan   `json:"ratePlanId"`
	Nights      []PricedNight `json:"nights"`
	NightlyRate money.Micro   `json:"nightlyRateMicro"` // average, truncated; for display only
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
	Amount      money.Micro `json:"amountMicro"` // negative for a discount
}

// Totals is the price for the guest, and the same in the tenant's own currency if that differs.
type Totals struct {
	GrandTotal  money.Micro    `json:"grandTotalMicro"`
	Currency    money.Currency `json:"currency"`
	OwnTotal    money.Micro    `json:"inTenantCurrencyMicro,omitzero"`
	OwnCurrency money.Currency `json:"tenantCurrency,omitzero"`
}

// A Policy is the cost of a cancellation and of a no-show: a number of nights, or else a share of the price. Without
// no-show terms, a no-show costs the same as a late cancellation.
type Policy struct {
	Ref                  string `json:"ref"`
	FreeUntilHoursBefore int    `json:"freeUntilHoursBefore"`
	PenaltyPercent       int    `json:"penaltyPercent"`
	PenaltyNights        int    `json:"penaltyNights,omitzero"`
	NoShowPercent        *int   `json:"noShowPercent,omitzero"`
	NoShowNights         int    `json:"noShowNights,omitzero"`
	Description          string `json:"description"`
}

// An FX is an exchange rate at one moment: the price of one unit of base in quote.
type FX struct {
	ID         id.FX          `json:"fxSnapshotId"`
	Base       money.Currency `json:"base"`
	Quote      money.Currency `json:"quote"`
	Rate       float64        `json:"rate"` // for display; conversions use the exact decimal
	Source     string         `json:"source"`
	CapturedAt time.Time      `json:"capturedAt"`

	exact *big.Rat
}

// A Tariff holds all data for prices of stays in one property, as of one moment.
type Tariff struct {
	Today    stay.Date      // at the property
	Currency money.Currency // of the requested price
	FX       *FX            // from the tenant's currency; nil if they are the same
	Plans    map[id.RatePlan]Plan
	Charges  []Charge
	Promo    Promo
}

// A Plan is a rate plan with its price per weekday, Monday first, in the tenant's own currency.
type Plan struct {
	RoomType     id.RoomType
	Name         string // of room type and plan, for the bill
	Rate         string // of the plan alone
	MealPlan     string
	MaxOccupancy int
	Weekdays     []money.Micro
	Policy       Policy
}

// A Charge is a tax, in basis points of the rooms after discount, or a fee per room and night.
type Charge struct {
	Kind        string
	Description string
	BasisPoints int64
	Amount      money.Micro
}

// A Promo is a promotion code and its discount on the rooms.
type Promo struct {
	Code    string
	Percent int64
}

const (
	whole       = 100    // percent
	basisPoints = 10_000 // of one
)

// Price applies the tariff. Each amount is rounded once, to the minor unit, so that it can be paid.
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

// Quote returns Price with the total in the tenant's own currency.
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

// plan returns the plan of the n-th wish, or an error if its occupants do not fit into the room.
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
	week := make([]money.Micro, len(plan.Weekdays)) // convert once: a stay may have 20 rooms and a year of nights
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

// stricter returns the policy to show for a stay of several rooms: the one with the earliest deadline, then the higher
// cost. Each room keeps its own.
func stricter(a, b Policy, first bool) Policy {
	earlier := b.FreeUntilHoursBefore > a.FreeUntilHoursBefore
	dearer := b.FreeUntilHoursBefore == a.FreeUntilHoursBefore && b.PenaltyPercent > a.PenaltyPercent
	if first || earlier || dearer {
		return b
	}
	return a
}

// Refuse returns a validation error for one member of a request.
func Refuse(pointer, rule, message string) error {
	return fault.ErrValidation.With(fault.Violation{Pointer: pointer, Rule: rule, Message: message})
}

// A bill sums lines. It keeps its first error.
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

// share returns m × of / in.
func share(m money.Micro, of, in int64) *big.Rat {
	return new(big.Rat).Mul(rat(m), big.NewRat(of, in))
}

// microPerMinor is the number of micro units in a minor unit. All currencies of the platform have two decimals.
const microPerMinor = 10_000

// round rounds to the nearest minor unit, halves away from zero.
func round(r *big.Rat) (money.Micro, error) {
	minor := new(big.Rat).Quo(r, big.NewRat(microPerMinor, 1))
	half := big.NewRat(int64(r.Sign()), 2)
	minor.Add(minor, half)
	units := new(big.Int).Quo(minor.Num(), minor.Denom()) // Quo truncates towards zero
	units.Mul(units, big.NewInt(microPerMinor))
	if !units.IsInt64() {
		return 0, errors.Join(errors.New("pricing: round"), money.ErrOverflow)
	}
	return money.Micro(units.Int64()), nil
}
