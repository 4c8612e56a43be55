package quotes

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// Columns are the terms that a quote freezes and its reservation keeps.
const Columns = `
		time_zone, check_in_from, check_out_until, no_show_grace_hours, own_total_micro, own_currency`

// A Store stores quotes.
type Store struct {
	db     *postgres.DB
	outbox *outbox.Outbox
}

// OpenStore opens the store.
func OpenStore(e env.Env) Store {
	db := postgres.Open(e, service.Schema)
	return Store{db, outbox.Open(e, db)}
}

const selection = `
	SELECT quote_id, tenant_id, property_id, stay_start AS "start", stay_end AS "end", locale, currency, grand_total_micro,
		items, extras, lines, policy, fx_snapshot, session_id, draft_id, region, promo_code, valid_until,
		platform.now() AS as_of,` + Columns + `
	FROM reservation.quotes
	WHERE tenant_id = @tenant AND quote_id = @quote AND (@properties::uuid[] IS NULL OR property_id = ANY (@properties))`

// Get returns a quote, or ErrNotFound if it does not exist or is out of scope.
func (s Store) Get(ctx context.Context, who access.Scope, q id.Quote) (quote *Quote, err error) {
	err = s.db.InTenant(ctx, who.Tenant, func(tx postgres.Tx) error {
		quote, err = get(ctx, tx.Last(), who, q)
		return err
	})
	return quote, err
}

func get(ctx context.Context, tx postgres.Tx, who access.Scope, q id.Quote) (*Quote, error) {
	rows, _ := tx.Query(ctx, selection, pgx.StrictNamedArgs{"tenant": who.Tenant, "quote": q, "properties": who.Properties})
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[row])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("quotes: get %s: %w", q, err)
	}
	row.Quote.Stay, row.Quote.Own, row.Quote.Local = row.Window, row.Own, row.Local
	return &row.Quote, nil
}

// A row is a row of the table. Each of its structs takes the columns of its members.
type row struct {
	Quote
	stay.Window
	Own
	Local
}

// Add stores a new quote and publishes its events. If the same act has stored a quote before, Add returns that quote.
func (s Store) Add(ctx context.Context, q *Quote) (stored *Quote, err error) {
	err = s.db.InTenant(ctx, q.Tenant, func(tx postgres.Tx) error {
		added, err := insert(ctx, tx, q)
		if err != nil {
			return fmt.Errorf("quotes: add %s: %w", q.ID, err)
		}
		if stored, err = get(ctx, tx, access.Scope{Tenant: q.Tenant}, q.ID); err != nil || !added {
			return err
		}
		return s.outbox.Append(ctx, tx, RequestedEvent(stored), CreatedEvent(stored))
	})
	return stored, err
}

// Rejected publishes the request for a price that pricing did not give.
func (s Store) Rejected(ctx context.Context, q *Quote) error {
	return s.db.InTenant(ctx, q.Tenant, func(tx postgres.Tx) error { return s.outbox.Append(ctx, tx, RequestedEvent(q)) })
}

func insert(ctx context.Context, tx postgres.Tx, q *Quote) (added bool, err error) {
	tag, err := tx.Exec(ctx, `
		INSERT INTO reservation.quotes (quote_id, tenant_id, property_id, stay_start, stay_end, locale, currency,
			grand_total_micro, items, extras, lines, policy, fx_snapshot, session_id, draft_id, region, time_zone, check_in_from,
			check_out_until, no_show_grace_hours, promo_code, own_total_micro, own_currency, valid_until)
		VALUES (@quote, @tenant, @property, @start, @end, @locale, @currency,
			@total, @items, @extras, @lines, @policy, @fx, @session, @draft, @region, @timeZone, @checkIn,
			@checkOut, @grace, @promo, @ownTotal, @ownCurrency, @validUntil)
		ON CONFLICT (quote_id) DO NOTHING`,
		pgx.StrictNamedArgs{
			"quote": q.ID, "tenant": q.Tenant, "property": q.Property, "start": q.Stay.Start, "end": q.Stay.End, "locale": q.Locale,
			"currency": q.Currency, "total": q.Total, "items": q.Items, "extras": q.Extras, "lines": q.Lines, "policy": q.Policy, "fx": q.FX,
			"session": q.Session, "draft": q.Draft, "region": q.Region, "timeZone": q.Local.TimeZone, "checkIn": q.Local.CheckInFrom,
			"checkOut": q.Local.CheckOutUntil, "grace": q.NoShowGrace, "promo": q.Promo, "ownTotal": q.Own.OwnTotal, "ownCurrency": q.Own.OwnCurrency,
			"validUntil": q.ValidUntil})
	return tag.RowsAffected() == 1, err
}
