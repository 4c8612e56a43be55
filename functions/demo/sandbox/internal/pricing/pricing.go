package pricing

import (
	"errors"
	"fmt"
	"math/big"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
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

// A Price is the price of a stay by room and by line. The totals of the rooms and the extras sum to the grand total, and so do the
// lines.
type Price struct {
	Items              []PricedItem `json:"items"`
	Extras             []Line       `json:"extras,omitempty"` // that belong to no room
	Lines              []Line       `json:"lines"`
	Totals             Totals       `json:"totals"`
	CancellationPolicy Policy       `json:"cancellationPolicy"`
	FX                 *FX          `json:"fxSnapshot,omitzero"` // if the tenant's own currency differs
}

// A PricedItem is the price of one room: the sum of its nights and extras.
type PricedItem struct {
	RoomType    id.RoomType   `json:"roomTypeId"`
	RatePlan    id.RatePlan   `json:"ratePlanId"`
	Nights      []PricedNight `json:"nights"`
	Extras      []Line        `json:"extras,omitempty"` // that belong to no night
	NightlyRate money.Micro   `json:"nightlyRateMicro"` // average of the nights' rooms, truncated; for display only
	Total       money.Micro   `json:"totalMicro"`
	Policy      Policy        `json:"cancellationPolicy"`
}

// A PricedNight is the price of one room for one night. It depends on the room, the rate, the date, the promotion code and the
// currency only.
type PricedNight struct {
	Date   stay.Date   `json:"date"`
	Amount money.Micro `json:"amountMicro"` // with the taxes and fees of the night
	Room   money.Micro `json:"roomMicro"`   // the part of it for the room, after discount
}

// A Line is one part of a price.
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
	Today    stay.Date      // at the property: the first night on sale
	Business stay.Date      // of the property: the first night that Quote prices; yesterday until the night's guests have arrived
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

// A Charge is a tax, in basis points of each night's room after discount, or a fee.
type Charge struct {
	Kind        string
	Description string
	BasisPoints int64
	Amount      money.Micro
	Per         string // of a fee; empty: PerNight
}

// What a fee is charged for.
const (
	PerNight   = "night"   // each room and night
	PerStay    = "stay"    // each room, whatever its nights
	PerBooking = "booking" // all rooms together
)

// A Promo is a promotion code and its discount on the rooms.
type Promo struct {
	Code    string
	Percent int64
}

const (
	whole       = 100    // percent
	basisPoints = 10_000 // of one
)

// Price applies the tariff. Each amount of a night and each extra is rounded once, to the minor unit, so that it can be paid. All
// other amounts are sums of these, so that everything adds up.
func (t Tariff) Price(wishes []Wish, w stay.Window) (Price, error) {
	if w.Start.Before(t.Today) {
		return Price{}, standin.Refuse("/stayWindow/start", "future", "The stay begins in the past.")
	}
	p := Price{FX: t.FX, Totals: Totals{Currency: t.Currency}}
	b := newBill(t)
	for n, wish := range wishes {
		plan, err := t.plan(n, wish)
		if err != nil {
			return Price{}, err
		}
		p.Items = append(p.Items, b.room(plan, wish, w))
		p.CancellationPolicy = stricter(p.CancellationPolicy, plan.Policy, n == 0)
	}
	p.Extras, p.Totals.GrandTotal = b.extras(PerBooking, 0)
	for _, item := range p.Items {
		p.Totals.GrandTotal = b.sum(p.Totals.GrandTotal, item.Total)
	}
	p.Lines = b.lines()
	return p, b.err
}

// Quote returns Price with the total in the tenant's own currency. The stay may begin on the business date, so that the front desk can
// sell the running night after midnight.
func (t Tariff) Quote(wishes []Wish, w stay.Window) (Price, error) {
	t.Today = t.Business
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
		return plan, standin.Refuse(fmt.Sprintf("/items/%d/ratePlanId", n), "known", "The property does not sell this rate plan.")
	case plan.RoomType != wish.RoomType:
		return plan, standin.Refuse(fmt.Sprintf("/items/%d/roomTypeId", n), "known", "The rate plan is not for this room type.")
	case wish.Occupants.Adults+wish.Occupants.Children > plan.MaxOccupancy:
		return plan, standin.Refuse(fmt.Sprintf("/items/%d/occupants", n), "maxOccupancy", "The occupancy exceeds the room's capacity.")
	}
	return plan, nil
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
