package booking

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/freetext"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Stay is the range from the arrival to the departure date, local to the property.
type Stay = stay.Window

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
	return oneOf(c, text, Direct, Meta, WalkIn, PhoneByStaff, OTA)
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
	return oneOf(m, text, Card, PayPal, MobileMoney, CashOnArrival)
}

// A Role is the kind of an actor.
type Role string

// The roles.
const (
	Guest  Role = "guest"
	Staff  Role = "staff"
	System Role = "system"
)

// UnmarshalText rejects an unknown role.
func (r *Role) UnmarshalText(text []byte) error { return oneOf(r, text, Guest, Staff, System) }

// An Actor identifies the person or service that acted.
type Actor struct {
	Type Role `json:"type"`
	ID   Name `json:"id"`
}

// A Text is free text of a caller. Decoding scrubs it.
type Text = freetext.Text

// A Name is a caller's own id of a person. Decoding scrubs it.
type Name string

const maxActorName = 200

// UnmarshalText rejects an empty name and a name longer than 200 bytes.
func (n *Name) UnmarshalText(text []byte) error {
	name := freetext.Scrub(string(text))
	if strings.TrimSpace(name) == "" || len(text) > maxActorName {
		return fmt.Errorf("does not have 1 to %d bytes", maxActorName)
	}
	*n = Name(name)
	return nil
}

// A Reference is another system's id of a partner or a folio. Such ids have long numbers, so decoding scrubs it only if it contains
// contact or payment data.
type Reference string

// UnmarshalText rejects what Name rejects.
func (f *Reference) UnmarshalText(text []byte) error {
	var scrubbed Name
	if err := scrubbed.UnmarshalText(text); err != nil {
		return err
	}
	*f = Reference(cmp.Or(attribution.Plain(string(text)), string(scrubbed)))
	return nil
}

// saga returns the actor for actions of this service itself.
func saga() Actor { return Actor{System, "reservation-service"} }

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

// An FX is the exchange rate of a quote.
type FX struct {
	ID         id.FX          `json:"fxSnapshotId,omitzero"`
	Base       money.Currency `json:"base"`
	Quote      money.Currency `json:"quote"`
	Rate       float64        `json:"rate"`
	Source     string         `json:"source"`
	CapturedAt time.Time      `json:"capturedAt"`
}

func oneOf[T ~string](into *T, text []byte, all ...T) error {
	if !slices.Contains(all, T(text)) {
		return fmt.Errorf("is not one of %q", all)
	}
	*into = T(text)
	return nil
}
