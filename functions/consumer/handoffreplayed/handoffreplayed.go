// Package handoffreplayed judges who has opened a handoff that another browser had used.
package handoffreplayed

import (
	"context"
	"errors"

	"melmastoon.ghasi.io/functions/consumer"
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

// Function hears melmastoon.bff.tenant.flow.error_encountered.v1, of all errors this one.
var Function = consumer.Event(fn.Spec{
	Name:      "consumer-handoffreplayed",
	Subject:   "melmastoon.bff.tenant.flow.error_encountered.v1",
	Filter:    map[string]string{"ce-errorcode": replayed},
	Uses:      fn.Uses{fn.Postgres},
	Publishes: fn.Subjects{consumer.BotSuspectedV1},
	Attempts:  10,
}, New)

var replayed = "MELMASTOON." + handoff.ErrReplayed.Code

// Encountered is the part of the event that is read here: what went wrong, with which handoff, and who tried it.
type Encountered struct {
	Tenant      id.Tenant      `json:"tenantId"`
	Code        string         `json:"errorCode"`
	Handoff     *id.Handoff    `json:"handoffId"`
	Fingerprint pseudonym.Hash `json:"fingerprintHash"`
	IP          pseudonym.Hash `json:"ipHash"`
}

// recorder keeps judgements.
type recorder interface {
	Record(context.Context, postgres.Tx, consumer.BotScore) error
}

// ledger counts how often a handoff was tried again.
type ledger interface {
	Replay(context.Context, postgres.Tx, id.Handoff, id.Tenant) error
}

type judge struct {
	db     *postgres.DB
	ledger ledger
	bots   recorder
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Handle[Encountered], error) {
	return (&judge{
		db:     postgres.Open(e, consumer.Schema),
		ledger: consumer.OpenHandoffs(e),
		bots:   consumer.OpenBots(e),
	}).judge, nil
}

// judge looks at the code again: not every bus filters.
func (j *judge) judge(ctx context.Context, e event.Event[Encountered]) error {
	p := e.Payload
	if p.Code != replayed {
		return nil
	}
	if p.Handoff == nil || p.Fingerprint == "" {
		return fn.DeadLetter(fault.ErrValidation.Saying("The event must name the handoff and the session."))
	}
	err := inbox.Once(ctx, j.db, e.Delivery, func(tx postgres.Tx) error {
		if err := j.ledger.Replay(ctx, tx, *p.Handoff, p.Tenant); err != nil {
			return err
		}
		return j.bots.Record(ctx, tx, consumer.Replaying(p.Fingerprint, p.IP, e.Envelope.OccurredAt, e.Envelope.EventID))
	})
	if errors.Is(err, consumer.ErrNotFound) {
		return fn.DeadLetter(err) // it was entered before anybody had the token: waiting will not make it appear
	}
	return err
}
