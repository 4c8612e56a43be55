package modify

import (
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// A Request is one modification. Which members belong to it depends on its type. With If-Match it applies only to that version of the
// reservation.
type Request struct {
	ID            id.Reservation           `path:"id" json:"-"`
	Match         fn.Maybe[fn.Match]       `header:"If-Match" json:"-"`
	Type          booking.ModificationType `json:"type"`
	Item          *id.Item                 `json:"itemId,omitzero"`
	Occupants     *stay.Occupants          `json:"occupants,omitzero"`
	RoomType      *id.RoomType             `json:"roomTypeId,omitzero"`
	RatePlan      *id.RatePlan             `json:"ratePlanId,omitzero"`
	Room          *id.Room                 `json:"roomId,omitzero"`
	Complimentary bool                     `json:"complimentary,omitzero"`
	Added         *quotes.AskedItem        `json:"item,omitzero"`
	Nightly       *money.Micro             `json:"nightlyRateMicro,omitzero"`
	Channel       booking.Channel          `json:"channel,omitzero"`
	Partner       booking.Reference        `json:"partnerId,omitzero"`
	State         booking.State            `json:"state,omitzero"`
	Reason        booking.Text             `json:"reason,omitzero"`
	DryRun        bool                     `json:"dryRun,omitzero"`
}

// members returns which members are present, by name.
func (r Request) members() map[string]bool {
	return map[string]bool{
		"itemId": r.Item != nil, "occupants": r.Occupants != nil, "roomTypeId": r.RoomType != nil, "ratePlanId": r.RatePlan != nil,
		"roomId": r.Room != nil, "complimentary": r.Complimentary, "item": r.Added != nil, "nightlyRateMicro": r.Nightly != nil,
		"channel": r.Channel != "", "partnerId": r.Partner != "", "state": r.State != "", "reason": r.Reason != "",
	}
}

// A form lists the members that a type requires and allows.
type form struct{ required, optional []string }

var forms = map[booking.ModificationType]form{
	booking.GuestCountChange: {required: []string{"itemId", "occupants"}},
	booking.RoomChange:       {required: []string{"itemId"}, optional: []string{"roomTypeId", "ratePlanId", "roomId", "complimentary"}},
	booking.RoomAdded:        {required: []string{"item"}},
	booking.RoomRemoved:      {required: []string{"itemId"}},
	booking.RateChange:       {required: []string{"itemId", "nightlyRateMicro", "reason"}},
	booking.ChannelCorrected: {required: []string{"channel", "reason"}, optional: []string{"partnerId"}},
	booking.StateOverride:    {required: []string{"state", "reason"}},
}

// Validate rejects an unknown type, members that do not belong to the type, missing ones, and impossible values.
func (r Request) Validate() error {
	want, known := forms[r.Type]
	if !known {
		return invalid("type", "must be a type of modification that this route makes")
	}
	present, allowed := r.members(), map[string]bool{}
	for _, name := range want.required {
		if allowed[name] = true; !present[name] {
			return invalid(name, "is required for this type")
		}
	}
	for _, name := range want.optional {
		allowed[name] = true
	}
	for name, given := range present {
		if given && !allowed[name] {
			return invalid(name, "does not belong to this type")
		}
	}
	return r.values()
}

// values rejects impossible values.
func (r Request) values() error {
	switch {
	case r.Occupants != nil && r.Occupants.Validate() != nil:
		return invalid("occupants", r.Occupants.Validate().Error())
	case r.Added != nil && r.Added.Occupants.Validate() != nil:
		return invalid("item/occupants", r.Added.Occupants.Validate().Error())
	case r.Nightly != nil && *r.Nightly < 0:
		return invalid("nightlyRateMicro", "must not be negative")
	case booking.ValidateReason(r.Reason) != nil:
		return invalid("reason", booking.ValidateReason(r.Reason).Error())
	case r.Type == booking.RoomChange && r.RoomType == nil && r.RatePlan == nil && r.Room == nil:
		return invalid("roomId", "or roomTypeId or ratePlanId is required for this type")
	}
	return nil
}

func invalid(member, message string) error {
	return fault.ErrValidation.With(fault.Violation{Pointer: "/" + member, Rule: "form", Message: message})
}
