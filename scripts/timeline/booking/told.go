package booking

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
)

// A row of an outbox, as far as a story needs it.
type entry struct {
	schema, event, subject string
	seq                    int64
	at                     time.Time
	status, reason         string
	clues
	payload []byte
	names   []string
}

// events collects what was told of the booking, and what was told because of that.
func (t *teller) events(ctx context.Context) error {
	found, chain := map[string]entry{}, trail{}
	for {
		before := len(found)
		for _, schema := range t.outlets {
			if err := t.told(ctx, schema, chain, found); err != nil {
				return fmt.Errorf("life: outbox of %s: %w", schema, err)
			}
		}
		if t.all || len(found) == before {
			break
		}
		chain = trailOf(found)
	}
	for _, e := range found {
		t.moments = append(t.moments, e.moment())
	}
	return nil
}

// A trail is what events have in common with those that they led to, and with the calls that told them.
type trail struct{ events, requests, traces []string }

func trailOf(found map[string]entry) (c trail) {
	for _, e := range found {
		c.events = append(c.events, e.event)
		c.requests = append(c.requests, e.request, e.correlation)
		c.traces = append(c.traces, e.trace)
	}
	return c.compact()
}

func (c trail) compact() trail {
	for _, list := range []*[]string{&c.events, &c.requests, &c.traces} {
		slices.Sort(*list)
		*list = slices.DeleteFunc(slices.Compact(*list), func(s string) bool { return s == "" })
	}
	return c
}

func (c trail) args(a pgx.NamedArgs) pgx.NamedArgs {
	a["events"], a["requests"], a["traces"] = c.events, c.requests, c.traces
	return a
}

// told reads one outbox: what names the booking or happened in its sessions, and what is joined to that by cause, by
// correlation or by trace. What names another booking is another story, though a sweep may have told both.
func (t *teller) told(ctx context.Context, schema string, chain trail, found map[string]entry) error {
	rows, _ := t.conn.Query(ctx, `
		SELECT event_id, subject, seq, enqueued_at, status, coalesce(parked_reason, last_error, ''),
			coalesce(envelope ->> 'requestId', ''), coalesce(envelope ->> 'correlationId', ''), coalesce(envelope ->> 'causationId', ''),
			split_part(coalesce(envelope ->> 'traceId', ''), '-', 2), payload::text, `+named+`
		FROM `+pgx.Identifier{schema, "outbox"}.Sanitize()+`
		WHERE @all OR `+named+` && @texts OR envelope ->> 'sessionId' = ANY (@visits) OR envelope ->> 'causationId' = ANY (@events)
		   OR envelope ->> 'requestId' = ANY (@requests) OR envelope ->> 'correlationId' = ANY (@requests)
		   OR split_part(envelope ->> 'traceId', '-', 2) = ANY (@traces)`, chain.args(t.args()))
	var e entry
	var payload string
	var names []*string
	_, err := pgx.ForEachRow(rows, []any{&e.event, &e.subject, &e.seq, &e.at, &e.status, &e.reason,
		&e.request, &e.correlation, &e.causation, &e.trace, &payload, &names}, func() error {
		one := e
		one.schema, one.payload, one.names = schema, []byte(payload), given(names)
		if t.knows(one.names) || !t.strange(one.names) {
			found[one.event] = one
		}
		return nil
	})
	return err
}

func (e entry) moment() Moment {
	what := []string{plain(e.subject), short(e.event)}
	what = append(what, details(e.payload)...)
	if words := brief(e.names); words != "" {
		what = append(what, words)
	}
	if e.status != "published" {
		what = append(what, strings.TrimSuffix(e.status+": "+veil(e.reason), ": "))
	}
	c := e.clues
	c.event = e.event
	return Moment{At: e.at, Service: service(e.schema), Kind: Published, What: strings.Join(what, "  "), clues: c}
}

// plain is a subject without what all of them have.
func plain(subject string) string {
	return strings.TrimSuffix(strings.TrimPrefix(subject, "melmastoon."), ".v1")
}

// telling are the members of payloads that are shown. None of them can hold what a guest typed.
var telling = []string{"fromState", "toState", "lastFlowState", "atState", "errorCode", "reasonCode", "failureCode", "method", "paymentMethod",
	"amountMicro", "amountMinor", "totalCapturedMinor", "currency", "totalCapturedCurrency", "units", "cache", "verdict"}

// details are the telling members of a payload.
func details(payload []byte) (words []string) {
	var members map[string]jsontext.Value
	if json.Unmarshal(payload, &members) != nil {
		return []string{"(no object)"}
	}
	for _, name := range telling {
		if value, ok := members[name]; ok {
			words = append(words, name+"="+strings.Trim(string(value), `"`))
		}
	}
	return words
}

// told events of the moments collected so far.
func (t *teller) toldEvents() (all []string) {
	for _, m := range t.moments {
		if m.Kind == Published {
			all = append(all, m.event)
		}
	}
	return all
}

// heard collects where the events have had their effect.
func (t *teller) heard(ctx context.Context) error {
	for _, schema := range t.outlets {
		if !t.tables[schema+".inbox_processed"] {
			continue
		}
		rows, _ := t.conn.Query(ctx, `
			SELECT 'evt:' || event_id, processor, subject, processed_at
			FROM `+pgx.Identifier{schema, "inbox_processed"}.Sanitize()+` WHERE @all OR event_id = ANY (@heard)`,
			pgx.NamedArgs{"all": t.all, "heard": uuids(t.toldEvents())})
		var event, processor, subject string
		var at time.Time
		_, err := pgx.ForEachRow(rows, []any{&event, &processor, &subject, &at}, func() error {
			name, _, _ := parse(event)
			t.moments = append(t.moments, Moment{At: at, Service: service(schema), Kind: Consumed,
				What: plain(subject) + "  " + short(name) + "  by " + processor, clues: clues{event: name, function: processor}})
			return nil
		})
		if err != nil {
			return fmt.Errorf("life: inbox of %s: %w", schema, err)
		}
	}
	return nil
}

func uuids(texts []string) [][16]byte {
	all := [][16]byte{}
	for _, text := range texts {
		if _, b, ok := parse(text); ok {
			all = append(all, b)
		}
	}
	return all
}

// owed collects what the bus has not delivered yet.
func (t *teller) owed(ctx context.Context) error {
	if !t.tables["bus.deliveries"] {
		return nil
	}
	rows, _ := t.conn.Query(ctx, `
		SELECT m.published_at, m.attributes ->> 'ce-id', m.topic, d.subscription, d.attempt
		FROM bus.deliveries AS d JOIN bus.messages AS m USING (seq) JOIN bus.subscriptions AS s ON s.name = d.subscription
		WHERE s.endpoint <> '' AND (@all OR m.attributes ->> 'ce-id' = ANY (@events))`, pgx.NamedArgs{"all": t.all, "events": t.toldEvents()})
	var at time.Time
	var event *string
	var topic, subscription string
	var attempt int
	_, err := pgx.ForEachRow(rows, []any{&at, &event, &topic, &subscription, &attempt}, func() error {
		t.moments = append(t.moments, Moment{At: at, Service: "bus", Kind: Pending, clues: clues{event: or(event)},
			What: fmt.Sprintf("%s  %s  to %s, pushed %d times", plain(topic), short(or(event)), subscription, attempt)})
		return nil
	})
	if err != nil {
		return fmt.Errorf("life: bus: %w", err)
	}
	return nil
}

// dead collects what was given up, by a function that parked it or by the bus after too many attempts.
func (t *teller) dead(ctx context.Context) error {
	if !t.tables["bus.messages"] {
		return nil
	}
	rows, _ := t.conn.Query(ctx, `
		SELECT published_at, attributes ->> 'ce-id', coalesce(attributes ->> 'ce-type', ''),
			coalesce(attributes ->> 'melmastoon-parked-by', attributes ->> 'CloudPubSubDeadLetterSourceSubscription'),
			coalesce(attributes ->> 'melmastoon-parked-reason', attributes ->> 'melmastoon-last-answer', '')
		FROM bus.messages
		WHERE (attributes ? 'melmastoon-parked-by' OR attributes ? 'CloudPubSubDeadLetterSourceSubscription')
		  AND (@all OR attributes ->> 'ce-id' = ANY (@events))`, pgx.NamedArgs{"all": t.all, "events": t.toldEvents()})
	var at time.Time
	var event *string
	var subject, by, reason string
	_, err := pgx.ForEachRow(rows, []any{&at, &event, &subject, &by, &reason}, func() error {
		t.moments = append(t.moments, Moment{At: at, Service: "bus", Kind: DeadLettered, clues: clues{event: or(event), function: by},
			What: fmt.Sprintf("%s  %s  given up by %s: %s", plain(subject), short(or(event)), by, veil(reason))})
		return nil
	})
	if err != nil {
		return fmt.Errorf("life: dead letters: %w", err)
	}
	return nil
}

func or(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
