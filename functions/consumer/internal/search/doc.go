// Package search finds hotels of all tenants and composes the answers about them: lists ([Searches.List]), maps
// ([Searches.Map]), detail pages ([Hotels.Detail]), offers ([Hotels.Vacancy]) and cards of remembered hotels ([Searches.Cards]).
//
// # Composition
//
// [Listings], [Prices], [Brands], [Properties] and [Tenants] are the clients of the search, pricing, theme, property and
// tenant services, each with a cache. [Selections], [Popularity] and [Destinations] are clients of the search service too: for
// listings without a query, for the demand for a hotel, and for suggestions. An answer asks them concurrently and ends before the request's deadline. If an optional
// part such as prices is missing, the answer is returned without it and names it (see [Composition]). If the hotels
// themselves are missing, the request fails.
//
// # Changes
//
// An [Invalidator] records what events report: an indexed hotel, a published theme, a suspended or reinstated tenant. The
// changes of the last minutes are in a few shared documents. An answer reads them in one round trip and does not use cached
// values from before a change.
package search
