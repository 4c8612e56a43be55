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

// A Voice tells what happens in sessions, as far as it may be told: see [flags.Flags.Told].
type Voice struct {
	db     *postgres.DB
	outbox *outbox.Outbox
	flags  *flags.Flags
}

// OpenVoice opens what telling needs.
func OpenVoice(e env.Env) *Voice {
	db := postgres.Open(e, Schema)
	return &Voice{db, outbox.Open(e, db), OpenFlags(e)}
}

// Append tells events of a session in the transaction that made them true.
func (v *Voice) Append(ctx context.Context, tx postgres.Tx, s Session, events ...event.Draft) error {
	return v.outbox.Append(ctx, tx, v.flags.Told(!s.Consent.Telemetry, events...)...)
}

// Tell tells events of a session that made nothing else true.
func (v *Voice) Tell(ctx context.Context, s Session, events ...event.Draft) error {
	told := v.flags.Told(!s.Consent.Telemetry || s.passing, events...)
	if len(told) == 0 {
		return nil
	}
	err := v.db.InTx(ctx, func(tx postgres.Tx) error { return v.outbox.Append(ctx, tx, told...) })
	if err != nil {
		return fmt.Errorf("voice: tell of %s: %w", s.ID, err)
	}
	return nil
}
