// Package sandbox contains small stand-ins for the platform's services that a booking needs. They work, but a production
// deployment omits them and points the upstream URLs at the real services. Each has its own base path:
//
//	tenant     tenants, config                         hotel companies, their status and configuration
//	theme      themes                                  the design of their sites
//	property   properties, rooms, policies, photos     hotels, room types, rooms and house rules
//	search     listings, indexing, search, pins, cells  an index over the hotels of all tenants
//	pricing    rates, tariffs, pricing, bill, previews prices of stays
//	inventory  inventory, reallocation                 free, held and committed rooms
//	lock       keys                                    electronic keys of rooms
//	payment    intents, methods, transactions, refunds and the checkout page (pages)
//	iam        revocations, staff                      revoked sessions, tokens of hotels' staff and their keys
//
// The function showdocs is not a stand-in: it serves the documentation for developers at /docs.
//
// Inventory. Calls are idempotent by allocation id: a repetition gets the same answer.
//
//	         ┌─ no room ─→ refused
//	hold ────┤
//	         └─→ held ── commit before expires_at ──→ committed ── release ──→ released
//	              ├── release ───────────────────────────────────────────────────↑
//	              └── another hold replaces it ──────────────────────────────────↑
//	reallocate ── no room ─→ refused, else ─→ committed, and its releases ─→ released
//
// An expired allocation occupies no room and can never be committed. That needs no write: every reader compares expires_at
// with the database's clock.
//
// Payment. An intent is opened for a reservation, which has at most one live intent.
//
//	requires_payment: on the checkout page
//	requires_action: on the hotel's page, which has the client secret (3-D Secure), or on the guest's phone (mfs)
//	       │  ├── paid ──→ captured (then refunded, in parts or whole)
//	       │  ├── approved, and the bank answers later ──→ processing
//	       │  └── declined, up to four times: stays
//	       ├── declined a fifth time, expired, cancelled ──→ failed
//	       └── another method is chosen ──→ superseded
//	processing ── captured by the bank ──→ captured
//	processing ── declined by the bank ──→ requires_payment or requires_action; the fifth time ──→ failed
//	processing ── expired ──→ failed; it can be neither cancelled nor superseded, because its money may still come
//	pending_cash ── collected ──→ captured
//	pending_cash ── cancelled ──→ failed, ── another method ──→ superseded
//
// Lock. A key is issued, or fails if its lock is offline; its event tells which. Either can be revoked, also before the request
// for it arrives. A revoked key is never issued again.
//
// Search. One index covers the hotels of all tenants. The transaction that changes a hotel also updates the index and
// publishes search_aggregation.listing.indexed. Values that change by the minute (taken rooms, suspensions, clicks) are not
// in the index but read from their tables, so a hotel that is found can be booked at that moment, at the price shown.
//
// The sandbox never sells a room twice, never captures an intent twice, never refunds more than was captured, and decides
// expiry only by the database's clock.
//
// # Rules
//
//   - Pricing rounds each amount of a night once, and all totals are sums of them, so a night costs the same in every
//     stay. A fee is charged per night, per room and stay, or once per booking.
//   - Quotes accept stays from the business date on, so that the front desk can sell the running night. Previews,
//     searches and calendars keep the calendar date.
//   - The sentence of a cancellation policy is composed from its hours and penalty, because a stored sentence can
//     contradict the numbers.
//   - A hold that replaces others counts them as free, and releases them only if it succeeds. Committed, expired and
//     unknown allocations are ignored. The caller is trusted with allocations of the property.
//   - A refusal to reallocate is stored under the new ids, so that a late repetition cannot succeed after the caller
//     has given up.
//   - Similar hotels are those of the same city where the stay is possible: nearest in stars, then in price. If the
//     hotel is sold out, the cheapest come first.
//   - Bookings of the last 24 hours count for the popularity of a hotel unless they were cancelled; a cancellation of
//     an older one does not lower the number.
//   - Deployed as a demo, the service ignores the scenario of an event function, because Pub/Sub delivers its events.
//   - Views of a hotel are sessions that clicked on it, stored as a hash of hotel and session. A number below 3 is
//     not shown, because it would say much about single guests.
package sandbox
