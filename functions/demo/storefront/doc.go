// Package storefront serves demo pages of the hotels' own sites, rendered on the server on top of the tenant booking service,
// without scripts. A production deployment does not include it. The pages of the site of all hotels are in internal/marketplace.
//
//	rooms ── choose ─→ details ── setguest ─→ payment ── pay ─→ the bank ── receiveguest ─→ confirmation
//	  ↑                   │                       │   └─ in cash ──────────────────────────────↑
//	  └──────── leave ────┴───────────────────────┘
//
// From the confirmation a guest changes the dates or the guest's details, or asks for something (showchanges, change), cancels
// (showcancellation, cancel), or pays what is still due (paybalance, and receiveguest after the payment page). All show the terms first,
// and the act is rejected if they have become worse.
//
// The booking service alone knows the state of a booking: every page reads it and shows the result.
//
// An error before the visitor is known, for example a malformed address or too many requests, has a page for browsers (Accept:
// text/html) and a problem for other clients.
//
// The service has no tables. It calls only routes of the booking service that a guest's browser could call, with that guest's
// cookie only. There is one exception: for a confirmed booking of a hotel whose properties the booking service does not return,
// for example because the hotel is suspended, it reads the names of the property and its rooms from the property service.
package storefront
