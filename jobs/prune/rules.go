package prune

import (
	"slices"
	"strings"
)

// A Cadence is the interval at which a rule is applied.
type Cadence string

// The cadences.
const (
	Hourly Cadence = "hourly"
	Daily  Cadence = "daily"
	Weekly Cadence = "weekly"
)

// A Rule defines when the rows of one table are deleted.
type Rule struct {
	Schema, Table string
	Key           string // the columns that identify a row
	Over          string // SQL condition: the row is expired
	Cadence       Cadence
}

// Name returns the rule's name: the table with its schema.
func (r Rule) Name() string { return r.Schema + "." + r.Table }

// Rules are all rules, in the order of application. Tables without a rule are kept, or functions delete their rows; a
// test classifies each table.
var Rules = slices.Concat(
	common("reservation"), []Rule{
		idempotency("reservation"),
		{"reservation", "quotes", "quote_id", "created_at < platform.now() - interval '90 days'", Daily},
		// Guests of holds that never became a booking, and of stays that ended three years ago.
		{"reservation", "guests", "reservation_id", lapsed("guests") + " OR " + past("guests"), Daily},
		{"reservation", "special_requests", "special_request_id", lapsed("special_requests") + " OR " + past("special_requests"), Daily},
	},
	common("bff_tenant_booking"), []Rule{
		idempotency("bff_tenant_booking"),
		{"bff_tenant_booking", "handoff_arrival_log", "id", "received_at < platform.now() - interval '30 days'", Hourly},
		{"bff_tenant_booking", "booking_draft_snapshots", "id", "finalized_at < platform.now() - interval '30 days'", Daily},
		// As long as a view token is valid.
		{"bff_tenant_booking", "booking_owners", "tenant_id, reservation_id", "stay_end < platform.now() - interval '30 days'", Daily},
		// A confirmation is published again if the last time is more than a day ago.
		{"bff_tenant_booking", "confirmation_views", "tenant_id, reservation_id, session_id", "told_at < platform.now() - interval '24 hours'", Daily},
	},
	common("bff_consumer"), []Rule{
		idempotency("bff_consumer"),
		// Rows that belong to a session are deleted with it.
		{"bff_consumer", "guest_sessions", "guest_session_id", "ended_at < platform.now() - interval '90 days'", Daily},
		// A receipt is kept for as long as the evidence that it names.
		{"bff_consumer", "erasure_receipts", "guest_session_id", "completed_at < platform.now() - interval '1 year'", Weekly},
		{"bff_consumer", "handoff_ledger", "handoff_id", "minted_at < platform.now() - interval '1 year'", Weekly},
		{"bff_consumer", "bot_scores", "seq", "evaluated_at < platform.now() - interval '1 year'", Weekly},
	},
	common("sandbox"), []Rule{
		// Older rows count for no popularity signal. A repeated event of theirs adds a row that does not count either.
		{"sandbox", "recent_bookings", "reservation_id", "greatest(confirmed_at, cancelled_at) < platform.now() - interval '2 days'", Daily},
		{"sandbox", "recent_views", "property_id, session_hash", "seen_at < platform.now() - interval '2 hours'", Hourly},
		// Documents expire by the clock of the reading process, which may be behind the database's.
		{"document", "documents", "collection, id", "expires_at < platform.now() - interval '1 hour'", Hourly},
	},
)

// common returns the rules for the tables that each service has. Published outbox rows are found by their id, which
// contains its time: no index covers the columns that publishing changes. Parked rows wait for a person.
func common(schema string) []Rule {
	return []Rule{
		{schema, "outbox", "id", `published_at < platform.now() - interval '7 days' AND id < (lpad(to_hex(
			(extract(epoch FROM platform.now() - interval '7 days') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`, Hourly},
		{schema, "inbox_processed", "event_id, processor", "processed_at < platform.now() - interval '31 days'", Weekly},
	}
}

// lapsed returns the condition that the reservation of a row was never confirmed and that its last hold ended 30 days ago.
func lapsed(table string) string {
	return strings.ReplaceAll(`EXISTS (
			SELECT FROM reservation.reservations AS r
			WHERE r.tenant_id = {row}.tenant_id AND r.reservation_id = {row}.reservation_id
			  AND r.state IN ('expired_hold', 'cancelled') AND r.confirmed_at IS NULL)
		AND NOT EXISTS (
			SELECT FROM reservation.holds AS h
			WHERE h.tenant_id = {row}.tenant_id AND h.reservation_id = {row}.reservation_id
			  AND h.expires_at >= platform.now() - interval '30 days')`, "{row}", table)
}

// past returns the condition that the stay of a row ended three years ago, by the dates of the reservation.
func past(table string) string {
	return strings.ReplaceAll(`EXISTS (
			SELECT FROM reservation.reservations AS r
			WHERE r.tenant_id = {row}.tenant_id AND r.reservation_id = {row}.reservation_id
			  AND r.state IN ('checked_out', 'cancelled', 'no_show') AND r.stay_end < (platform.now() - interval '3 years')::date)`, "{row}", table)
}

// idempotency deletes expired responses.
func idempotency(schema string) Rule {
	return Rule{Schema: schema, Table: "idempotency", Key: "key", Over: "expires_at < platform.now()", Cadence: Hourly}
}
