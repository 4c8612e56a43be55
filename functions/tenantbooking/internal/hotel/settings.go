package hotel

import (
	"time"

	"melmastoon.ghasi.io/shared/stay"
)

// Settings holds a tenant's limits for bookings. A limit of 0 means the default.
type Settings struct {
	HoldTTLSeconds            int `json:"holdTtlSeconds"`
	CancellationPolicyVersion int `json:"cancellationPolicyVersion"`
	MaxStayNights             int `json:"maxStayNights,omitzero"`        // of one booking on the site
	MaxSessionRoomNights      int `json:"maxSessionRoomNights,omitzero"` // held or booked by one guest without payment
	MaxAddressRoomNights      int `json:"maxAddressRoomNights,omitzero"` // the same from one client address
}

// Defaults of a tenant's limits, for anonymous visitors of one hotel.
const (
	maxSessionRoomNights = 60  // held or booked by one guest without payment
	maxAddressRoomNights = 300 // the same from one client address, which may be shared by an office
)

// MaxNights returns the longest stay that can be booked on the hotel's site.
func (s Settings) MaxNights() int { return orDefault(s.MaxStayNights, stay.MaxSiteNights) }

// SessionRoomNights returns the maximum of room nights that one guest may hold or book without payment.
func (s Settings) SessionRoomNights() int {
	return orDefault(s.MaxSessionRoomNights, maxSessionRoomNights)
}

// AddressRoomNights returns the maximum of room nights that may be held or booked from one client address without payment.
func (s Settings) AddressRoomNights() int {
	return orDefault(s.MaxAddressRoomNights, maxAddressRoomNights)
}

// HoldTime returns how long rooms are held.
func (s Settings) HoldTime() time.Duration {
	return time.Duration(orDefault(s.HoldTTLSeconds, int(stay.DefaultHold/time.Second))) * time.Second
}

func orDefault(set, otherwise int) int {
	if set > 0 {
		return set
	}
	return otherwise
}
