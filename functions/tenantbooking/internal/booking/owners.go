package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// An ownership is the right of a session to its booking. It ends with the view token, 30 days after the stay.
type ownership struct {
	session id.TenantSession
	draft   id.Draft
	until   *time.Time // the end of the stay as stored; nil for a booking without a row of its own
}

// findOwnership returns the session's ownership of a booking, or nil: according to its row, to the draft of a booking that was confirmed
// while its guest was away, or to the snapshot of a booking of an earlier release. The reservation itself names the session that held the
// rooms, which has continued under another id since the guest was named.
func (c Confirmations) findOwnership(ctx context.Context, s session.Session, r id.Reservation) (found *ownership, err error) {
	if s.ID.IsZero() {
		return nil, nil //nolint:nilnil // no ownership
	}
	o := ownership{session: s.ID}
	var draft *id.Draft
	var text *string
	err = c.db.InTenant(ctx, s.Tenant, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `
			SELECT draft_id, NULL, stay_end FROM bff_tenant_booking.booking_owners
			WHERE tenant_id = @tenant AND session_id = @session AND reservation_id = @reservation
			UNION ALL
			SELECT draft_id, NULL, NULL FROM bff_tenant_booking.booking_drafts
			WHERE tenant_id = @tenant AND session_id = @session AND reservation_id = @reservation
			UNION ALL
			SELECT NULL, draft_id, NULL FROM bff_tenant_booking.booking_draft_snapshots
			WHERE tenant_id = @tenant AND session_id = @sessionText AND reservation_id = @reservationText
			ORDER BY stay_end NULLS LAST LIMIT 1`,
			pgx.StrictNamedArgs{"tenant": s.Tenant, "session": s.ID, "reservation": r, "sessionText": s.ID.String(), "reservationText": r.String()}).
			Scan(&draft, &text, &o.until)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil //nolint:nilnil // no ownership
	case err == nil && draft != nil:
		o.draft = *draft
	case err == nil:
		o.draft, err = id.Parse[id.Draft](*text)
	}
	if err != nil {
		return nil, fmt.Errorf("confirmations: owner of %s: %w", r, err)
	}
	return &o, nil
}

// keepOwnership stores the ownership until the present end of the stay. It writes only if that has changed.
func (c Confirmations) keepOwnership(ctx context.Context, o ownership, r Reservation) error {
	end := r.Stay.End.Time()
	if o.until != nil && o.until.Equal(end) {
		return nil
	}
	err := c.db.InTenant(ctx, r.Tenant, func(tx postgres.Tx) error {
		queueOwner(tx, r.Tenant, r.ID, o.session, o.draft, end)
		return nil
	})
	if err != nil {
		return fmt.Errorf("confirmations: keep the owner of %s: %w", r.ID, err)
	}
	return nil
}

func queueOwner(tx postgres.Tx, t id.Tenant, r id.Reservation, s id.TenantSession, d id.Draft, end time.Time) {
	tx.Queue(`
		INSERT INTO bff_tenant_booking.booking_owners (tenant_id, reservation_id, session_id, draft_id, stay_end)
		VALUES (@tenant, @reservation, @session, @draft, @end)
		ON CONFLICT (tenant_id, reservation_id) DO UPDATE SET session_id = EXCLUDED.session_id, stay_end = EXCLUDED.stay_end`,
		pgx.StrictNamedArgs{"tenant": t, "reservation": r, "session": s, "draft": d, "end": end})
}

// publishIntent publishes once that a guest pays what is due for a booking. The event requires the draft of the booking, so a booking of
// the front desk, which has none, publishes no event.
func (c Confirmations) publishIntent(ctx context.Context, v session.Visitor, r Reservation, i Intent, now time.Time) error {
	err := c.db.InTenant(ctx, r.Tenant, func(tx postgres.Tx) error {
		tx.Queue(`
			INSERT INTO bff_tenant_booking.booking_owners (tenant_id, reservation_id, session_id, draft_id, stay_end)
			SELECT tenant_id, reservation_id, session_id, draft_id, @end FROM bff_tenant_booking.booking_drafts
			WHERE tenant_id = @tenant AND reservation_id = @reservation
			ON CONFLICT DO NOTHING`, pgx.StrictNamedArgs{"tenant": r.Tenant, "reservation": r.ID, "end": r.Stay.End.Time()})
		var draft id.Draft
		var owner id.TenantSession
		err := tx.QueryRow(ctx, `
			UPDATE bff_tenant_booking.booking_owners SET intents = intents || @intent::uuid
			WHERE tenant_id = @tenant AND reservation_id = @reservation AND NOT @intent = ANY (intents)
			RETURNING draft_id, session_id`, pgx.StrictNamedArgs{"tenant": r.Tenant, "reservation": r.ID, "intent": i.ID}).Scan(&draft, &owner)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return c.outbox.Append(ctx, tx, event.Draft{
			Subject: subject.IntentCreatedV1, Tenant: r.Tenant, OrderingKey: r.Tenant.String() + ":" + draft.String(),
			Session: owner.String(), Attribution: v.Campaign.Attributed(), Payload: intentCreatedOf(r.Tenant, draft, i, event.Time(now)),
		})
	})
	if err != nil {
		return fmt.Errorf("confirmations: publish the payment %s: %w", i.ID, err)
	}
	return nil
}
