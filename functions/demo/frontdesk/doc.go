// Package frontdesk serves demo pages for the front desk of a hotel, rendered on the server on top of the reservation service, without
// scripts. A production deployment does not include it: hotels have their own front-desk software.
//
//	login ─→ today ─→ reservation ── checkin, takecash, changestay, checkout, endbooking
//	           │  ↖──────┘    └─→ receipt
//	           ├─→ rack
//	           └─→ walk-in ─→ reservation
//
// Anyone can log in as staff of a demo hotel, and reads what the visitors of the demonstration have typed about themselves, except that
// telephone numbers and e-mail addresses are masked. The session is a cookie with the token of the sandbox's identity service. It ends with
// the token, after eight hours. The reservation service alone decides what the role and the state of a reservation allow: the pages send
// the act and show the refusal as a sentence.
//
// Figures of a cancellation, a no-show and new dates are shown first, by a dry run. Forms that change money carry the version or the
// amount that the page showed.
//
// The service has no tables. With the token it calls only routes of the reservation service and of the sandbox that are open to staff. As
// a service it reads the hotels and their properties, asks for the token, and opens the payment intents of cash.
package frontdesk
