package booking

import (
	"context"

	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/id"
)

// Upstreams are the services that the use cases call. Package platform has their clients.
type Upstreams struct {
	Inventory Inventory
	Payments  Payments
	Locks     Locks
	Rooms     func(context.Context, id.Tenant, id.Property) ([]Room, error)
	quotes.Sources
}

// Inventory alone counts rooms. All calls are idempotent by their allocation ids.
type Inventory interface {
	Hold(context.Context, *Reservation, Hold) (HoldResult, error)
	Commit(context.Context, *Reservation, Hold) error
	Reallocate(context.Context, *Reservation, []id.Allocation, []Take) error
	Release(context.Context, *Reservation, []id.Allocation) error
}

// Payments is the payment service.
type Payments interface {
	Intent(context.Context, id.Tenant, id.Intent) (Intent, error)
	Of(context.Context, id.Tenant, id.Reservation) ([]Intent, error)
	Promise(context.Context, *Reservation) (Intent, error)
	Learn(context.Context, *Reservation) error
	Refund(context.Context, id.Tenant, Refund, Cause) error
}

// Locks is the lock service. All calls are idempotent by the ids of the keys.
type Locks interface {
	Issue(context.Context, *Reservation, Key) (KeyStatus, error)
	Revoke(context.Context, id.Tenant, ...id.KeyCredential) error
}

// A Cause is the reason for a refund without a cancellation.
type Cause string

// The causes.
const (
	BoughtNothing Cause = "bought nothing"
	Surplus       Cause = "surplus" // more was captured than the stay costs
)
