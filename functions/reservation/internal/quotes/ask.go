package quotes

import (
	"fmt"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// maxPromoLength limits the promo code passed to pricing.
const maxPromoLength = 64

// An Ask is a request for a price.
type Ask struct {
	Property id.Property       `json:"propertyId"`
	Items    []AskedItem       `json:"items"`
	Stay     stay.Window       `json:"stayWindow"`
	Currency money.Currency    `json:"currency"`
	Locale   locale.Tag        `json:"locale"`
	Promo    string            `json:"promoCode,omitzero"`
	Session  *id.TenantSession `json:"sessionId,omitzero"`
	Draft    *id.Draft         `json:"draftId,omitzero"`
}

// Validate rejects impossible stays, rooms and occupants.
func (a Ask) Validate() error {
	var found []fault.Violation
	if err := a.Stay.Validate(); err != nil {
		found = append(found, fault.Violation{Pointer: "/stayWindow", Rule: "range", Message: err.Error()})
	}
	if n := len(a.Items); n == 0 || n > stay.MaxRooms {
		found = append(found, fault.Violation{Pointer: "/items", Rule: "length", Message: fmt.Sprintf("must list 1 to %d rooms", stay.MaxRooms)})
	}
	if len(a.Promo) > maxPromoLength {
		found = append(found, fault.Violation{Pointer: "/promoCode", Rule: "length", Message: fmt.Sprintf("must not be longer than %d bytes", maxPromoLength)})
	}
	if attribution.Plain(a.Promo) != a.Promo {
		found = append(found, fault.Violation{Pointer: "/promoCode", Rule: "form", Message: "is not a promotional code"})
	}
	for i, item := range a.Items {
		if err := item.Occupants.Validate(); err != nil {
			found = append(found, fault.Violation{Pointer: fmt.Sprintf("/items/%d/occupants", i), Rule: "range", Message: err.Error()})
		}
	}
	if found != nil {
		return fault.ErrValidation.With(found...)
	}
	return nil
}

// Accept returns an error for a price that does not answer the question.
func (a Ask) Accept(p Price) error {
	if err := p.answers(a); err != nil {
		return fault.ErrUpstreamUnavailable.Because(fmt.Errorf("pricing: %w", err))
	}
	return nil
}

// An AskedItem is one requested room.
type AskedItem struct {
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants stay.Occupants `json:"occupants"`
}
