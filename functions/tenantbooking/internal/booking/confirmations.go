package booking

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Confirmations decides who may read a confirmation, and publishes that it was read.
type Confirmations struct {
	db             *postgres.DB
	outbox         *outbox.Outbox
	flags          *flags.Flags
	keys           keyring.Ring
	publishTimeout time.Duration
}

// recordViewTimeout is the timeout of publishing the event while a guest waits.
const recordViewTimeout = 300 * time.Millisecond

// OpenConfirmations returns Confirmations with its keys and stores.
func OpenConfirmations(e env.Env) (Confirmations, error) {
	var c struct {
		Keys keyring.Ring `env:"VIEW_TOKEN_KEYS,required"` // not the session keys: a token is valid until 30 days after the stay
	}
	db := postgres.Open(e, session.Schema)
	if err := e.Load(&c); err != nil {
		return Confirmations{}, fmt.Errorf("confirmations: %w", err)
	}
	return Confirmations{db: db, outbox: outbox.Open(e, db), flags: subject.OpenFlags(e), keys: c.Keys, publishTimeout: e.Timeout(recordViewTimeout)}, nil
}

// tokenTTL is how long after a stay its confirmation can be read with a token.
const tokenTTL = 30 * 24 * time.Hour

// Token returns the view token of a confirmation, for the guest on another device. It begins with the reservation's id,
// so that a client needs nothing else to find the confirmation.
func (c Confirmations) Token(t id.Tenant, r id.Reservation) (string, error) {
	return viewToken(c.keys, t, r)
}

func viewToken(keys keyring.Ring, t id.Tenant, r id.Reservation) (string, error) {
	tag, err := keys.Tag("confirmation", t.String(), r.String())
	return r.String() + "." + tag, err
}

// IsToken reports whether the token is valid for that reservation.
func (c Confirmations) IsToken(token string, t id.Tenant, r id.Reservation) bool {
	tag, ok := strings.CutPrefix(token, r.String()+".")
	return ok && c.keys.Tagged(tag, "confirmation", t.String(), r.String())
}

// Open checks the caller's access to a booking and returns the result of read. It returns ErrNotFound unless the session made the
// booking, or the view token is valid and has not expired. Only the expiry is checked after read: a caller with neither never reaches
// read, so it cannot tell an existing reservation from an unknown one.
func (c Confirmations) Open(ctx context.Context, v session.Visitor, a Access, now time.Time, read func(context.Context) (Reservation, error)) (Reservation, error) {
	byToken := c.IsToken(a.Token, v.Tenant.ID, a.Reservation)
	var owned ownership
	if !byToken {
		found, err := c.own(ctx, v, a.Reservation)
		if err != nil {
			return Reservation{}, err
		}
		owned = found
	}
	r, err := read(ctx)
	switch {
	case err != nil:
		return Reservation{}, err
	case byToken && r.TokenExpired(now):
		_, err = c.own(ctx, v, a.Reservation)
	case !byToken && !r.TokenExpired(now):
		err = c.keepOwnership(ctx, owned, r)
	}
	if err != nil {
		return Reservation{}, err
	}
	return r, nil
}

// own returns the ownership of the session, or ErrNotFound unless the session made the booking.
func (c Confirmations) own(ctx context.Context, v session.Visitor, r id.Reservation) (ownership, error) {
	found, err := c.findOwnership(ctx, v.Session, r)
	if err == nil && found == nil {
		err = ErrNotFound
	}
	if err != nil {
		return ownership{}, err
	}
	return *found, nil
}

// TokenExpired reports whether the stay ended so long ago that tokens are no longer accepted.
func (r Reservation) TokenExpired(now time.Time) bool {
	return now.After(r.tokenExpiry())
}

func (r Reservation) tokenExpiry() time.Time { return r.Stay.End.Time().Add(tokenTTL) }

// RecordView publishes at most once a day that a session has read a confirmation. It is telemetry: errors and timeouts are
// ignored.
func (c Confirmations) RecordView(ctx context.Context, v session.Visitor, r Reservation, cache string, now time.Time) {
	if v.Session.Silent() {
		return // a later view of the session may be published, if only this call was silent
	}
	ctx, cancel := context.WithTimeout(ctx, c.publishTimeout)
	defer cancel()
	now = event.Time(now)
	viewed := session.NewEvent(v, subject.ConfirmationViewedV1, confirmationViewed{
		Tenant:      v.Tenant.ID,
		Reservation: r.ID,
		Session:     v.Session.ID,
		ViewedAt:    now,
		Elapsed:     max(0, now.Sub(*r.ConfirmedAt).Milliseconds()),
		Device:      v.Device,
		Locale:      v.Locale,
		Cache:       cache,
	})
	_ = c.db.InTenant(ctx, v.Tenant.ID, func(tx postgres.Tx) error {
		tag, err := tx.Exec(ctx, `
			INSERT INTO bff_tenant_booking.confirmation_views AS v (tenant_id, reservation_id, session_id, told_at)
			VALUES (@tenant, @reservation, @session, platform.now())
			ON CONFLICT (tenant_id, reservation_id, session_id) DO UPDATE SET told_at = EXCLUDED.told_at
			WHERE v.told_at <= EXCLUDED.told_at - interval '24 hours'`,
			pgx.StrictNamedArgs{"tenant": v.Tenant.ID, "reservation": r.ID, "session": v.Session.ID})
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		return c.outbox.Append(ctx, tx, c.flags.Sampled(false, viewed)...)
	})
}
