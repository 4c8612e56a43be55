// Package hotel reads the public content of a tenant and its properties from other services, and caches it: settings, theme, house
// rules, room types, and the rooms and prices of a stay. It stores nothing of its own. If a service is unavailable, cached content
// is served as stale within a bound (stale-if-error).
//
// Theme, policies and configuration of a bootstrap are cached separately (decision 41), and a degraded composition is never
// cached. The version of the bootstrap protects prices and choices: a changed tagline or theme rejects no guest.
package hotel
