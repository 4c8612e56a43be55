// Package booking stores the drafts of guests on a hotel's site and leads them to confirmed reservations.
//
// A [Draft] is a booking that is not completed yet. It is a state machine with these transitions; every other act returns an
// error and changes nothing:
//
//	quoting ────────────▶ asks quoting · keeps holding · abandons abandoned
//	holding ────────────▶ asks quoting · names collecting_details · abandons abandoned
//	collecting_details ─▶ asks quoting · names collecting_details · pays paying · abandons abandoned · fails failed
//	paying ─────────────▶ pays paying · settles confirming · converts confirmed · abandons abandoned · fails failed
//	confirming ─────────▶ settles confirming · converts confirmed · fails failed
//
// Drafts are rows with optimistic concurrency control: state, version and events change in one transaction. If a draft was
// changed since it was read, saving it fails with a version conflict and the use case runs again ([Again]). Calls to other
// services come first, outside of transactions, under idempotency keys that derive from the act, so that a retry after an
// interrupted attempt repeats no effect.
//
// A draft lapses after 30 minutes without activity, or when its hold expires. The sweep then closes it. If a payment was begun,
// the sweep checks its state first: a guest who closes the tab after paying has a booking.
package booking
