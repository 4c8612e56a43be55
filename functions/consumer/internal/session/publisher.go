package session

import (
	"context"
	"fmt"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Schema is the SQL schema of this service.
const Schema = "bff_consumer"

// A Publisher publishes events of sessions, subject to consent and sampling: see [flags.Flags.Sampled].
type Publisher struct {
	db     *postgres.DB
	outbox *outbox.Outbox
	flags  *flags.Flags
}

// OpenPublisher opens the outbox and the flags.
func OpenPublisher(e env.Env) *Publisher {
	db := postgres.Open(e, Schema)
	return &Publisher{db: db, outbox: outbox.Open(e, db), flags: OpenFlags(e)}
}

// Append appends events of a session to the outbox, in the transaction of the data that they describe.
func (p *Publisher) Append(ctx context.Context, tx postgres.Tx, s Session, events ...event.Draft) error {
	return p.outbox.Append(ctx, tx, p.flags.Sampled(!s.Consent.Telemetry, events...)...)
}

// Publish appends events of a session to the outbox in a transaction of its own.
func (p *Publisher) Publish(ctx context.Context, s Session, events ...event.Draft) error {
	sampled := p.flags.Sampled(!s.Consent.Telemetry || s.temporary, events...)
	if len(sampled) == 0 {
		return nil
	}
	err := p.db.InTx(ctx, func(tx postgres.Tx) error { return p.outbox.Append(ctx, tx, sampled...) })
	if err != nil {
		return fmt.Errorf("publisher: publish events of %s: %w", s.ID, err)
	}
	return nil
}
