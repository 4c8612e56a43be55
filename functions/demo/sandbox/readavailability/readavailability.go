// Package readavailability returns the number of free rooms of each type.
package readavailability

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/inventory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves GET /sandbox/inventory/v1/availability.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-readavailability",
	Route:   "GET /sandbox/inventory/v1/availability",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names a property and the nights.
type Request struct {
	Property id.Property `query:"propertyId"`
	Start    stay.Date   `query:"start"`
	End      stay.Date   `query:"end"`
}

func (r *Request) window() stay.Window { return stay.Window{Start: r.Start, End: r.End} }

// Validate rejects an impossible stay.
func (r *Request) Validate() error {
	if err := r.window().Validate(); err != nil {
		return standin.Refuse("/end", "stay", err.Error())
	}
	return nil
}

// A Response is the number of free rooms on the fullest night. It is a snapshot: only a hold decides.
type Response struct {
	Property  id.Property      `json:"propertyId"`
	Stay      stay.Window      `json:"stayWindow"`
	RoomTypes []inventory.Left `json:"roomTypes"`
}

type handler struct {
	inventory inventory.Inventory
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&handler{inventory.Open(e)}).count, nil
}

func (h *handler) count(ctx context.Context, c fn.Call[Request]) (Response, error) {
	left, err := h.inventory.Left(ctx, c.In.Property, c.In.window())
	if scenario.Requested(c.Header, scenario.SoldOut) {
		for i := range left {
			left[i].Units = 0
		}
	}
	return Response{Property: c.In.Property, Stay: c.In.window(), RoomTypes: left}, err
}
