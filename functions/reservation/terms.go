package reservation

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Stay is from one property-local date to another, the last one not slept.
type Stay = stay.Window

// A Channel is how a booking came in.
type Channel string

// The channels.
const (
	Direct       Channel = "direct"
	Meta         Channel = "meta"
	WalkIn       Channel = "walk_in"
	PhoneByStaff Channel = "phone_by_staff"
	OTA          Channel = "ota"
)

// UnmarshalText refuses a channel that does not exist.
func (c *Channel) UnmarshalText(text []byte) error {
	return oneOf(c, text, Direct, Meta, WalkIn, PhoneByStaff, OTA)
}

// A Method is how a guest pays.
type Method string

// The methods of payment.
const (
	Card          Method = "card"
	PayPal        Method = "paypal"
	MobileMoney   Method = "mfs"
	CashOnArrival Method = "cash_on_arrival"
)

// UnmarshalText refuses a method that does not exist.
func (m *Method) UnmarshalText(text []byte) error {
	return oneOf(m, text, Card, PayPal, MobileMoney, CashOnArrival)
}

// A Role is in what capacity somebody acts.
type Role string

// The roles.
const (
	Guest  Role = "guest"
	Staff  Role = "staff"
	System Role = "system"
)

// UnmarshalText refuses a role that does not exist.
func (r *Role) UnmarshalText(text []byte) error { return oneOf(r, text, Guest, Staff, System) }

// An Actor is who did something.
type Actor struct {
	Type Role `json:"type"`
	ID   Name `json:"id"`
}

// A Name is a caller's own id of a person or a partner. Decoding scrubs it.
type Name string

const maxRoomTypeName = 200

// UnmarshalText rejects an empty name and a long one.
func (n *Name) UnmarshalText(text []byte) error {
	name := scrub(string(text))
	if strings.TrimSpace(name) == "" || len(text) > maxRoomTypeName {
		return fmt.Errorf("does not have 1 to %d bytes", maxRoomTypeName)
	}
	*n = Name(name)
	return nil
}

// saga is this service acting on what its neighbours tell it.
func saga() Actor { return Actor{System, "reservation-service"} }

// A Policy is what cancelling or not arriving costs, as it stood when the price was quoted: a number of nights or a share of the price.
// Where it names no cost of a no-show, that costs what a late cancellation does.
type Policy struct {
	Ref            string `json:"ref"`
	FreeUntil      int    `json:"freeUntilHoursBefore"`
	PenaltyPercent int    `json:"penaltyPercent"`
	PenaltyNights  int    `json:"penaltyNights,omitzero"` // in place of the percentage
	NoShowPercent  *int   `json:"noShowPercent,omitzero"`
	NoShowNights   int    `json:"noShowNights,omitzero"` // in place of the percentage
	Description    string `json:"description"`
}

// maxFreeUntil is ten years, in hours. Many more do not fit into a duration, and the deadline would be after the arrival.
const maxFreeUntil = 10 * 366 * 24

// validate returns an error for a policy that no cancellation could name or apply.
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

// late is the share of the price of so many nights that a late cancellation costs.
func (p Policy) late(nights int) *big.Rat {
	if p.PenaltyNights > 0 {
		return big.NewRat(int64(min(p.PenaltyNights, nights)), int64(nights))
	}
	return big.NewRat(int64(min(max(p.PenaltyPercent, 0), 100)), 100) // quotes that are older than validate
}

// An FX is the exchange rate that a quote was made with.
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

// at gives a time the precision that it has in every answer and event.
func at(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
