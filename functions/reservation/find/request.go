package find

import (
	"fmt"
	"unicode/utf8"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// A Request contains one of six queries: by code, by what a guest tells the desk of a property, arrivals at a property or departures from
// it on a date (without one, on the business date), guests staying at a property, or the concerns of a property.
type Request struct {
	Code       fn.Maybe[string]         `query:"code"`
	Text       fn.Maybe[string]         `query:"q"`
	Property   fn.Maybe[id.Property]    `query:"propertyId"` // of Text
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

	minText, maxText = 2, 100 // characters of q
)

// Validate requires exactly one complete query and a page size within bounds.
func (r Request) Validate() error {
	asked := 0
	for _, absent := range []bool{r.Code.IsZero(), r.Text.IsZero(), r.Arrivals.IsZero(), r.Departures.IsZero(), r.InHouse.IsZero(), r.Attention.IsZero()} {
		if !absent {
			asked++
		}
	}
	text := utf8.RuneCountInString(r.Text.Or(""))
	switch limit := r.Limit.Or(defaultLimit); {
	case asked != 1:
		return fault.ErrValidation.With(fault.Violation{Pointer: "", Rule: "one", Message: "ask by exactly one of code, q, arrivals, departures, inHouse and attention"})
	case r.Arrivals.IsZero() && r.Departures.IsZero() && !r.Date.IsZero():
		return fault.ErrValidation.With(fault.Violation{Pointer: "/date", Rule: "with", Message: "goes with arrivals or departures"})
	case r.Text.IsZero() != r.Property.IsZero():
		return fault.ErrValidation.With(fault.Violation{Pointer: "/propertyId", Rule: "with", Message: "goes with q"})
	case !r.Text.IsZero() && (text < minText || text > maxText):
		return fault.ErrValidation.With(fault.Violation{Pointer: "/q", Rule: "length", Message: fmt.Sprintf("must be %d to %d characters", minText, maxText)})
	case limit < 1 || limit > maxLimit:
		return fault.ErrValidation.With(fault.Violation{Pointer: "/limit", Rule: "range", Message: fmt.Sprintf("must be 1 to %d", maxLimit)})
	}
	return nil
}
