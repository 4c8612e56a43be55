package session

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Schema is the SQL schema of this service.
const Schema = "bff_consumer"

// A Publisher publishes events of sessions, subject to consent and sampling: see [flags.Flags.Sampled]. The row of the session
// decides about consent, because a document that could not be written may still contain a consent that was withdrawn.
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

// Append appends events of a session to the outbox, in the transaction of the data that they describe. The consent of the session
// must come from its row, read in this transaction; see [Publisher.AppendTelemetry].
func (p *Publisher) Append(ctx context.Context, tx postgres.Tx, s Session, events ...event.Draft) error {
	return p.outbox.Append(ctx, tx, p.flags.Sampled(!s.isTracked(), events...)...)
}

// AppendTelemetry is Append for a session whose row was not read in this transaction. It reads the row if there is something to
// publish, and reports whether it appended an event.
func (p *Publisher) AppendTelemetry(ctx context.Context, tx postgres.Tx, s Session, events ...event.Draft) (appended bool, err error) {
	sampled := p.flags.Sampled(!s.isTracked(), events...)
	if len(sampled) == 0 {
		return false, nil
	}
	var consents bool
	if err := tx.QueryRow(ctx, `
		SELECT coalesce((
			SELECT consent_telemetry FROM bff_consumer.guest_sessions
			WHERE guest_session_id = @session AND ended_at IS NULL
			FOR KEY SHARE), false)`, pgx.StrictNamedArgs{"session": s.ID}).Scan(&consents); err != nil || !consents {
		return false, err
	}
	return true, p.outbox.Append(ctx, tx, sampled...)
}

// Publish appends telemetry of a session to the outbox in a transaction of its own.
func (p *Publisher) Publish(ctx context.Context, s Session, events ...event.Draft) error {
	if !s.isTracked() {
		return nil
	}
	err := p.db.InTx(ctx, func(tx postgres.Tx) error { _, err := p.AppendTelemetry(ctx, tx, s, events...); return err })
	if err != nil {
		return fmt.Errorf("publisher: publish events of %s: %w", s.ID, err)
	}
	return nil
}
