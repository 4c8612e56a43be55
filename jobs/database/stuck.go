package database

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/id"
)

// sagas lists the saga steps that the alert saga-stuck counts: more than five attempts have failed, and the step does not only wait for
// a payment. It prints no booking code, because a code with a name opens a booking.
func sagas(ctx context.Context, v view) (lines []string, err error) {
	if !slices.Contains(v.schemas, reservation.Schema) {
		return nil, nil
	}
	rows, _ := v.tx.Query(ctx, `
		SELECT tenant_id, property_id, reservation_id, state, pending_step, step_since, step_attempts
		FROM reservation.reservations
		WHERE step_since IS NOT NULL AND step_attempts > 5 AND pending_step <> 'await_payment'
		ORDER BY step_since, reservation_id
		LIMIT @limit`, pgx.StrictNamedArgs{"limit": v.options.limit})
	var tenant id.Tenant
	var property id.Property
	var booking id.Reservation
	var state, step string
	var since time.Time
	var attempts int
	_, err = pgx.ForEachRow(rows, []any{&tenant, &property, &booking, &state, &step, &since, &attempts}, func() error {
		lines = append(lines, fmt.Sprintf("%s of %s at %s is %s and waits since %s, %d attempts: %s", booking, tenant, property, state, instant(&since), attempts, step))
		return nil
	})
	return lines, err
}

// drafts lists the drafts that the alert draft-stuck can count: they were created at least two hours ago and are still being paid for.
func drafts(ctx context.Context, v view) (lines []string, err error) {
	if !slices.Contains(v.schemas, tenantbooking.Schema) {
		return nil, nil
	}
	rows, _ := v.tx.Query(ctx, `
		SELECT tenant_id, draft_id, reservation_id, state, created_at
		FROM bff_tenant_booking.booking_drafts
		WHERE state IN ('paying', 'confirming') AND created_at <= platform.now() - interval '2 hours'
		ORDER BY created_at, draft_id
		LIMIT @limit`, pgx.StrictNamedArgs{"limit": v.options.limit})
	var tenant id.Tenant
	var draft id.Draft
	var booking id.Reservation
	var state string
	var created time.Time
	_, err = pgx.ForEachRow(rows, []any{&tenant, &draft, &booking, &state, &created}, func() error {
		lines = append(lines, fmt.Sprintf("%s of %s for %s is %s, created %s", draft, tenant, booking, state, instant(&created)))
		return nil
	})
	return lines, err
}
