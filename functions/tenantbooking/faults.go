package tenantbooking

import (
	"time"

	"melmastoon.ghasi.io/shared/fault"
)

// suspension is the Retry-After of a suspended tenant. People end a suspension, so it may take days.
const suspension = 5 * time.Minute

// readOnlyRetry is the Retry-After while the site is closed to new bookings.
const readOnlyRetry = time.Minute

// Errors of the middleware, each with a sentence for the guest.
var (
	ErrSuspended = fault.New(fault.Unavailable, "TENANT.SUSPENDED", "This hotel does not accept bookings at the moment.").After(suspension)
	ErrReadOnly  = fault.New(fault.Unavailable, "BFF.TENANT.READ_ONLY", "New bookings are closed for a short time. Bookings in progress can be finished.").After(readOnlyRetry)
	ErrOutdated  = fault.New(fault.Gone, "BFF.TENANT.BOOTSTRAP_STALE", "The hotel changed its settings. Reload the site.")
	ErrNoSession = fault.ErrUnauthenticated.Saying("No session. Load the hotel's site first.").Asking("Cookie")
)
