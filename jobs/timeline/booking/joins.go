package booking

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A join is a table whose rows relate ids of one booking. Its query returns an array of ids for each row with a known
// id: @ids and @texts of things, @sessions and @visits (the same as texts) if @wide.
type join struct{ table, query string }

var joins = []join{
	{"bff_tenant_booking.booking_drafts", `
		SELECT ARRAY['bdr:' || draft_id, 'rsv:' || reservation_id, 'tnt_session:' || session_id, body #>> '{payment,intentId}', body ->> 'arrival']
		FROM bff_tenant_booking.booking_drafts
		WHERE draft_id = ANY (@ids) OR reservation_id = ANY (@ids) OR body ->> 'arrival' = ANY (@texts) OR (@wide AND session_id = ANY (@sessions))`},
	{"bff_tenant_booking.booking_draft_snapshots", `
		SELECT ARRAY[draft_id, reservation_id, session_id]
		FROM bff_tenant_booking.booking_draft_snapshots
		WHERE draft_id = ANY (@texts) OR reservation_id = ANY (@texts) OR (@wide AND session_id = ANY (@visits))`},
	{"bff_tenant_booking.handoff_arrival_log", `
		SELECT ARRAY[id, 'bhd:' || handoff_id, booking_draft_id, 'tnt_session:' || session_id, consumer_session_id]
		FROM bff_tenant_booking.handoff_arrival_log
		WHERE id = ANY (@texts) OR handoff_id = ANY (@ids) OR booking_draft_id = ANY (@texts)
		   OR (@wide AND (session_id = ANY (@sessions) OR consumer_session_id = ANY (@visits)))`},
	{"bff_consumer.handoff_ledger", `
		SELECT ARRAY['bhd:' || handoff_id, 'gms:' || guest_session_id]
		FROM bff_consumer.handoff_ledger
		WHERE handoff_id = ANY (@ids) OR (@wide AND guest_session_id = ANY (@sessions))`},
	{"reservation.reservations", `
		SELECT ARRAY['rsv:' || reservation_id, 'bdr:' || draft_id, 'qte:' || quote_id, 'pyi:' || payment_intent_id, 'tnt_session:' || session_id]
		FROM reservation.reservations
		WHERE reservation_id = ANY (@ids) OR draft_id = ANY (@ids) OR quote_id = ANY (@ids) OR (@wide AND session_id = ANY (@sessions))`},
	{"reservation.quotes", `
		SELECT ARRAY['qte:' || quote_id, 'bdr:' || draft_id, 'tnt_session:' || session_id]
		FROM reservation.quotes
		WHERE quote_id = ANY (@ids) OR draft_id = ANY (@ids) OR (@wide AND session_id = ANY (@sessions))`},
	{"reservation.holds", `
		SELECT ARRAY['hld:' || hold_id, 'rsv:' || reservation_id] || ARRAY(SELECT 'inv:' || a FROM unnest(allocation_ids) AS a)
		FROM reservation.holds
		WHERE hold_id = ANY (@ids) OR reservation_id = ANY (@ids) OR allocation_ids && @ids`},
	{"sandbox.intents", `
		SELECT ARRAY['pyi:' || intent_id, 'rsv:' || reservation_id]
		FROM sandbox.intents
		WHERE intent_id = ANY (@ids) OR reservation_id = ANY (@ids)`},
	{"sandbox.allocations", `
		SELECT ARRAY['inv:' || allocation_id, 'rsv:' || reservation_id]
		FROM sandbox.allocations
		WHERE allocation_id = ANY (@ids) OR reservation_id = ANY (@ids)`},
}

// named are the members of a payload with ids of one booking.
const named = `ARRAY[payload ->> 'draftId', payload ->> 'reservationId', payload ->> 'quoteId', payload ->> 'paymentIntentId',
	payload ->> 'intentId', payload ->> 'allocationId', payload ->> 'handoffId', payload ->> 'handoffArrivalId']`

// visited are the members of a payload with ids of sessions.
const visited = `ARRAY[payload ->> 'sessionId', payload ->> 'deviceId', payload ->> 'guestSessionId', payload ->> 'consumerSessionId']`

// IsName reports whether a text has the form of a name of a booking: an id or a reservation's code.
func IsName(text string) bool {
	_, _, id := parse(text)
	return id || isCode(text)
}

func isCode(text string) bool { return strings.HasPrefix(strings.ToUpper(text), "GM-") }

func isEvent(text string) bool { return strings.HasPrefix(text, "evt_") }

// TenantQuery returns the query for the tenants of the events of a schema that have the name @name, or that the event @name caused.
func TenantQuery(schema string) string {
	return `SELECT DISTINCT tenant_id FROM ` + pgx.Identifier{schema, "outbox"}.Sanitize() + `
		WHERE tenant_id IS NOT NULL AND (` + named + ` || ` + visited + ` @> ARRAY[@name::text] OR payload ->> 'reservationCode' = upper(@name)
			OR event_id = @name OR envelope ->> 'causationId' = @name)`
}

// find adds every id that is related to the first.
func (t *collector) find(ctx context.Context, name string) error {
	t.wide = session(name)
	switch {
	case isEvent(name):
		if err := t.findOfEvent(ctx, name); err != nil {
			return err
		}
	case isCode(name):
		byCode := join{"reservation.reservations", `SELECT ARRAY['rsv:' || reservation_id] FROM reservation.reservations WHERE code = @code`}
		if err := t.learnFrom(ctx, byCode, pgx.NamedArgs{"code": strings.ToUpper(name)}, new(bool)); err != nil {
			return err
		}
	case !t.learn(name):
		return fmt.Errorf("%w: %q is neither an id nor a reservation's code", ErrUnknown, name)
	}
	queries := t.joins()
	for grown := true; grown; {
		grown = false
		for _, query := range queries {
			if err := t.learnFrom(ctx, query, t.args(), &grown); err != nil {
				return err
			}
		}
	}
	return nil
}

// findOfEvent adds the ids of the booking of an event, or those of its session if it has no booking. The events of other services are
// in no outbox here; they belong to the booking of the events that they caused.
func (t *collector) findOfEvent(ctx context.Context, event string) error {
	for _, condition := range []string{`event_id = @event`, `envelope ->> 'causationId' = @event`} {
		for _, schema := range t.outlets {
			ids := join{schema + ".outbox", `SELECT ` + named + ` || ` + visited + ` || ARRAY[envelope ->> 'sessionId'] FROM ` +
				pgx.Identifier{schema, "outbox"}.Sanitize() + ` WHERE ` + condition}
			if err := t.learnFrom(ctx, ids, pgx.NamedArgs{"event": event}, new(bool)); err != nil {
				return err
			}
		}
		if len(t.things)+len(t.sessions) > 0 {
			t.wide = len(t.things) == 0
			return nil
		}
	}
	return fmt.Errorf("%w: %s", ErrNoBooking, event)
}

// joins returns the queries for the existing tables and outboxes.
func (t *collector) joins() (queries []join) {
	for _, j := range joins {
		if t.tables[j.table] {
			queries = append(queries, j)
		}
	}
	for _, schema := range t.outlets {
		queries = append(queries, join{schema + ".outbox", `SELECT ` + named + ` || ` + visited + ` FROM ` + pgx.Identifier{schema, "outbox"}.Sanitize() +
			` WHERE ` + named + ` && @texts OR (@wide AND ` + visited + ` && @visits)`})
	}
	return queries
}

// args returns the arguments of all queries. Few queries use all of them, so they are not strict.
func (t *collector) args() pgx.NamedArgs {
	return pgx.NamedArgs{"all": t.all, "wide": t.wide, "ids": bits(t.things), "texts": sorted(t.things),
		"sessions": bits(t.sessions), "visits": sorted(t.sessions)}
}

func (t *collector) learnFrom(ctx context.Context, j join, args pgx.NamedArgs, grown *bool) error {
	schema, _, _ := strings.Cut(j.table, ".")
	var found []*string
	err := t.query(ctx, schema, j.query, args, []any{&found}, func() error {
		for _, name := range found {
			if name != nil && t.learn(*name) {
				*grown = true
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("timeline: join: %w", err)
	}
	return nil
}
