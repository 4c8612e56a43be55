// Package storefront is the pages of every hotel's own site, for demos: what a hotel's own front end does with the booking
// service, rendered on the server, so that it works without any script. A production deployment leaves it out.
//
//	rooms ── choose ─→ details ── setguest ─→ payment ── pay ─→ the bank ── receiveguest ─→ confirmation
//	  ↑                   │                       │   └─ in cash ──────────────────────────────↑
//	  └──────── leave ────┴───────────────────────┘
//
// Where a booking stands the booking service alone knows: every page asks it, and shows what it says.
//
// It keeps nothing and has no table. It never calls a route of the booking service that a guest's browser could not call, and
// never with anything but that guest's cookie. Only for what was booked at a hotel of which the booking service tells no houses,
// because it is suspended or because they cannot be told, it asks the property service what house and rooms are called.
package storefront
