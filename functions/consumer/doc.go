// Package consumer lets a traveller who has signed in nowhere look for a hotel across all hotels, and hands them over to the
// hotel's own booking site.
//
// A [Session] is such a visit. Its life:
//
//	         first answer          any call              30 days unseen
//	(nobody) ────────────▶ active ─────────▶ active ───────────────────▶ expired
//	                         │  └─ another browser ─▶ rotated ─▶ active, under another id
//	                         └─ clear ─▶ purged
//
// Whether a session lives, and what its guest chose and agreed to, is its mirror row in SQL. Its hot document repeats that, so
// that most calls ask nobody else, and remembers what was looked at: the last 50 hotels and 25 searches. A lost document costs
// those; a document that outlives its row is taken back by whoever writes it ([Sessions.Change]). Nothing else that is kept in
// hot documents names a session. The cookie says which session it is, signed: an id seen in telemetry opens nothing.
//
// Consent is asked of [Publisher] and [Telemetry] alone. A session that wants no telemetry, which DNT: 1 and Sec-GPC: 1 say at its
// birth, is not told of and not counted from that moment on. Two subjects are told all the same, because they are evidence:
// handoff.initiated and bot_suspected.
//
// What a guest writes stays where it belongs. The note beside a wish is in the wishlist only. Of pages are kept origin and path,
// with "*" for whatever is neither a word nor an id; steps have numbers and words of ours; a campaign that holds an address or a
// number is none. What was typed into a search reaches no event.
//
// [Sessions.Clear] leaves no trace: row, wishlist, page views, steps, kept answers and documents go, of the session and of those
// that it was rotated from. Three things remain: events that were told (their keepers are asked to forget by the session's id),
// the ledger of handoffs and the bot scores, both evidence for a year. They say what was done under a synthetic id, with
// hashes for all that a browser shows of itself; nothing leads from there to a person.
//
// What this service never does:
//
//   - It never knows who somebody is: no address is kept unhashed, no browser by its name.
//   - It never tells one traveller of another's session, wish or search.
//   - It never decides about prices, rooms or whether a handoff was used: it shows what others say.
//   - It never takes a tenant's name in a traveller's row for a right to anything: no row here belongs to a hotel.
package consumer
