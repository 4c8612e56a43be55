package quotes

import (
	"errors"
	"fmt"

	"melmastoon.ghasi.io/shared/money"
)

// A Policy is a cancellation policy as of the quote: the cost of a late cancellation or a no-show, as a number of
// nights or a share of the price. Without no-show terms, a no-show costs the same as a late cancellation.
type Policy struct {
	Ref            string `json:"ref"`
	FreeUntil      int    `json:"freeUntilHoursBefore"`
	PenaltyPercent int    `json:"penaltyPercent"`
	PenaltyNights  int    `json:"penaltyNights,omitzero"` // replaces the percentage
	NoShowPercent  *int   `json:"noShowPercent,omitzero"`
	NoShowNights   int    `json:"noShowNights,omitzero"` // replaces the percentage
	Description    string `json:"description"`
}

// maxFreeUntil is ten years in hours. Much larger values overflow time.Duration and would move the deadline after the
// arrival.
const maxFreeUntil = 10 * 366 * 24

// validate returns an error if no cancellation could reference or apply the policy.
func (p Policy) validate() error {
	percent := func(n int) bool { return n >= 0 && n <= 100 }
	switch {
	case p.Ref == "":
		return errors.New("a policy without ref")
	case p.FreeUntil < 0 || p.PenaltyNights < 0 || p.NoShowNights < 0:
		return fmt.Errorf("policy %s has a negative number", p.Ref)
	case p.FreeUntil > maxFreeUntil:
		return fmt.Errorf("policy %s is free until %d hours before", p.Ref, p.FreeUntil)
	case !percent(p.PenaltyPercent), p.NoShowPercent != nil && !percent(*p.NoShowPercent):
		return fmt.Errorf("policy %s has a share that is no percentage", p.Ref)
	}
	return nil
}

// Late returns what a late cancellation of nights and fees costs.
func (p Policy) Late(nights []Night, fees, unit money.Micro) money.Micro {
	return cost(p.PenaltyNights, p.PenaltyPercent, nights, fees, unit)
}

// NoShow returns what nights and fees cost a guest who does not come.
func (p Policy) NoShow(nights []Night, fees, unit money.Micro) money.Micro {
	if p.NoShowNights == 0 && p.NoShowPercent == nil {
		return p.Late(nights, fees, unit)
	}
	percent := 0
	if p.NoShowPercent != nil {
		percent = *p.NoShowPercent
	}
	return cost(p.NoShowNights, percent, nights, fees, unit)
}

// cost returns the price of the first nights, or if that number is 0, a percentage of all nights and fees, rounded down to the unit.
func cost(first, percent int, nights []Night, fees, unit money.Micro) money.Micro {
	if first > 0 {
		return SumNights(nights[:min(first, len(nights))])
	}
	return (SumNights(nights) + fees) / unit * money.Micro(percent) / 100 * unit
}
