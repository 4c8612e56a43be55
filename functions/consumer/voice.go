package consumer

import (
	"context"
	"fmt"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Publisher tells what happens in sessions, as far as it may be told: see [flags.Flags.Sampled].
type Publisher struct {
	db     *postgres.DB
	outbox *outbox.Outbox
	flags  *flags.Flags
}

// OpenPublisher opens what telling needs.
func OpenPublisher(e env.Env) *Publisher {
	db := postgres.Open(e, Schema)
	return &Publisher{db: db, outbox: outbox.Open(e, db), flags: OpenFlags(e)}
}

// Append tells events of a session in the transaction that made them true.
func (v *Publisher) Append(ctx context.Context, tx postgres.Tx, s Session, events ...event.Draft) error {
	return v.outbox.Append(ctx, tx, v.flags.Sampled(!s.Consent.Telemetry, events...)...)
}

// Publish tells events of a session that made nothing else true.
func (v *Publisher) Publish(ctx context.Context, s Session, events ...event.Draft) error {
	told := v.flags.Sampled(!s.Consent.Telemetry || s.passing, events...)
	if len(told) == 0 {
		return nil
	}
	err := v.db.InTx(ctx, func(tx postgres.Tx) error { return v.outbox.Append(ctx, tx, told...) })
	if err != nil {
		return fmt.Errorf("voice: tell of %s: %w", s.ID, err)
	}
	return nil
}
