// Package sandbox contains small stand-ins for the platform's services that a booking needs. They work, but a production
// deployment omits them and points the upstream URLs at the real services. Each has its own base path:
//
//	tenant, theme, property  internal/directory  hotel companies, the design of their sites, their hotels
//	search                   internal/search     an index over the hotels of all tenants
//	pricing                  internal/pricing    prices of stays
//	inventory                internal/inventory  free, held and committed rooms
//	lock                     internal/lock       electronic keys of rooms
//	payment                  internal/payment    intents, refunds and the checkout page
//	iam                      internal/iam        revoked sessions, tokens of hotels' staff and their keys
//	challenge                internal/challenge  a captcha
//
// The function showdocs is not a stand-in: it serves the documentation for developers at /docs.
//
// The sandbox never sells a room twice, never captures an intent twice, never refunds more than was captured, and decides
// expiry only by the database's clock.
//
// Deployed as a demo, the service ignores the scenario of an event function, because Pub/Sub delivers its events.
package sandbox
