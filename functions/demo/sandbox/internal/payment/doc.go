// Package payment stands in for the payment service: intents, refunds and the addresses of the checkout page.
//
// An intent is opened for a reservation, which has at most one live intent.
//
//	requires_payment: on the checkout page
//	requires_action: on the hotel's page, which has the client secret (3-D Secure), or on the guest's phone (mfs)
//	       │  ├── paid ──→ captured (then refunded, in parts or whole)
//	       │  ├── approved, and the bank answers later ──→ processing
//	       │  └── declined, up to four times: stays
//	       ├── declined a fifth time, expired, cancelled ──→ failed
//	       └── another method is chosen ──→ superseded
//	processing ── captured by the bank ──→ captured
//	processing ── declined by the bank ──→ requires_payment or requires_action; the fifth time ──→ failed
//	processing ── expired ──→ failed; it can be neither cancelled nor superseded, because its money may still come
//	pending_cash ── collected ──→ captured
//	pending_cash ── cancelled ──→ failed, ── another method ──→ superseded
package payment
