package database

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/tenantbooking"
)

// A dueWork describes the rows that a sweep or a job still has to process. Its query returns the time since which each row waits.
type dueWork struct {
	schema, name, query string
}

// sweeps have the conditions of the sweeps' own queries, on columns that pg_monitor may read.
var sweeps = []dueWork{
	{consumer.Schema, "sessions to end (consumer-sweepsessions)", `
		SELECT last_seen_at FROM bff_consumer.guest_sessions WHERE ended_at IS NULL AND last_seen_at <= platform.now() - interval '30 days'`},
	{consumer.Schema, "erasures overdue (erase-daily)", `
		SELECT due_at FROM bff_consumer.erasure_requests WHERE due_at <= platform.now()`},
	{reservation.Schema, "holds to expire (reservation-expireholds)", `
		SELECT expires_at FROM reservation.holds WHERE status = 'live' AND expires_at <= platform.now()`},
	{reservation.Schema, "saga steps (reservation-watchsagas)", `
		SELECT step_since FROM reservation.reservations WHERE step_since <= platform.now() - interval '1 minute' * (1 + least(step_attempts, 59))`},
	{reservation.Schema, "saga steps with more than five attempts", `
		SELECT step_since FROM reservation.reservations WHERE step_since IS NOT NULL AND step_attempts > 5`},
	{sandbox.Schema, "payments to expire (sandbox-expireintents)", `
		SELECT expires_at FROM sandbox.intents WHERE status IN ('requires_payment', 'requires_action', 'processing') AND expires_at <= platform.now()`},
	{tenantbooking.Schema, "drafts to close (tenantbooking-sweepdrafts)", `
		SELECT expires_at FROM bff_tenant_booking.booking_drafts WHERE expires_at <= platform.now()`},
}

// maxCounted bounds the rows that one count reads. Above it, the number is this bound, and the oldest is the oldest of the rows read.
const maxCounted = 100_000

// backlog reports the outbox, the inbox and the due work of each installed schema.
func backlog(ctx context.Context, v view) (lines []string, err error) {
	for _, schema := range v.schemas {
		outboxLines, err := v.outbox(ctx, schema)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", schema, err)
		}
		lines = append(lines, outboxLines...)
		var processed int
		err = v.tx.QueryRow(ctx, `
			SELECT count(*) FROM `+schema+`.inbox_processed WHERE processed_at > platform.now() - interval '1 hour'`).Scan(&processed)
		if err != nil {
			return nil, fmt.Errorf("%s: inbox: %w", schema, err)
		}
		lines = append(lines, fmt.Sprintf("%s inbox: %d events processed in the last hour", schema, processed))
		for _, w := range sweeps {
			if w.schema != schema {
				continue
			}
			line, err := v.count(ctx, w)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", schema, w.name, err)
			}
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func (v view) count(ctx context.Context, w dueWork) (string, error) {
	var n int
	var oldest *time.Time
	err := v.tx.QueryRow(ctx, `
		SELECT count(*), min(since) FROM (`+w.query+` LIMIT @most) AS due (since)`, pgx.StrictNamedArgs{"most": maxCounted}).Scan(&n, &oldest)
	if oldest == nil {
		return fmt.Sprintf("%s: no %s", w.schema, w.name), err
	}
	return fmt.Sprintf("%s: %d %s, the oldest since %s", w.schema, n, w.name, instant(oldest)), err
}

// outbox counts the unpublished events, those of the five lanes with the oldest events, and the parked events.
func (v view) outbox(ctx context.Context, schema string) (lines []string, err error) {
	var waits, failing, lanes int
	var oldest *time.Time
	err = v.tx.QueryRow(ctx, `
		SELECT count(*), count(next_attempt_at), count(DISTINCT lane), min(enqueued_at)
		FROM (SELECT lane, enqueued_at, next_attempt_at FROM `+schema+`.outbox WHERE published_at IS NULL AND parked_reason IS NULL LIMIT @most) AS waiting`,
		pgx.StrictNamedArgs{"most": maxCounted}).Scan(&waits, &failing, &lanes, &oldest)
	if err != nil {
		return nil, err
	}
	if waits == 0 {
		lines = append(lines, schema+" outbox: no events wait to be published")
	} else {
		lines = append(lines, fmt.Sprintf("%s outbox: %d events wait to be published in %d lanes, %d of them after a failure, the oldest since %s",
			schema, waits, lanes, failing, instant(oldest)))
	}
	rows, _ := v.tx.Query(ctx, `
		SELECT lane, count(*), min(enqueued_at)
		FROM (SELECT lane, enqueued_at FROM `+schema+`.outbox WHERE published_at IS NULL AND parked_reason IS NULL LIMIT @most) AS waiting
		GROUP BY 1
		ORDER BY 3, 1
		LIMIT 5`, pgx.StrictNamedArgs{"most": maxCounted})
	var lane, count int
	_, err = pgx.ForEachRow(rows, []any{&lane, &count, &oldest}, func() error {
		lines = append(lines, fmt.Sprintf("%s outbox: lane %d has %d, the oldest since %s", schema, lane, count, instant(oldest)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = v.tx.QueryRow(ctx, `
		SELECT count(*), min(enqueued_at) FROM `+schema+`.outbox WHERE parked_reason IS NOT NULL`).Scan(&count, &oldest)
	if count > 0 {
		lines = append(lines, fmt.Sprintf("%s outbox: %d events are parked, the oldest since %s", schema, count, instant(oldest)))
	}
	return lines, err
}
