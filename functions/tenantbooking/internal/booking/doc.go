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
// Drafts are rows only (decision 35) with optimistic concurrency control: state, version and events change in one transaction. If
// a draft was changed since it was read, saving it fails with a version conflict and the use case runs again ([Again]). Calls to
// other services come first, outside of transactions, under idempotency keys that derive from the act, so that a retry after an
// interrupted attempt repeats no effect.
//
// A draft lapses after 30 minutes without activity, or when its hold expires. The sweep then closes it. If a payment was begun,
// the sweep checks its state first: a guest who closes the tab after paying has a booking.
//
// # Rules
//
//   - A draft that has ended stays readable for 24 hours, without the guest's details, so that its page can explain
//     the outcome.
//   - The ETag of a draft is the version of its last transition. Notes of errors and checks by the sweep increment
//     the version of the row only, so that they cause no conflict in the browser.
//   - The session names its active draft, and the draft's row decides whether it is still active. A call clears only
//     the draft that it has read, not a newer one. If the check fails, bootstrap is degraded.
//   - The idempotency key of a hold derives from its quote. That of a quote includes currency and language, because a
//     repeated request may arrive when those of the session are known again.
//   - Leaving a draft releases its rooms, also after the hold has expired. A later capture is refunded.
//   - While a payment is processing, another method is rejected: the money may still be captured. A promise of cash
//     that is pending is kept too, because otherwise the desk could not collect the cash.
//   - draft.converted names the payment that the reservation lists, not the last one of the draft. totalCapturedMinor
//     is 0 for cash; totalMinor is the value of the booking.
//   - Refusals publishes no error of malformed input, idempotency conflicts, foreign origins, rate-limited calls,
//     unknown hotels and calls without a session. It has 25 ms after the deadline of a call, and its failure never
//     fails the call.
//   - The row of booking_owners names the session that booked, until 30 days after the stay, as long as the view
//     token is valid. Each time the guest opens the booking, it takes the changed end of the stay. A payment of the
//     balance is published with the draft of the owner; a booking of the front desk has no draft, so it publishes no
//     such event.
//   - A return link begins with its expiry and method and is verified before anything is read, because errors of a
//     call are written into the draft that it has read. In another browser it shows the state of the payment only;
//     with a completed booking it returns the view token.
//   - Each problem of a draft has its flowState, so that a guest who has paid is not told to book again.
package booking
