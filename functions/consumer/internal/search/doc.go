// Package search finds hotels of all tenants and composes the answers about them: lists ([Searches.List]), maps
// ([Searches.Map]), detail pages ([Hotels.Detail]) and offers ([Hotels.Vacancy]).
//
// # Composition
//
// [Listings], [Prices], [Brands], [Properties] and [Tenants] are the clients of the search, pricing, theme, property and
// tenant services, each with a cache. An answer asks them concurrently and ends before the request's deadline. If an optional
// part such as prices is missing, the answer is returned without it and names it (see [Composition]). If the hotels
// themselves are missing, the request fails.
//
// # Changes
//
// An [Invalidator] records what events report: an indexed hotel, a published theme, a suspended or reinstated tenant. The
// changes of the last minutes are in a few shared documents. An answer reads them in one round trip and does not use cached
// values from before a change.
package search
