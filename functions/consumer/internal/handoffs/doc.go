// Package handoffs creates handoffs: signed, single-use links from this site to a hotel's own booking site.
//
// [Destinations] checks that the hotel exists and takes bookings. [Minter] signs the guest's [Choice] and records it in the
// [Ledger], together with its event. [Site] builds the link.
//
// The hotel's site decides whether a handoff is consumed. The ledger records what its events report.
package handoffs
