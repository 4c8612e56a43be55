package prune

import "slices"

// A Cadence is how often a rule is applied.
type Cadence string

// The cadences.
const (
	Hourly Cadence = "hourly"
	Daily  Cadence = "daily"
	Weekly Cadence = "weekly"
)

// A Rule says until when the rows of one table are kept.
type Rule struct {
	Schema, Table string
	Key           string // the columns that tell rows apart
	Over          string // SQL: the row's time is over
	Cadence       Cadence
}

// Name is what the rule is called by whoever wants it alone: the table's name with its schema.
func (r Rule) Name() string { return r.Schema + "." + r.Table }

// Rules are all there are, in the order in which they are applied. What is in no rule is kept, or removed by the function
// that knows when; the test says of each table which.
var Rules = slices.Concat(
	everybodys("reservation"), []Rule{
		idempotency("reservation"),
		{"reservation", "quotes", "quote_id", "created_at < platform.now() - interval '90 days'", Daily},
	},
	everybodys("bff_tenant_booking"), []Rule{
		idempotency("bff_tenant_booking"),
		{"bff_tenant_booking", "handoff_arrival_log", "id", "received_at < platform.now() - interval '30 days'", Hourly},
		{"bff_tenant_booking", "booking_draft_snapshots", "id", "finalized_at < platform.now() - interval '30 days'", Daily},
		// After a day a confirmation is told of again.
		{"bff_tenant_booking", "confirmation_views", "tenant_id, reservation_id, session_id", "told_at < platform.now() - interval '24 hours'", Daily},
	},
	everybodys("bff_consumer"), []Rule{
		idempotency("bff_consumer"),
		{"bff_consumer", "page_views", "page_view_id", "viewed_at < platform.now() - interval '90 days'", Daily},
		{"bff_consumer", "funnel_events", "funnel_event_id", "occurred_at < platform.now() - interval '90 days'", Daily},
		// With a session goes what belongs to it.
		{"bff_consumer", "guest_sessions", "guest_session_id", "ended_at < platform.now() - interval '90 days'", Daily},
		{"bff_consumer", "handoff_ledger", "handoff_id", "minted_at < platform.now() - interval '1 year'", Weekly},
		{"bff_consumer", "bot_scores", "seq", "evaluated_at < platform.now() - interval '1 year'", Weekly},
	},
	everybodys("sandbox"), []Rule{
		// A document ends by the clock of whoever asks for it, which may be behind the database's.
		{"document", "documents", "collection, id", "expires_at < platform.now() - interval '1 hour'", Hourly},
	},
)

// everybodys are the rules for the tables that each service has. What was published is found by its id, which tells when it
// was minted: no index is on what publishing changes. What is parked waits for a person.
func everybodys(schema string) []Rule {
	return []Rule{
		{schema, "outbox", "id", `published_at < platform.now() - interval '7 days' AND id < (lpad(to_hex(
			(extract(epoch FROM platform.now() - interval '7 days') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`, Hourly},
		{schema, "inbox_processed", "event_id, processor", "processed_at < platform.now() - interval '31 days'", Weekly},
	}
}

// idempotency removes answers that nobody gets any more.
func idempotency(schema string) Rule {
	return Rule{Schema: schema, Table: "idempotency", Key: "key", Over: "expires_at < platform.now()", Cadence: Hourly}
}
