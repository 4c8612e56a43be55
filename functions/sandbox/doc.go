// Package sandbox is the platform's own side: small but real stand-ins for the services that a booking needs. A
// production deployment leaves them out and points the upstream URLs at the real ones. Each has a base path of its own:
//
//	tenant     tenants, config                         who a hotel is, whether it stands, what it has decided
//	theme      themes                                  how its sites look
//	property   properties, policies, photos            what it has and where
//	search     listings, indexing, search, places      which hotels there are, of all tenants
//	pricing    rates, tariffs, pricing, previews       what a stay costs
//	inventory  inventory                               which rooms are free, and whose the others are
//	payment    intents, methods, transactions, refunds and pages, where a guest pays
//	iam        revocations                             whose session has ended
//
// Inventory. An allocation's id names one act for ever; asking again gets the same answer.
//
//	         ┌─ no room ─→ refused
//	hold ────┤
//	         └─→ held ── commit before expires_at ──→ committed ── release ──→ released
//	              └── release ───────────────────────────────────────────────────↑
//
// A held allocation whose time is over takes no room from anybody and can never be committed. That needs no write: every
// reader compares expires_at with the database's clock.
//
// Payment. An intent is opened for a reservation, which has at most one live intent.
//
//	requires_payment ── paid ──→ captured (then refunded, in parts or whole)
//	       │  └── declined, up to four times: stays
//	       ├── declined a fifth time, expired, cancelled ──→ failed
//	       └── another way to pay is chosen ──→ superseded
//	pending_cash ── cancelled ──→ failed, ── another way to pay ──→ superseded
//
// Search. One index over the hotels of all tenants, written in the transaction that makes a hotel another; each time it tells
// search_aggregation.listing.indexed. What changes by the minute (which rooms are taken, who is suspended, what is looked at)
// is not in it but asked where it is kept, so a hotel that is found can be booked at that moment, at the price that it is found by.
//
// It never sells a room twice, never captures an intent twice, never refunds more than it captured, and never decides
// what has expired by any clock but the database's.
package sandbox
