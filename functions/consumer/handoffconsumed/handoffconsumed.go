// Package handoffconsumed records in the ledger that a handoff was used at the hotel's site.
package handoffconsumed

import (
	"context"
	"errors"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/handoffs"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.bff.tenant.handoff.consumed.v1.
var Function = consumer.Event(fn.Spec{
	Name:     "consumer-handoffconsumed",
	Subject:  "melmastoon.bff.tenant.handoff.consumed.v1",
	Uses:     fn.Uses{fn.Postgres},
	Attempts: 10,
}, New)

// Consumed is the part of the event that this function reads.
type Consumed struct {
	Tenant  id.Tenant  `json:"tenantId"`
	Handoff id.Handoff `json:"handoffId"`
}

// ledger records the use of a handoff.
type ledger interface {
	Consume(context.Context, postgres.Tx, handoffs.Consumption) error
}

type handler struct {
	db     *postgres.DB
	ledger ledger
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Consumed], error) {
	return (&handler{postgres.Open(e, session.Schema), handoffs.OpenLedger(e)}).note, nil
}

func (h *handler) note(ctx context.Context, e event.Event[Consumed]) error {
	err := inbox.Once(ctx, h.db, e.Delivery, func(tx postgres.Tx) error {
		return h.ledger.Consume(ctx, tx, handoffs.Consumption{
			Handoff: e.Payload.Handoff, Tenant: e.Payload.Tenant, At: e.Envelope.OccurredAt, By: e.Envelope.ProducerInstance, Event: e.Envelope.EventID,
		})
	})
	if errors.Is(err, fault.ErrNotFound) {
		return fn.DeadLetter(err) // the ledger has the entry before the token is sent, so a retry cannot succeed
	}
	return err
}
