package booking

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// A ledger is a table whose rows have the times of their changes. Its query returns for each change the time, a
// description and the related ids.
type ledger struct{ table, query string }

var ledgers = []ledger{
	{"bff_consumer.guest_sessions", `
		SELECT created_at, concat_ws(' ', 'session begun in', locale, currency), ARRAY['gms:' || guest_session_id]
		FROM bff_consumer.guest_sessions
		WHERE @all OR guest_session_id = ANY (@sessions)`},
	{"bff_consumer.guest_sessions", `
		SELECT ended_at, 'session ended: ' || end_reason, ARRAY['gms:' || guest_session_id, 'gms:' || rotated_to]
		FROM bff_consumer.guest_sessions
		WHERE (@all OR guest_session_id = ANY (@sessions)) AND ended_at IS NOT NULL`},
	{"bff_consumer.wishlist", `
		SELECT added_at, 'wished for, from the ' || source, ARRAY['ppt:' || property_id, 'gms:' || guest_session_id]
		FROM bff_consumer.wishlist
		WHERE @all OR guest_session_id = ANY (@sessions)`},
	{"bff_consumer.bot_scores", `
		SELECT evaluated_at, format('taken for %s at %s', verdict, round(score::numeric, 2)), ARRAY['gms:' || guest_session_id]
		FROM bff_consumer.bot_scores
		WHERE @all OR guest_session_id = ANY (@sessions)`},
	{"bff_consumer.handoff_ledger", `
		SELECT minted_at, 'handoff minted for ' || tenant_slug, ARRAY['bhd:' || handoff_id, 'gms:' || guest_session_id]
		FROM bff_consumer.handoff_ledger
		WHERE @all OR handoff_id = ANY (@ids)`},
	{"bff_tenant_booking.booking_drafts", `
		SELECT (step ->> 'at')::timestamptz, 'draft is ' || (step ->> 'state'), ARRAY['bdr:' || draft_id]
		FROM bff_tenant_booking.booking_drafts, jsonb_array_elements(body -> 'trail') AS step
		WHERE @all OR draft_id = ANY (@ids)`},
	{"bff_tenant_booking.booking_drafts", `
		SELECT (trouble ->> 'occurredAt')::timestamptz, format('guest shown %s while %s', trouble ->> 'errorCode', trouble ->> 'atState'), ARRAY['bdr:' || draft_id]
		FROM bff_tenant_booking.booking_drafts, jsonb_array_elements(body -> 'errors') AS trouble
		WHERE @all OR draft_id = ANY (@ids)`},
	{"bff_tenant_booking.booking_draft_snapshots", `
		SELECT (step ->> 'at')::timestamptz, 'draft is ' || (step ->> 'state'), ARRAY[draft_id]
		FROM bff_tenant_booking.booking_draft_snapshots, jsonb_array_elements(flow_state_history) AS step
		WHERE @all OR draft_id = ANY (@texts)`},
	{"bff_tenant_booking.booking_draft_snapshots", `
		SELECT finalized_at, concat_ws(' ', 'draft kept as', final_state, payment_method), ARRAY[draft_id]
		FROM bff_tenant_booking.booking_draft_snapshots
		WHERE @all OR draft_id = ANY (@texts)`},
	{"bff_tenant_booking.handoff_arrival_log", `
		SELECT received_at, 'handoff arrived', ARRAY['bhd:' || handoff_id, id]
		FROM bff_tenant_booking.handoff_arrival_log
		WHERE @all OR handoff_id = ANY (@ids)`},
	{"bff_tenant_booking.handoff_arrival_log", `
		SELECT consumed_at, 'handoff used up', ARRAY['bhd:' || handoff_id, 'tnt_session:' || session_id]
		FROM bff_tenant_booking.handoff_arrival_log
		WHERE (@all OR handoff_id = ANY (@ids)) AND consumed_at IS NOT NULL`},
	{"bff_tenant_booking.confirmation_views", `
		SELECT told_at, 'confirmation shown', ARRAY['rsv:' || reservation_id, 'tnt_session:' || session_id]
		FROM bff_tenant_booking.confirmation_views
		WHERE @all OR reservation_id = ANY (@ids)`},
	{"reservation.quotes", `
		SELECT created_at, format('priced at %s %s for %s to %s', round(grand_total_micro / 1e6, 2), currency, stay_start, stay_end), ARRAY['qte:' || quote_id]
		FROM reservation.quotes
		WHERE @all OR quote_id = ANY (@ids)`},
	{"reservation.reservations", `
		SELECT created_at, format('reservation begun by %s', channel), ARRAY['rsv:' || reservation_id, 'qte:' || quote_id]
		FROM reservation.reservations
		WHERE @all OR reservation_id = ANY (@ids)`},
	{"reservation.reservations", `
		SELECT confirmed_at, format('reservation confirmed, %s by %s', payment_status, payment_method), ARRAY['rsv:' || reservation_id, 'pyi:' || payment_intent_id]
		FROM reservation.reservations
		WHERE (@all OR reservation_id = ANY (@ids)) AND confirmed_at IS NOT NULL`},
	{"reservation.reservations", `
		SELECT (cancellation ->> 'cancelledAt')::timestamptz, 'reservation cancelled: ' || (cancellation ->> 'reasonCode'), ARRAY['rsv:' || reservation_id]
		FROM reservation.reservations
		WHERE (@all OR reservation_id = ANY (@ids)) AND cancellation IS NOT NULL`},
	{"reservation.holds", `
		SELECT placed_at, format('hold until %s, now %s', to_char(expires_at AT TIME ZONE 'UTC', 'HH24:MI:SS'), status), ARRAY['hld:' || hold_id, 'rsv:' || reservation_id]
		FROM reservation.holds
		WHERE @all OR hold_id = ANY (@ids)`},
	{"reservation.guests", `
		SELECT named_at, 'guest named', ARRAY['rsv:' || reservation_id, 'gst:' || guest_id]
		FROM reservation.guests
		WHERE @all OR reservation_id = ANY (@ids)`},
	{"sandbox.allocations", `
		SELECT placed_at, format('%s rooms %s', units, CASE state WHEN 'refused' THEN 'refused' ELSE 'taken' END), ARRAY['inv:' || allocation_id, 'rsv:' || reservation_id]
		FROM sandbox.allocations
		WHERE @all OR allocation_id = ANY (@ids)`},
	{"sandbox.allocations", `
		SELECT committed_at, 'rooms kept for good', ARRAY['inv:' || allocation_id]
		FROM sandbox.allocations
		WHERE (@all OR allocation_id = ANY (@ids)) AND committed_at IS NOT NULL`},
	{"sandbox.allocations", `
		SELECT released_at, 'rooms given back', ARRAY['inv:' || allocation_id]
		FROM sandbox.allocations
		WHERE (@all OR allocation_id = ANY (@ids)) AND released_at IS NOT NULL`},
	{"sandbox.intents", `
		SELECT created_at, format('intent by %s for %s %s, now %s', method, round(amount_micro / 1e6, 2), currency, status), ARRAY['pyi:' || intent_id, 'rsv:' || reservation_id]
		FROM sandbox.intents
		WHERE @all OR intent_id = ANY (@ids)`},
	{"sandbox.intents", `
		SELECT captured_at, format('captured %s %s', round(captured_micro / 1e6, 2), currency), ARRAY['pyi:' || intent_id]
		FROM sandbox.intents
		WHERE (@all OR intent_id = ANY (@ids)) AND captured_at IS NOT NULL`},
	{"sandbox.refunds", `
		SELECT refunded_at, format('gave back %s', round(amount_micro / 1e6, 2)), ARRAY['rfd:' || refund_id, 'pyi:' || intent_id]
		FROM sandbox.refunds
		WHERE @all OR intent_id = ANY (@ids)`},
}

// rows collects the moments in the services' tables.
func (t *collector) rows(ctx context.Context) error {
	for _, l := range ledgers {
		if !t.tables[l.table] {
			continue
		}
		schema, _, _ := strings.Cut(l.table, ".")
		if err := t.read(ctx, schema, l.query); err != nil {
			return fmt.Errorf("timeline: %s: %w", l.table, err)
		}
	}
	return nil
}

func (t *collector) read(ctx context.Context, schema, query string) error {
	var at time.Time
	var what string
	var about []*string
	return t.query(ctx, schema, query, t.args(), []any{&at, &what, &about}, func() error {
		t.moments = append(t.moments, Moment{At: at, Service: service(schema), Kind: Row, What: strings.TrimSpace(what + "  " + brief(given(about)))})
		return nil
	})
}

// states returns a line for each reservation of the timeline: what it is now, and its money.
func (t *collector) states(ctx context.Context) (lines []string, err error) {
	if t.all || !t.tables["reservation.reservations"] {
		return nil, nil
	}
	var line string
	err = t.query(ctx, "reservation", `
		SELECT concat_ws(' · ', code, state, stay_start || ' to ' || stay_end,
		       format('price %s, captured %s, refunded %s %s', round(grand_total_micro / 1e6, 2), round(captured / 1e6, 2), round(refunded / 1e6, 2), currency),
		       'waits: ' || nullif(pending_step, ''))
		FROM reservation.reservations
		CROSS JOIN LATERAL (
			SELECT coalesce(sum((p ->> 'capturedMicro')::numeric), 0) AS captured, coalesce(sum((p ->> 'refundedMicro')::numeric), 0) AS refunded
			FROM jsonb_array_elements(CASE jsonb_typeof(payments) WHEN 'array' THEN payments ELSE '[]' END) AS p) AS money
		WHERE reservation_id = ANY (@ids)
		ORDER BY created_at`, t.args(), []any{&line}, func() error { lines = append(lines, line); return nil })
	if err != nil {
		return nil, fmt.Errorf("timeline: states: %w", err)
	}
	return lines, nil
}

// given returns the texts that are not NULL.
func given(texts []*string) (found []string) {
	for _, text := range texts {
		if text != nil && *text != "" {
			found = append(found, *text)
		}
	}
	return found
}

// service returns the service of a schema.
func service(schema string) string {
	return strings.ReplaceAll(strings.TrimPrefix(schema, "bff_"), "_", "")
}
