// Package handoff is the signed, single-use invitation with which the consumer site sends a guest to one hotel's own site.
//
// It travels as a Token: "v1.", the canonical string in base64url, ".", its HMAC-SHA256 in base64url. Keys know how to
// Mint and Verify one; that it is used only once is decided by whoever keeps a ledger of them. What brought the guest
// (the campaign) travels beside it, unsigned. testdata/vectors.json has examples for implementations elsewhere.
package handoff

import (
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// Lifetime is how long every handoff is good for, no more and no less.
const Lifetime = 30 * time.Minute

// A Handoff is what a guest has chosen on the consumer site, and where that shall go on.
type Handoff struct {
	ID           id.Handoff      `json:"handoffId"`
	GuestSession id.GuestSession `json:"guestSessionId"`
	Tenant       id.Tenant       `json:"tenantId"`
	Property     id.Property     `json:"propertyId"`
	Dates        Dates           `json:"dates"`
	Occupancy    Occupancy       `json:"occupancy"`
	Currency     money.Currency  `json:"currency"`
	Locale       locale.Tag      `json:"locale"`
	MintedAt     time.Time       `json:"mintedAt"`
	ExpiresAt    time.Time       `json:"expiresAt"`
	KeyID        string          `json:"hmacKeyId"`
}

// Dates are the stay as guests name it: the day they come and the day they leave.
type Dates struct {
	CheckIn  stay.Date `json:"checkIn"`
	CheckOut stay.Date `json:"checkOut"`
}

// Validate refuses what is no stay.
func (d Dates) Validate() error { return stay.Window{Start: d.CheckIn, End: d.CheckOut}.Validate() }

// Occupancy is who wants to stay, over all rooms.
type Occupancy struct {
	Adults   int `json:"adults"`
	Children int `json:"children"`
	Rooms    int `json:"rooms"`
}

// maxRooms bounds what one handoff may ask for.
const maxRooms = 100

// ErrRooms may be shown to callers.
var ErrRooms = errors.New("the number of rooms is not possible")

// Validate refuses a stay without an adult or a room, and numbers that nobody can mean.
func (o Occupancy) Validate() error {
	if err := (stay.Occupants{Adults: o.Adults, Children: o.Children}).Validate(); err != nil {
		return err
	}
	if o.Rooms < 1 || o.Rooms > maxRooms {
		return ErrRooms
	}
	return nil
}

// Expired reports whether the handoff is over: it is good up to and including the instant of its expiry.
func (h Handoff) Expired(now time.Time) bool { return now.After(h.ExpiresAt) }

// Why a handoff must not exist, signed or not. These are for the log, and name no value.
var (
	errLifetime = errors.New("handoff: does not last exactly its lifetime")
	errNobody   = errors.New("handoff: an id is missing")
)

// validate is what holds for every handoff, whoever made it.
func (h Handoff) validate() error {
	switch {
	case h.ID.IsZero(), h.GuestSession.IsZero(), h.Tenant.IsZero(), h.Property.IsZero():
		return errNobody
	case h.ExpiresAt.Sub(h.MintedAt) != Lifetime:
		return errLifetime
	}
	return errors.Join(h.Dates.Validate(), h.Occupancy.Validate())
}
