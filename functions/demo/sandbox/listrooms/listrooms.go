// Package listrooms lists the physical rooms of a property.
package listrooms

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/property/v1/properties/{propertyId}/rooms.
var Function = sandbox.Desk(fn.Spec{
	Name:    "sandbox-listrooms",
	Route:   "GET /sandbox/property/v1/properties/{propertyId}/rooms",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names a property.
type Request struct {
	Property id.Property `path:"propertyId"`
}

// A Response lists the rooms by number.
type Response struct {
	Rooms []directory.Room `json:"rooms"`
}

// New returns the handler with its stores and clients.
func New(e env.Env) (sandbox.DeskServe[Request, Response], error) {
	rooms := directory.OpenRooms(e)
	return func(ctx context.Context, by sandbox.Caller, c fn.Call[Request]) (Response, error) {
		if !by.Allows(c.In.Property) {
			return Response{}, fault.ErrNotFound
		}
		all, err := rooms.Of(ctx, c.In.Property)
		return Response{all}, err
	}, nil
}
