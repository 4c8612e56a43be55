// Package modify changes rooms, guests, prices, the sales channel or the state of a booked reservation.
package modify

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves PATCH /api/v1/reservations/{id}.
var Function = reservation.FrontDesk(fn.Spec{
	Name:  "reservation-modify",
	Route: "PATCH /api/v1/reservations/{id}",
	Uses: fn.Uses{
		fn.Postgres, fn.Upstream("pricing"), fn.Upstream("inventory"), fn.Upstream("payment"), fn.Upstream("property"), fn.Upstream("lock"),
	},
	Publishes:  fn.Subjects{booking.ModifiedV1, booking.DatesChangedV1, booking.CheckedInV1},
	Idempotent: true,
	Timeout:    3 * time.Second,
}, New)

type handler struct{ changer *booking.Changer }

// New returns the handler with its stores and clients.
func New(e env.Env) (reservation.Serve[Request, reservation.Changed], error) {
	return (&handler{booking.OpenChanger(e, platform.Open(e))}).modify, nil
}

func (h *handler) modify(ctx context.Context, c reservation.Call[Request]) (out reservation.Changed, err error) {
	if c.In.needsManager() && !c.IsManager() {
		return out, fault.ErrForbidden
	}
	call := reservation.ChangeOf(c, c.In.ID, c.In.Match, c.In.DryRun)
	return reservation.AnswerChange(call)(h.changer.Change(ctx, call, h.propose(c.Act, c.In)))
}

// needsManager reports whether only a manager may make the modification.
func (r Request) needsManager() bool {
	return r.Complimentary || r.Type == booking.RateChange || r.Type == booking.ChannelCorrected || r.Type == booking.StateOverride
}

// propose returns the proposal for a valid request.
func (h *handler) propose(act id.Request, in Request) booking.Proposal {
	switch in.Type {
	case booking.GuestCountChange:
		return h.changer.Occupants(*in.Item, *in.Occupants)
	case booking.RoomAdded:
		return h.changer.Add(act, *in.Added)
	case booking.RoomRemoved:
		return h.changer.Remove(*in.Item)
	case booking.RateChange:
		return h.changer.Rate(*in.Item, *in.Nightly, in.Reason)
	case booking.ChannelCorrected:
		return h.changer.Channel(in.Channel, in.Partner, in.Reason)
	case booking.StateOverride:
		return h.changer.Override(act, in.State, in.Reason)
	default: // Validate admits no other type than room_change
		return h.changer.Room(act, booking.RoomMove{
			Item: *in.Item, RoomType: in.RoomType, RatePlan: in.RatePlan, Room: in.Room, Complimentary: in.Complimentary,
		})
	}
}
