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
// lost, only those lists are lost. If a document outlives its row, the next writer deletes it ([Sessions.Change]).
//
// A [SearchSession] is a hot document of one query, for one hour. It contains the session id, and the search history of the session
// names it, so the end of the session deletes both. No other hot document contains a session id.
//
// The cookie carries the session id with a signature, so an id from telemetry gives no access.
//
// # Consent
//
// Only [Publisher] checks consent. It reads the consent of the row in the transaction that publishes, because a document that could
// not be written may still contain a withdrawn consent. A session that starts or is rotated with DNT: 1 or Sec-GPC: 1 has no consent to
// telemetry. The headers also silence each later call that has them. Two subjects are published regardless of consent, because they are
// evidence: handoff.initiated and bot_suspected.
//
// # Data minimization
//
// The note on a wish is stored in the wishlist only. Page addresses are stored as origin and path, with "*" in place of each
// segment that is neither a word nor an id. Funnel steps contain numbers and enumerated words only. A campaign that contains
// an e-mail address, a phone number or a card number is discarded. Search text is never published in an event.
//
// # Erasure
//
// [Sessions.Clear] deletes the row, the wishlist, stored idempotent answers and documents of a session and of all sessions that
// it was rotated from.
//
// It also requests the [Erasure] of each of them. The job erase deletes their events from the outbox and from the analytics
// warehouse, and writes a receipt ([Erasures]).
//
// Three things remain for a year as evidence: the handoff ledger, the bot scores, and their events. They contain a synthetic id and
// hashes of browser data, and cannot be linked to a person. The receipt names them.
//
// # Rules
//
//   - A click names a hotel of the tenant that it names, and counts once per session and hotel in an hour. Not
//     published are clicks of programs, of unknown clients and of a session that begins with the click.
//   - The server publishes the steps that it knows, in the transaction of the act, so that a blocked script loses
//     nothing and a forged call invents nothing. From a page such steps are accepted and ignored.
//   - Page views and steps are published and not stored, because this service does not read them. A step with its own event,
//     such as a search, has no funnel.step_reached (decision 290).
//   - The end of a silent session publishes nothing. Its erasure does not depend on the event.
//   - A wishlist is rows, so that a unique key removes duplicates and a wish survives the loss of the hot store.
//   - bot_suspected keeps the name of the specification, although it has no aggregate.
package session
