// Package handoffreplayed records a bot score for a visitor who opened a handoff that another browser had used.
package handoffreplayed

import (
	"context"
	"errors"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/bots"
	"melmastoon.ghasi.io/functions/consumer/internal/handoffs"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// Function consumes melmastoon.bff.tenant.flow.error_encountered.v1, for one error code.
var Function = consumer.Event(fn.Spec{
	Name:      "consumer-handoffreplayed",
	Subject:   "melmastoon.bff.tenant.flow.error_encountered.v1",
	Filter:    map[string]string{"ce-errorcode": replayed},
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{session.BotSuspectedV1},
	Attempts:  10,
}, New)

var replayed = "MELMASTOON." + handoff.ErrReplayed.Code

// Encountered is the part of the event that this function reads: the error code, the handoff and the visitor's hashes.
type Encountered struct {
	Tenant      id.Tenant      `json:"tenantId"`
	Code        string         `json:"errorCode"`
	Handoff     *id.Handoff    `json:"handoffId"`
	Fingerprint pseudonym.Hash `json:"fingerprintHash"`
	IP          pseudonym.Hash `json:"ipHash"`
}

// recorder stores bot scores.
type recorder interface {
	Record(context.Context, postgres.Tx, bots.Score) error
}

// ledger counts the replays of a handoff.
type ledger interface {
	Replay(context.Context, postgres.Tx, id.Handoff, id.Tenant) error
}

type handler struct {
	db     *postgres.DB
	ledger ledger
	bots   recorder
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Encountered], error) {
	return (&handler{
		db:     postgres.Open(e, session.Schema),
		ledger: handoffs.OpenLedger(e),
		bots:   bots.OpenScores(e),
	}).judge, nil
}

// judge checks the error code again, because not every bus applies the subscription's filter.
func (h *handler) judge(ctx context.Context, e event.Event[Encountered]) error {
	p := e.Payload
	if p.Code != replayed {
		return nil
	}
	if p.Handoff == nil || p.Fingerprint == "" {
		return fn.DeadLetter(fault.ErrValidation.Saying("The event must name the handoff and the session."))
	}
	err := inbox.Once(ctx, h.db, e.Delivery, func(tx postgres.Tx) error {
		if err := h.ledger.Replay(ctx, tx, *p.Handoff, p.Tenant); err != nil {
			return err
		}
		return h.bots.Record(ctx, tx, bots.ReplayScore(p.Fingerprint, p.IP, e.Envelope.OccurredAt, e.Envelope.EventID))
	})
	if errors.Is(err, fault.ErrNotFound) {
		return fn.DeadLetter(err) // the ledger has the entry before the token is sent, so a retry cannot succeed
	}
	return err
}
