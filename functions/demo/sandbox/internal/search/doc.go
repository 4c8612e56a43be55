// Package search stands in for the search service: an index over the hotels of all tenants.
//
// One index covers the hotels of all tenants. The transaction that changes a hotel also updates the index and
// publishes search_aggregation.listing.indexed. Values that change by the minute (taken rooms, suspensions, clicks) are not
// in the index but read from their tables, so a hotel that is found can be booked at that moment, at the price shown.
//
// # Rules
//
//   - Similar hotels are those of the same city where the stay is possible: nearest in stars, then in price. If the
//     hotel is sold out, the cheapest come first.
//   - Bookings of the last 24 hours count for the popularity of a hotel unless they were cancelled; a cancellation of
//     an older one does not lower the number.
//   - Views of a hotel are sessions that clicked on it, stored as a hash of hotel and session. A number below 3 is
//     not shown, because it would say much about single guests.
package search
