// Package session identifies the visitors of a hotel's site by signed cookies, stores their preferences as hot documents, and
// records their handoffs from the consumer site in a ledger, so that only one session can use a handoff.
//
// # Rules
//
//   - Cookie path and session belong to the name of the hotel in the request: a slug, an id or a domain.
//   - A change of Accept-Language changes the language of a session, unless its guest chose one. Only another browser
//     rotates a session.
//   - A revocation deletes the loyalty context and the hashes of fingerprint and address. Campaign, arrival and draft
//     stay: they identify no person. While the hot store is down, a revocation is not visible.
//   - A call publishes no telemetry if the session has no consent, if the call has DNT or Sec-GPC, or if its draft is
//     marked silent for the sweep. Events of the classes audit and regulated are published in any case.
//   - A session whose document is missing is silent until its guest consents, because the headers of a call cannot
//     tell a refusal from consent.
//   - An arrival names its first draft for good, so that handoffs and drafts can be joined without events.
package session
