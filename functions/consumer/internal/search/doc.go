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
// values from before a change. A list depends on the cells of its place (decision 142).
//
// # Rules
//
//   - The dates of a search are days at the property. Filter and order by price compare the average night of one room
//     in main units before taxes, so that hotels in several currencies can be compared.
//   - A hotel without an exchange rate into the visitor's currency has its price in its own currency. Sorted by price
//     it comes last, and a filter by price excludes it.
//   - Beyond 200 hotels each page is a request of its own that excludes the hotels of the first result.
//   - Cache keys have the names of places in lower case and without repeated spaces, while the search service gets
//     the name as typed. Other spellings stay apart, because only that service knows them.
//   - After a change, the key of an answer contains the interval of five seconds of the last change. While a city is
//     indexed again, most searches so stay in the cache, and each change appears after at most five seconds.
//   - A tenant event decides for five minutes (decision 62). A suspension invalidates status, rules and offers of the
//     tenant only. Lists, prices and brands stay cached, and each answer hides the hotels of suspended tenants.
//   - Cards of remembered hotels need one call each to search, pricing and theme, which accept 150 hotels. A card is
//     null if its hotel is gone or the search service fails; without expand=card no service is called.
//   - Parents of H3 cells are computed on the bits of an index, because the H3 library is in C; a test compares them
//     with the library.
//   - The pages of a list are cut from the first result for twelve minutes. Distances are measured from the exact
//     point afterwards, so they may differ from the order, which follows the rounded point.
//   - The box of a map is extended to a grid, so that a map that moves a little has the same answer. The box of a
//     list is searched as it is, because its total comes from the search service.
package search
