// Package marketplace serves the demo site of all hotels, rendered on the server on top of the consumer service, without scripts.
//
//	start ── findhotels ─→ results ─→ hotel ── sendguest ─→ the hotel's own site
//	  └── saved and viewed hotels ──────↑↓ savehotel
//
// The site has no tables. It calls only routes of the consumer service that a guest's browser could call, with that guest's
// cookie only. The consumer service alone knows the guest's visit: language, currency, saved hotels and consent.
package marketplace
