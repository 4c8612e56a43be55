// Package consumer is the boundary of the consumer service. The service is for anonymous travellers: they search hotels of
// all tenants, and a handoff takes them to the booking site of a hotel.
//
// The package has what every function of the service needs: [HTTP] and [Event] create functions, and the middleware resolves
// the visitor. The rules and stores are in packages below internal:
//
//   - search finds hotels and composes lists, maps and detail pages. It calls other services and caches their answers.
//   - session has the visitor's session, preferences, wishlist, history and telemetry. It publishes the events.
//   - bots detects programs among the visitors, challenges them and stores their scores.
//   - handoffs signs handoffs and keeps their ledger.
//
// Imports go one way: a function imports this package and the packages below internal, handoffs imports session and search,
// bots imports session, session imports search, and search imports none of them.
//
// # Non-goals
//
//   - The service does not identify people: IP addresses and user agents are stored as hashes only.
//   - It does not show one traveller the session, wishes or searches of another.
//   - It does not decide prices, availability or whether a handoff was used: it shows data of other services.
//   - It does not authorize by tenant: no row of this service belongs to a tenant.
//
// Searches are POST requests: the body names where a guest is, and so is in no access log. Results are cached by the
// function and not by HTTP. Persian without a region is Dari for a visitor in Afghanistan.
package consumer
