package handoffs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Ledger is the ledger of minted handoffs. The hotel's site decides whether a handoff is consumed; this service learns of it
// from an event.
type Ledger struct {
	db        *postgres.DB
	publisher *session.Publisher
}

// OpenLedger opens the ledger.
func OpenLedger(e env.Env) *Ledger {
	return &Ledger{postgres.Open(e, session.Schema), session.OpenPublisher(e)}
}

// Record records a handoff in the ledger and appends its event. It returns the recorded handoff: if an interrupted run of the
// same act has recorded one, Enter returns that and appends no event.
func (l *Ledger) Record(ctx context.Context, v session.Visitor, t search.Tenant, h handoff.Handoff) (kept handoff.Handoff, err error) {
	err = l.db.InTx(ctx, func(tx postgres.Tx) error {
		first, err := insert(ctx, tx, v, t, h)
		if err != nil {
			return err
		}
		if first {
			kept = h
			return l.publisher.Append(ctx, tx, v.Session, initiatedEvent(v, t, h))
		}
		kept, err = get(ctx, tx.Last(), h.ID)
		return err
	})
	if err != nil {
		return kept, fmt.Errorf("handoffs: enter %s: %w", h.ID, err)
	}
	return kept, nil
}

// insert inserts the entry, and reports whether it did not exist before.
func insert(ctx context.Context, tx postgres.Tx, v session.Visitor, t search.Tenant, h handoff.Handoff) (first bool, err error) {
	tag, err := tx.Exec(ctx, `
		INSERT INTO bff_consumer.handoff_ledger (handoff_id, guest_session_id, tenant_id, tenant_slug, property_id,
			check_in, check_out, adults, children, rooms, currency, locale, campaign, hmac_key_id, minted_at, expires_at)
		VALUES (@handoff, @session, @tenant, @slug, @property,
			@in, @out, @adults, @children, @rooms, @currency, @locale, @campaign, @key, @minted, @expires)
		ON CONFLICT (handoff_id) DO NOTHING`,
		pgx.StrictNamedArgs{"handoff": h.ID, "session": h.GuestSession, "tenant": h.Tenant, "slug": t.Slug, "property": h.Property,
			"in": h.Dates.CheckIn, "out": h.Dates.CheckOut, "adults": h.Occupancy.Adults, "children": h.Occupancy.Children,
			"rooms": h.Occupancy.Rooms, "currency": string(h.Currency), "locale": string(h.Locale),
			"campaign": v.Campaign.Attributed(), "key": h.KeyID, "minted": h.MintedAt, "expires": h.ExpiresAt})
	return tag.RowsAffected() == 1, err
}

// get returns the ledger's entry. The table has no row-level security: no row here belongs to a tenant.
func get(ctx context.Context, tx postgres.Tx, which id.Handoff) (h handoff.Handoff, err error) {
	err = tx.QueryRow(ctx, `
		SELECT handoff_id, guest_session_id, tenant_id, property_id, check_in, check_out, adults, children, rooms,
			currency, locale, minted_at, expires_at, hmac_key_id
		FROM bff_consumer.handoff_ledger
		WHERE handoff_id = @handoff`, pgx.StrictNamedArgs{"handoff": which}).
		Scan(&h.ID, &h.GuestSession, &h.Tenant, &h.Property, &h.Dates.CheckIn, &h.Dates.CheckOut, &h.Occupancy.Adults,
			&h.Occupancy.Children, &h.Occupancy.Rooms, &h.Currency, &h.Locale, &h.MintedAt, &h.ExpiresAt, &h.KeyID)
	return h, err
}

// A Consumption is the use of a handoff, as published by the hotel's site.
type Consumption struct {
	Handoff id.Handoff
	Tenant  id.Tenant
	At      time.Time
	By      string   // the instance that accepted it
	Event   id.Event // the event that reported it
}

// Consume records that a handoff was used. The first report wins. A handoff that was not minted here for that tenant is
// fault.ErrNotFound.
func (l *Ledger) Consume(ctx context.Context, tx postgres.Tx, c Consumption) error {
	tag, err := tx.Exec(ctx, `
		UPDATE bff_consumer.handoff_ledger
		SET consumed_at = coalesce(consumed_at, @at),
			consumed_by = CASE WHEN consumed_at IS NULL THEN @by ELSE consumed_by END,
			consumed_event_id = CASE WHEN consumed_at IS NULL THEN @event ELSE consumed_event_id END
		WHERE handoff_id = @handoff AND tenant_id = @tenant`,
		pgx.StrictNamedArgs{"handoff": c.Handoff, "tenant": c.Tenant, "at": c.At, "by": c.By, "event": c.Event})
	return updated(tag.RowsAffected(), err, "consume", c.Handoff)
}

// Replay counts an attempt to use a handoff in a second browser. A handoff that was not minted here for that tenant is
// fault.ErrNotFound.
func (l *Ledger) Replay(ctx context.Context, tx postgres.Tx, h id.Handoff, t id.Tenant) error {
	tag, err := tx.Exec(ctx, `
		UPDATE bff_consumer.handoff_ledger
		SET replays = replays + 1
		WHERE handoff_id = @handoff AND tenant_id = @tenant`,
		pgx.StrictNamedArgs{"handoff": h, "tenant": t})
	return updated(tag.RowsAffected(), err, "count a replay of", h)
}

// updated wraps err, and returns fault.ErrNotFound if no row was changed.
func updated(rows int64, err error, verb string, which id.Handoff) error {
	switch {
	case err != nil:
		return fmt.Errorf("handoffs: %s %s: %w", verb, which, err)
	case rows == 0:
		return fmt.Errorf("handoffs: %s %s: %w", verb, which, fault.ErrNotFound)
	}
	return nil
}
