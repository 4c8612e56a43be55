// Package listkeys lists the electronic keys of a reservation.
package listkeys

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/lock"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/lock/v1/keys.
var Function = sandbox.HTTP(fn.Spec{
	Name:     "sandbox-listkeys",
	Route:    "GET /sandbox/lock/v1/keys",
	Siblings: []string{"POST"},
	Uses:     fn.Uses{fn.Postgres},
	Timeout:  2 * time.Second,
}, New)

// A Request names the reservation and its tenant.
type Request struct {
	Tenant      id.Tenant      `query:"tenantId"`
	Reservation id.Reservation `query:"reservationId"`
}

// A Response lists all keys in the order of the requests. It is empty for an unknown reservation.
type Response struct {
	Keys []lock.KeyView `json:"keys"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	keys := lock.OpenKeys(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		all, err := keys.Of(ctx, c.In.Tenant, c.In.Reservation)
		return Response{all}, err
	}, nil
}
