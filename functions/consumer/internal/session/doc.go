// Package session has the sessions of anonymous travellers and what the service stores for them: preferences, wishlist, viewed
// hotels, searches and telemetry. It also declares and publishes the events of the service.
//
// # Lifetime
//
// A [Session] represents one anonymous visitor over several weeks:
//
//	            first answer          any call              30 days unseen
//	(no session) ──────────▶ active ─────────▶ active ───────────────────▶ expired
//	                           │  └─ another browser ─▶ rotated ─▶ active, with a new id
//	                           └─ clear ─▶ purged
//
// The session's mirror row in SQL is authoritative for its lifetime, its preferences and its consents. The hot document
// repeats these, so most calls read only the document, and adds the last 50 viewed hotels and 25 searches. If the document is
// lost, only those lists are lost. If a document outlives its row, the next writer deletes it ([Sessions.Change]). No other
// hot document contains a session id.
//
// The cookie carries the session id with a signature, so an id from telemetry gives no access.
//
// # Consent
//
// Only [Publisher] and [Telemetry] check consent. If a session starts with DNT: 1 or Sec-GPC: 1, or withdraws consent to
// telemetry later, no further events or telemetry are recorded for it. Two subjects are published regardless of consent,
// because they are evidence: handoff.initiated and bot_suspected.
//
// # Data minimization
//
// The note on a wish is stored in the wishlist only. Page addresses are stored as origin and path, with "*" in place of each
// segment that is neither a word nor an id. Funnel steps contain numbers and enumerated words only. A campaign that contains
// an e-mail address, a phone number or a card number is discarded. Search text is never published in an event.
//
// # Erasure
//
// [Sessions.Clear] deletes the row, the wishlist, page views, steps, stored idempotent answers and documents of a session and
// of all sessions that it was rotated from.
//
// Three things remain: published events (consumers can erase them by session id), the handoff ledger and the bot scores; the
// last two are evidence and are kept for a year. They contain a synthetic id and hashes of browser data, and cannot be linked
// to a person.
package session
