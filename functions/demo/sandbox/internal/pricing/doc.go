// Package pricing stands in for the pricing service: prices of stays.
//
// # Rules
//
//   - Pricing rounds each amount of a night once, and all totals are sums of them, so a night costs the same in every
//     stay. A fee is charged per night, per room and stay, or once per booking.
//   - Quotes accept stays from the business date on, so that the front desk can sell the running night. Previews,
//     searches and calendars keep the calendar date.
//   - The sentence of a cancellation policy is composed from its hours and penalty, because a stored sentence can
//     contradict the numbers.
package pricing
