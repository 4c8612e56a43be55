// Package handoff implements the signed, single-use token with which the consumer site sends a guest to a hotel's own site.
//
// A Token is "v1.", the canonical string in base64url, ".", and its HMAC-SHA256 in base64url. Keys mint and verify tokens; the
// handoff ledger of the receiving site enforces single use. The campaign is a separate, unsigned part of the link.
// testdata/vectors.json has examples for other implementations.
package handoff

import (
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// Lifetime is the exact lifetime of every handoff.
const Lifetime = 30 * time.Minute

// A Handoff is a guest's selection on the consumer site, and the site where the guest continues.
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

// Dates are the arrival and departure days of the stay.
type Dates struct {
	CheckIn  stay.Date `json:"checkIn"`
	CheckOut stay.Date `json:"checkOut"`
}

// Validate returns an error if the dates are not a valid stay.
func (d Dates) Validate() error { return stay.Window{Start: d.CheckIn, End: d.CheckOut}.Validate() }

// Occupancy is the number of people and rooms.
type Occupancy struct {
	Adults   int `json:"adults"`
	Children int `json:"children"`
	Rooms    int `json:"rooms"`
}

// maxRooms is the maximum number of rooms of one handoff.
const maxRooms = 100

// ErrRooms may be shown to callers.
var ErrRooms = errors.New("the number of rooms is not possible")

// Validate returns an error if there is no adult or no room, or if a number is too large.
func (o Occupancy) Validate() error {
	if err := (stay.Occupants{Adults: o.Adults, Children: o.Children}).Validate(); err != nil {
		return err
	}
	if o.Rooms < 1 || o.Rooms > maxRooms {
		return ErrRooms
	}
	return nil
}

// Expired reports whether now is after the handoff's expiry; the instant of the expiry is still valid.
func (h Handoff) Expired(now time.Time) bool { return now.After(h.ExpiresAt) }

// Errors of an invalid handoff, signed or not. They are for the log and contain no values.
var (
	errLifetime = errors.New("handoff: does not last exactly its lifetime")
	errNoID     = errors.New("handoff: an id is missing")
)

// validate checks the rules for every handoff.
func (h Handoff) validate() error {
	switch {
	case h.ID.IsZero(), h.GuestSession.IsZero(), h.Tenant.IsZero(), h.Property.IsZero():
		return errNoID
	case h.ExpiresAt.Sub(h.MintedAt) != Lifetime:
		return errLifetime
	}
	return errors.Join(h.Dates.Validate(), h.Occupancy.Validate())
}
