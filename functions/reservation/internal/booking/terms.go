package booking

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/freetext"
)

// A Channel is the sales channel of a booking.
type Channel string

// The channels.
const (
	Direct       Channel = "direct"
	Meta         Channel = "meta"
	WalkIn       Channel = "walk_in"
	PhoneByStaff Channel = "phone_by_staff"
	OTA          Channel = "ota"
)

// UnmarshalText rejects an unknown channel.
func (c *Channel) UnmarshalText(text []byte) error {
	return service.OneOf(c, text, Direct, Meta, WalkIn, PhoneByStaff, OTA)
}

// A Method is a method of payment.
type Method string

// The methods of payment.
const (
	Card          Method = "card"
	PayPal        Method = "paypal"
	MobileMoney   Method = "mfs"
	CashOnArrival Method = "cash_on_arrival"
	Mixed         Method = "mixed" // several intents; no caller may ask for it
)

// UnmarshalText rejects an unknown method.
func (m *Method) UnmarshalText(text []byte) error {
	return service.OneOf(m, text, Card, PayPal, MobileMoney, CashOnArrival)
}

// A Text is free text of a caller. Decoding scrubs it.
type Text = freetext.Text

// MaxReasonLength is the maximum number of characters of a reason.
const MaxReasonLength = 500

// ValidateReason rejects a reason that is too long.
func ValidateReason(reason Text) error {
	if utf8.RuneCountInString(string(reason)) > MaxReasonLength {
		return fmt.Errorf("must be at most %d characters", MaxReasonLength)
	}
	return nil
}

// A Reference is another system's id of a partner or a folio. Such ids have long numbers, so decoding scrubs it only if it contains
// contact or payment data.
type Reference string

// UnmarshalText rejects what Name rejects.
func (f *Reference) UnmarshalText(text []byte) error {
	var scrubbed access.Name
	if err := scrubbed.UnmarshalText(text); err != nil {
		return err
	}
	*f = Reference(cmp.Or(attribution.Plain(string(text)), string(scrubbed)))
	return nil
}

// saga returns the actor for actions of this service itself.
func saga() access.Actor { return access.Actor{Type: access.System, ID: "reservation-service"} }
