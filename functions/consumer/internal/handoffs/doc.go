// Package handoffs creates handoffs: signed, single-use links from this site to a hotel's own booking site.
//
// [Destinations] checks that the hotel exists and takes bookings. [Minter] signs the guest's [Choice] and records it in the
// [Ledger], together with its event. [Site] builds the link.
//
// The hotel's site decides whether a handoff is consumed. The ledger records what its events report.
//
// # Rules
//
//   - The link leads to the domain of the hotel, else to its host below ours, or to its path on a shared host. It
//     names the languages and currencies of this site; the hotel's site shows those of them that it supports.
//   - The hint of a handoff on a detail page is a URL and a lifetime. It grants nothing, so the page may be cached.
//   - The row of the ledger is written before the guest gets the token. An event about a handoff without a row is
//     therefore a fault and is dead-lettered.
package handoffs
