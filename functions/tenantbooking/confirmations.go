package tenantbooking

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/flags"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/outbox"
	"melmastoon.ghasi.io/shared/postgres"
)

// Confirmations knows who may see a confirmation, and tells when one was seen.
type Confirmations struct {
	db     *postgres.DB
	outbox *outbox.Outbox
	flags  *flags.Flags
	keys   keyring.Ring
}

// OpenConfirmations opens the store.
func OpenConfirmations(e env.Env) (Confirmations, error) {
	var c struct {
		Keys keyring.Ring `env:"TENANT_SESSION_KEYS,required"`
	}
	db := postgres.Open(e, Schema)
	if err := e.Load(&c); err != nil {
		return Confirmations{}, fmt.Errorf("confirmations: %w", err)
	}
	return Confirmations{db, outbox.Open(e, db), OpenFlags(e), c.Keys}, nil
}

// lookBack is how long after a stay its confirmation can be seen with a token.
const lookBack = 30 * 24 * time.Hour

// Token lets whoever has it see one confirmation: the guest, in a mail or on another device.
func (c Confirmations) Token(t id.Tenant, r id.Reservation) (string, error) {
	return c.keys.Tag("confirmation", t.String(), r.String())
}

// Opens reports whether the token opens the confirmation of that reservation.
func (c Confirmations) Opens(token string, t id.Tenant, r id.Reservation) bool {
	return c.keys.Tagged(token, "confirmation", t.String(), r.String())
}

// Forgotten reports whether a stay is so long ago that a token opens it no more.
func (r Reservation) Forgotten(now time.Time) bool { return now.After(r.Stay.End.Time().Add(lookBack)) }

// Seen tells that a session has seen a confirmation, once a day.
func (c Confirmations) Seen(ctx context.Context, v Visitor, r Reservation, cache string, now time.Time) error {
	now = at(now)
	told := Tell(v, ConfirmationViewedV1, confirmationViewed{
		v.Tenant.ID, r.ID, v.Session.ID, now, max(0, now.Sub(*r.ConfirmedAt).Milliseconds()), v.Device, v.Locale, cache,
	})
	err := c.db.InTenant(ctx, v.Tenant.ID, func(tx postgres.Tx) error {
		tag, err := tx.Exec(ctx, `
			INSERT INTO bff_tenant_booking.confirmation_views AS v (tenant_id, reservation_id, session_id, told_at)
			VALUES (@tenant, @reservation, @session, platform.now())
			ON CONFLICT (tenant_id, reservation_id, session_id) DO UPDATE SET told_at = EXCLUDED.told_at
			WHERE v.told_at <= EXCLUDED.told_at - interval '24 hours'`,
			pgx.StrictNamedArgs{"tenant": v.Tenant.ID, "reservation": r.ID, "session": v.Session.ID})
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		return c.outbox.Append(ctx, tx, c.flags.Told(!v.Session.Consent.Telemetry, told)...)
	})
	if err != nil {
		return fmt.Errorf("confirmations: seen %s: %w", r.ID, err)
	}
	return nil
}
