// Package hotel reads the public content of a tenant and its properties from other services, and caches it: settings, theme, house
// rules, room types, and the rooms and prices of a stay. It stores nothing of its own. If a service is unavailable, cached content
// is served as stale within a bound (stale-if-error).
package hotel
