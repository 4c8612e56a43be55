// Package booking stores the drafts of guests on a hotel's site and leads them to confirmed reservations.
//
// A [Draft] is a booking that is not completed yet. It is a state machine with these transitions; every other act returns an
// error and changes nothing:
//
//	quoting ────────────▶ quotes quoting · holds holding · abandons abandoned
//	holding ────────────▶ quotes quoting · sets_guest collecting_details · abandons abandoned
//	collecting_details ─▶ quotes quoting · sets_guest collecting_details · pays paying · abandons abandoned · fails failed
//	paying ─────────────▶ pays paying · confirms confirming · converts confirmed · abandons abandoned · fails failed
//	confirming ─────────▶ confirms confirming · converts confirmed · fails failed
//
// Drafts are rows with optimistic concurrency control: state, version and events change in one transaction. If a draft was
// changed since it was read, saving it fails with a version conflict and the use case runs again ([Again]). Calls to other
// services come first, outside of transactions, under idempotency keys that derive from the act, so that a retry after an
// interrupted attempt repeats no effect.
//
// A draft lapses after 30 minutes without activity, or when its hold expires. The sweep then closes it. If a payment was begun,
// the sweep checks its state first: a guest who closes the tab after paying has a booking.
package booking
