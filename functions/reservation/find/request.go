package find

import (
	"fmt"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// A Request contains one of five queries: by code, arrivals at a property or departures from it on a date (without one, on the business date), guests staying at
// a property, or the concerns of a property.
type Request struct {
	Code       fn.Maybe[string]         `query:"code"`
	Arrivals   fn.Maybe[id.Property]    `query:"arrivals"`
	Departures fn.Maybe[id.Property]    `query:"departures"`
	Date       fn.Maybe[stay.Date]      `query:"date"`
	InHouse    fn.Maybe[id.Property]    `query:"inHouse"`
	Attention  fn.Maybe[id.Property]    `query:"attention"`
	Cursor     fn.Maybe[id.Reservation] `query:"cursor"` // nextCursor of the previous page
	Limit      fn.Maybe[int]            `query:"limit"`
}

const (
	defaultLimit = 50
	maxLimit     = 200
)

// Validate requires exactly one complete query and a page size within bounds.
func (r Request) Validate() error {
	asked := 0
	for _, absent := range []bool{r.Code.IsZero(), r.Arrivals.IsZero(), r.Departures.IsZero(), r.InHouse.IsZero(), r.Attention.IsZero()} {
		if !absent {
			asked++
		}
	}
	switch limit := r.Limit.Or(defaultLimit); {
	case asked != 1:
		return fault.ErrValidation.With(fault.Violation{Pointer: "", Rule: "one", Message: "ask by exactly one of code, arrivals, departures, inHouse and attention"})
	case r.Arrivals.IsZero() && r.Departures.IsZero() && !r.Date.IsZero():
		return fault.ErrValidation.With(fault.Violation{Pointer: "/date", Rule: "with", Message: "goes with arrivals or departures"})
	case limit < 1 || limit > maxLimit:
		return fault.ErrValidation.With(fault.Violation{Pointer: "/limit", Rule: "range", Message: fmt.Sprintf("must be 1 to %d", maxLimit)})
	}
	return nil
}
