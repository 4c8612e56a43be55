package prune

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// An agedRow is the statement that inserts a row of a table with the time @at, and the time for which such a row is kept.
type agedRow struct{ kept, sql string }

// insert inserts a row that expired the given time ago, or will expire if that is negative.
func (a agedRow) insert(t *testing.T, conn *pgx.Conn, over time.Duration) {
	t.Helper()
	var at time.Time
	err := conn.QueryRow(t.Context(), `SELECT platform.now() - @kept::interval - make_interval(secs => @over)`,
		pgx.StrictNamedArgs{"kept": a.kept, "over": over.Seconds()}).Scan(&at)
	if err == nil {
		_, err = conn.Exec(t.Context(), a.sql, pgx.StrictNamedArgs{"at": at})
	}
	check.Must(t, err)
}

// aging opens a database for artificial rows. It removes them before the invariants are checked.
func aging(t *testing.T, tables ...string) (*pgtest.Database, *pgx.Conn) {
	t.Helper()
	d := pgtest.New(t)
	owner := d.Owner(t)
	t.Cleanup(func() {
		for _, table := range append(tables, "reservation.reservations") { // rows of guests come with their reservation
			if _, err := owner.Exec(context.Background(), `TRUNCATE `+table+` CASCADE`); err != nil {
				t.Error(err)
			}
		}
	})
	return d, owner
}

func agedOutbox(schema string) agedRow {
	return agedRow{"7 days", `INSERT INTO ` + schema + `.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at, published_at)
		VALUES ((lpad(to_hex((extract(epoch FROM @at::timestamptz) * 1000)::bigint), 12, '0') || right(md5(random()::text), 20))::uuid,
			'evt', gen_random_uuid(), 'subject', 'key', '{}', '{}', @at, @at)`}
}

func agedInbox(schema string) agedRow {
	return agedRow{"31 days", `INSERT INTO ` + schema + `.inbox_processed (event_id, processor, subject, processed_at) VALUES (gen_random_uuid(), 'f', 's', @at)`}
}

func agedAnswer(schema string) agedRow {
	return agedRow{"0", `INSERT INTO ` + schema + `.idempotency (key, tenant_id, request_hash, act, locked_until, expires_at)
		VALUES (gen_random_uuid()::text, gen_random_uuid(), '', gen_random_uuid(), @at, @at)`}
}

// lapsedHold is the start of a statement that inserts a reservation with a hold that has ended without a booking.
const lapsedHold = `WITH ids AS MATERIALIZED (SELECT gen_random_uuid() AS r, gen_random_uuid() AS t, gen_random_uuid() AS h), booked AS (
	INSERT INTO reservation.reservations (reservation_id, tenant_id, property_id, code, state, pending_step, version, channel, partner_id, quote_id,
		guest_id, guest_locale, stay_start, stay_end, currency, grand_total_micro, policy, hold_id, region, time_zone,
		no_show_grace_hours, created_by)
	SELECT r, t, t, 'GM-' || upper(left(md5(r::text), 8)), 'expired_hold', '', 2, 'direct', '', r,
		r, 'en', '2030-01-01', '2030-01-02', 'AFN', 1, '{}', h, 'r', 'UTC', 6, '{}' FROM ids
), held AS (
	INSERT INTO reservation.holds (hold_id, tenant_id, reservation_id, allocation_ids, placed_at, expires_at, ttl_seconds, status)
	SELECT h, t, r, ARRAY[h], @at::timestamptz - interval '10 minutes', @at, 600, 'expired' FROM ids) `

const sha = `'sha256:' || repeat('0', 64)`

// session is the start of a statement that inserts a guest session.
const session = `WITH s AS (INSERT INTO bff_consumer.guest_sessions (guest_session_id, version, created_at, last_seen_at, locale, locale_by, currency,
	currency_by, fingerprint_hash, consent_telemetry, consent_marketing, ended_at, end_reason)
	VALUES (gen_random_uuid(), 1, @at, @at, 'en', 'geo-ip', 'AFN', 'geo-ip', ` + sha + `, true, true, @at, 'ttl-expired') RETURNING guest_session_id) `

var aged = map[string]agedRow{
	"reservation.outbox":                 agedOutbox("reservation"),
	"reservation.inbox_processed":        agedInbox("reservation"),
	"reservation.idempotency":            agedAnswer("reservation"),
	"bff_tenant_booking.outbox":          agedOutbox("bff_tenant_booking"),
	"bff_tenant_booking.inbox_processed": agedInbox("bff_tenant_booking"),
	"bff_tenant_booking.idempotency":     agedAnswer("bff_tenant_booking"),
	"bff_consumer.outbox":                agedOutbox("bff_consumer"),
	"bff_consumer.inbox_processed":       agedInbox("bff_consumer"),
	"bff_consumer.idempotency":           agedAnswer("bff_consumer"),
	"sandbox.outbox":                     agedOutbox("sandbox"),
	"sandbox.inbox_processed":            agedInbox("sandbox"),
	"reservation.quotes": {"90 days", `INSERT INTO reservation.quotes (quote_id, tenant_id, property_id, stay_start, stay_end, locale, currency,
		grand_total_micro, items, lines, policy, region, time_zone, no_show_grace_hours, valid_until, created_at)
		VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '2030-01-01', '2030-01-02', 'en', 'AFN', 1, '[]', '[]', '{}', 'r', 'UTC', 6, @at, @at)`},
	"reservation.guests": {"30 days", lapsedHold + `INSERT INTO reservation.guests (reservation_id, tenant_id, guest_id, first_name, last_name, email,
		phone, locale, email_hash, phone_hash) SELECT r, t, r, 'A', 'B', 'e', 'p', 'en', repeat('0', 64), repeat('0', 64) FROM ids`},
	"reservation.special_requests": {"30 days", lapsedHold + `INSERT INTO reservation.special_requests (special_request_id, tenant_id, reservation_id,
		tags, free_text, locale, added_by) SELECT r, t, r, '{cot}', '', 'en', '{}' FROM ids`},
	"bff_tenant_booking.handoff_arrival_log": {"30 days", `INSERT INTO bff_tenant_booking.handoff_arrival_log (id, handoff_id, tenant_id, session_id,
		consumer_session_id, property_id, received_at, expires_at, consumed, consumed_at, payload, hmac_signature_fingerprint, signing_key_id, remote_ip_hash, user_agent_class)
		VALUES ('bha_' || upper(translate(right(md5(random()::text), 26), 'iolu', '0000')), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
			'gms', 'ppt', @at, @at, true, @at, '{}', ` + sha + `, 'k', '', 'mobile')`},
	"bff_tenant_booking.booking_draft_snapshots": {"30 days", `INSERT INTO bff_tenant_booking.booking_draft_snapshots (draft_id, tenant_id, session_id, final_state, created_at, finalized_at)
		VALUES (gen_random_uuid()::text, gen_random_uuid(), 's', 'abandoned', @at, @at)`},
	"bff_tenant_booking.booking_owners": {"30 days", `INSERT INTO bff_tenant_booking.booking_owners (tenant_id, reservation_id, session_id, draft_id, stay_end)
		VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), @at)`},
	"bff_tenant_booking.confirmation_views": {"24 hours", `INSERT INTO bff_tenant_booking.confirmation_views (tenant_id, reservation_id, session_id, told_at)
		VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), @at)`},
	"bff_consumer.guest_sessions": {"90 days", session + `INSERT INTO bff_consumer.wishlist (wishlist_id, guest_session_id, property_id, tenant_id, added_at, source)
		SELECT gen_random_uuid(), guest_session_id, gen_random_uuid(), gen_random_uuid(), @at, 'list' FROM s`},
	"bff_consumer.handoff_ledger": {"1 year", `INSERT INTO bff_consumer.handoff_ledger (handoff_id, guest_session_id, tenant_id, tenant_slug, property_id, check_in,
		check_out, adults, children, rooms, currency, locale, hmac_key_id, minted_at, expires_at)
		VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 's', gen_random_uuid(), '2030-01-01', '2030-01-02', 1, 0, 1, 'AFN', 'en', 'k', @at, @at::timestamptz + interval '30 minutes')`},
	"bff_consumer.erasure_receipts": {"1 year", `INSERT INTO bff_consumer.erasure_receipts (guest_session_id, requested_at, due_at, completed_at, deleted, retained, warehouse)
		VALUES (gen_random_uuid(), @at, @at, @at, '{}', '[]', 'not configured')`},
	"bff_consumer.bot_scores": {"1 year", `INSERT INTO bff_consumer.bot_scores (fingerprint_hash, score, verdict, signals, evaluated_at) VALUES ('f', 0.9, 'bot', '[]', @at)`},
	"sandbox.recent_bookings": {"2 days", `INSERT INTO sandbox.recent_bookings (reservation_id, tenant_id, property_id, confirmed_at, cancelled_at)
		VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), @at, @at::timestamptz - interval '1 day')`},
	"sandbox.recent_views": {"2 hours", `INSERT INTO sandbox.recent_views (property_id, session_hash, seen_at)
		VALUES (gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), @at)`},
	"document.documents": {"1 hour", `INSERT INTO document.documents (collection, id, value, number, version, expires_at) VALUES ('c', gen_random_uuid()::text, '', 0, 0, @at)`},
}
