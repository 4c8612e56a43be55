// Package tenantbooking is the BFF of the booking site of one hotel: quotes, holds, guest details, payments and confirmations. It
// is the boundary of the service: [HTTP], [Event], [PlatformEvent], [Invalidation] and [StatusChange] build its functions, and its
// middleware resolves the tenant and the session of a request. The domain is below internal/: hotel (the tenant and its rooms),
// session (visitors and their handoffs), booking (drafts, payments and confirmations), reservation (the client of the
// reservation service) and subject (events).
//
// Rules of this service:
//
//   - It does not decide about rooms or money. The reservation and the payment service do.
//   - It does not trust a browser's claim that a payment was made.
//   - It does not compute prices. It shows quoted amounts, and converts units only if the conversion is exact.
//   - It answers a request for a draft, reservation or hotel of another visitor exactly as for an unknown one.
//   - Its events contain no name, address or telephone number, and it deletes them from a draft that ends.
//
// A valid view token identifies its holder as the guest of that booking, so idempotency keys are looked up without a
// session. Each consumed event advances the epochs of the content that it changes: theme, configuration, prices of a
// property, availability of a month. No event invalidates a confirmation; a change through this service advances an
// epoch of its reservation.
package tenantbooking
