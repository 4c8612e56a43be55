// Package roomoutoforder gives guests other rooms while theirs is out of order.
package roomoutoforder

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// Function consumes melmastoon.property.room.taken_out_of_order.v1.
var Function = reservation.Event(fn.Spec{
	Name:    "reservation-roomoutoforder",
	Subject: "melmastoon.property.room.taken_out_of_order.v1",
	Uses: fn.Uses{
		fn.Postgres, fn.Upstream("property"), fn.Upstream("tenant"), fn.Upstream("lock"), fn.Upstream("inventory"), fn.Upstream("pricing"), fn.Upstream("payment"),
	},
	Publishes:    fn.Subjects{booking.ModifiedV1, booking.DatesChangedV1, booking.CheckedInV1},
	Timeout:      10 * time.Second,
	MaxInstances: 1, // rare
}, New)

// TakenOutOfOrder is the part of the event that this function reads. The period ends before Until.
type TakenOutOfOrder struct {
	Property   id.Property `json:"propertyId"`
	Room       id.Room     `json:"roomId"`
	From       stay.Date   `json:"from"`
	Until      stay.Date   `json:"until"`
	OccurredAt time.Time   `json:"occurredAt"`
}

type handler struct {
	db    *postgres.DB
	guest *booking.Mover
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[TakenOutOfOrder], error) {
	return (&handler{postgres.Open(e, service.Schema), booking.OpenMover(e, platform.Open(e))}).move, nil
}

func (h *handler) move(ctx context.Context, e event.Event[TakenOutOfOrder]) error {
	p := e.Payload
	outage := booking.Outage{
		Tenant: *e.Delivery.Tenant, Property: p.Property, Room: p.Room, Period: booking.OutOfOrder{From: p.From, Until: p.Until}, At: p.OccurredAt,
	}
	if err := outage.Period.Validate(); err != nil {
		return fn.DeadLetter(err)
	}
	if _, err := h.guest.Move(ctx, e.Delivery.EventID, outage); err != nil {
		return err
	}
	return inbox.Once(ctx, h.db, e.Delivery, func(postgres.Tx) error { return nil })
}
