package reservation

import (
	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Whole is an answer with the whole reservation, as the caller may see it.
type Whole struct {
	fn.Reply `json:"-"`
	booking.View
}

// Answer returns the reservation with its version as ETag. It is not cached, because staff see who the guest is.
func Answer(status fn.Answer, r *booking.Reservation, p access.Principal) Whole {
	return Whole{status.Version(int64(r.Version)).Cached("no-store"), r.ViewFor(p)}
}
