// Package takeroomout takes a physical room out of order for a period.
package takeroomout

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/freetext"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves POST /sandbox/property/v1/rooms/{roomId}/out-of-order. A repeated period changes nothing.
var Function = sandbox.Desk(fn.Spec{
	Name:      "sandbox-takeroomout",
	Route:     "POST /sandbox/property/v1/rooms/{roomId}/out-of-order",
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{directory.RoomTakenOutV1, search.ListingIndexedV1},
	Timeout:   2 * time.Second,
}, New)

const longest = 100 // characters of a reason code

// A Request is the room, the period and its reason.
type Request struct {
	Room       id.Room       `path:"roomId" json:"-"`
	From       stay.Date     `json:"from"`
	Until      stay.Date     `json:"until"`
	ReasonCode freetext.Text `json:"reasonCode"`
}

// Validate rejects an impossible period, and a reason that is missing or too long.
func (r *Request) Validate() error {
	if err := (stay.Window{Start: r.From, End: r.Until}).Validate(); err != nil {
		return standin.Refuse("/until", "period", err.Error())
	}
	if n := utf8.RuneCountInString(string(r.ReasonCode)); n < 1 || n > longest {
		return standin.Refuse("/reasonCode", "length", "Must have 1 to 100 characters.")
	}
	return nil
}

// A Response is the room with its current or next period.
type Response = directory.Room

// New returns the handler with its stores and clients.
func New(e env.Env) (sandbox.DeskServe[Request, Response], error) {
	rooms := directory.OpenRooms(e)
	return func(ctx context.Context, by sandbox.Caller, c fn.Call[Request]) (Response, error) {
		if err := allowed(ctx, rooms, by, c.In.Room); err != nil {
			return Response{}, err
		}
		return rooms.TakeOut(ctx, c.In.Room, directory.Outage{From: c.In.From, Until: c.In.Until, ReasonCode: string(c.In.ReasonCode)})
	}, nil
}

// allowed returns ErrNotFound if the room is in none of the properties of the staff who call.
func allowed(ctx context.Context, rooms directory.Rooms, by sandbox.Caller, room id.Room) error {
	properties, staff := by.Properties()
	for _, p := range properties {
		all, err := rooms.Of(ctx, p)
		if err != nil || slices.ContainsFunc(all, func(r directory.Room) bool { return r.ID == room }) {
			return err
		}
	}
	if staff {
		return fault.ErrNotFound
	}
	return nil
}
