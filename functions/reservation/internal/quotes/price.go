package quotes

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Night is the price of one night in one room.
type Night struct {
	Date   stay.Date   `json:"date"`
	Amount money.Micro `json:"amountMicro"` // with taxes and fees
	Room   money.Micro `json:"roomMicro"`   // the part of Amount that is the room at its rate
}

// A PricedItem is one room with its price.
type PricedItem struct {
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants stay.Occupants `json:"occupants"`
	Nights    []Night        `json:"nights"`
	Extras    []Line         `json:"extras,omitempty"`            // what belongs to no night
	Nightly   money.Micro    `json:"nightlyRateMicro"`            // of the room alone, on average
	Total     money.Micro    `json:"totalMicro"`                  // of Nights and Extras
	Policy    *Policy        `json:"cancellationPolicy,omitzero"` // in a Price: absent if the policy of the Price applies
}

// A Line is one line of the bill, as shown to the guest.
type Line struct {
	Kind        string      `json:"kind"`
	Description string      `json:"description"`
	Amount      money.Micro `json:"amountMicro"`
}

// A Price is the pricing service's answer to an Ask.
type Price struct {
	Items      []PricedItem `json:"items"`
	Extras     []Line       `json:"extras"` // what belongs to no room
	Lines      []Line       `json:"lines"`  // the bill, as shown to the guest
	Totals     PriceTotals  `json:"totals"`
	Policy     Policy       `json:"cancellationPolicy"`
	FX         *FX          `json:"fxSnapshot"`
	ValidUntil time.Time    `json:"validUntil"`
}

// Totals is the total price of a stay.
type Totals struct {
	Grand    money.Micro    `json:"grandTotalMicro"`
	Currency money.Currency `json:"currency"`
}

// PriceTotals is the total price of a stay, also in the tenant's own currency.
type PriceTotals struct {
	Totals
	Own
}

// Own is a total in the tenant's own currency. It is absent if that is the currency of the price.
type Own struct {
	OwnTotal    *money.Micro    `json:"inTenantCurrencyMicro,omitzero" db:"own_total_micro"`
	OwnCurrency *money.Currency `json:"tenantCurrency,omitzero" db:"own_currency"`
}

// answers returns an error if the price does not match the ask, or would violate the schema of a later event: captured
// money could then not be refunded.
func (p Price) answers(a Ask) error {
	switch {
	case len(p.Items) != len(a.Items):
		return fmt.Errorf("%d items for %d", len(p.Items), len(a.Items))
	case p.Totals.Currency != a.Currency:
		return fmt.Errorf("%s for %s", p.Totals.Currency, a.Currency)
	case p.Totals.Grand < 0:
		return fmt.Errorf("a total of %d", p.Totals.Grand)
	case p.FX != nil && (p.FX.Rate <= 0 || p.FX.Source == "" || p.FX.Base == "" || p.FX.Quote == ""):
		return fmt.Errorf("an incomplete FX snapshot %s", p.FX.ID)
	case (p.Totals.OwnTotal == nil) != (p.Totals.OwnCurrency == nil), p.Totals.OwnTotal != nil && *p.Totals.OwnTotal < 0:
		return errors.New("an incomplete total in the tenant's currency")
	}
	for i, item := range p.Items {
		if item.RoomType != a.Items[i].RoomType || item.RatePlan != a.Items[i].RatePlan {
			return fmt.Errorf("item %d is for another room or rate", i)
		}
		if err := item.adds(a.Stay); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		if item.Policy == nil {
			continue
		}
		if err := item.Policy.validate(); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	if err := p.Policy.validate(); err != nil {
		return err
	}
	return p.adds()
}

// adds returns an error unless the item has exactly the nights of the stay, and they sum with its extras to its total.
func (i PricedItem) adds(s stay.Window) error {
	dates := s.Dates()
	if len(i.Nights) != len(dates) {
		return fmt.Errorf("%d nights for a stay of %d", len(i.Nights), len(dates))
	}
	amounts := make([]money.Micro, 0, len(dates)+len(i.Extras))
	for n, night := range i.Nights {
		if night.Date != dates[n] {
			return fmt.Errorf("night %d is %s instead of %s", n, night.Date, dates[n])
		}
		if night.Amount < 0 || night.Room < 0 || night.Room > night.Amount {
			return fmt.Errorf("the night of %s costs %d, of that %d for the room", night.Date, night.Amount, night.Room)
		}
		amounts = append(amounts, night.Amount)
	}
	if i.Nightly < 0 || i.Total < 0 {
		return errors.New("a negative price")
	}
	return sums(append(amounts, amountsOf(i.Extras)...), i.Total)
}

// adds returns an error unless the lines sum to the grand total, and the rooms with the extras too.
func (p Price) adds() error {
	rooms := amountsOf(p.Extras)
	for _, item := range p.Items {
		rooms = append(rooms, item.Total)
	}
	return cmp.Or(sums(amountsOf(p.Lines), p.Totals.Grand), sums(rooms, p.Totals.Grand))
}

func amountsOf(lines []Line) (all []money.Micro) {
	for _, l := range lines {
		all = append(all, l.Amount)
	}
	return all
}

// sums returns an error unless the amounts sum to the total.
func sums(amounts []money.Micro, total money.Micro) error {
	var sum money.Micro
	for _, amount := range amounts {
		var err error
		if sum, err = sum.Plus(amount); err != nil {
			return err
		}
	}
	if sum != total {
		return fmt.Errorf("amounts of %d for a total of %d", sum, total)
	}
	return nil
}

// An FX is the exchange rate of a quote.
type FX struct {
	ID         id.FX          `json:"fxSnapshotId,omitzero"`
	Base       money.Currency `json:"base"`
	Quote      money.Currency `json:"quote"`
	Rate       float64        `json:"rate"`
	Source     string         `json:"source"`
	CapturedAt time.Time      `json:"capturedAt"`
}

// SumNights returns the sum of nights.
func SumNights(nights []Night) (sum money.Micro) {
	for _, n := range nights {
		sum += n.Amount
	}
	return sum
}

// SumLines returns the sum of lines.
func SumLines(lines []Line) (sum money.Micro) {
	for _, l := range lines {
		sum += l.Amount
	}
	return sum
}

// NightsFrom returns the nights on a date and later.
func NightsFrom(nights []Night, from stay.Date) (all []Night) {
	for _, n := range nights {
		if !n.Date.Before(from) {
			all = append(all, n)
		}
	}
	return all
}
