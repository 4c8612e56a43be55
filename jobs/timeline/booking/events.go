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

// An entry is a row of an outbox.
type entry struct {
	schema, event, subject string
	seq                    int64
	at                     time.Time
	status, reason         string
	clues
	payload []byte
	names   []string
}

// events collects the booking's events, and the events that those caused.
func (t *collector) events(ctx context.Context) error {
	found, chain := map[string]entry{}, trail{}
	for {
		before := len(found)
		for _, schema := range t.outlets {
			if err := t.readOutbox(ctx, schema, chain, found); err != nil {
				return fmt.Errorf("timeline: outbox of %s: %w", schema, err)
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

// A trail holds the ids that events share with the events that they caused, and with the calls that published them.
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

// readOutbox reads one outbox: events with ids of the booking or its sessions, and events that are related to those by
// causation, correlation or trace. Events of another booking are omitted, even if the same sweep published them.
func (t *collector) readOutbox(ctx context.Context, schema string, chain trail, found map[string]entry) error {
	var e entry
	var payload string
	var names []*string
	err := t.query(ctx, schema, `
		SELECT event_id, subject, seq, enqueued_at, status, coalesce(parked_reason, last_error, ''),
			coalesce(envelope ->> 'requestId', ''), coalesce(envelope ->> 'correlationId', ''), coalesce(envelope ->> 'causationId', ''),
			split_part(coalesce(envelope ->> 'traceId', ''), '-', 2), payload::text, `+named+`
		FROM `+pgx.Identifier{schema, "outbox"}.Sanitize()+`
		WHERE @all OR `+named+` && @texts OR envelope ->> 'sessionId' = ANY (@visits) OR envelope ->> 'causationId' = ANY (@events)
		   OR envelope ->> 'requestId' = ANY (@requests) OR envelope ->> 'correlationId' = ANY (@requests)
		   OR split_part(envelope ->> 'traceId', '-', 2) = ANY (@traces)`, chain.args(t.args()), []any{&e.event, &e.subject, &e.seq, &e.at, &e.status, &e.reason,
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

// plain returns a subject without the common prefix.
func plain(subject string) string {
	return strings.TrimSuffix(strings.TrimPrefix(subject, "melmastoon."), ".v1")
}

// printed lists the members of payloads that are printed. Their values never come from a guest's input.
var printed = []string{"fromState", "toState", "lastFlowState", "atState", "errorCode", "reasonCode", "failureCode", "method", "paymentMethod",
	"amountMicro", "amountMinor", "totalCapturedMinor", "currency", "totalCapturedCurrency", "units", "cache", "verdict"}

// details returns the printed members of a payload.
func details(payload []byte) (words []string) {
	var members map[string]jsontext.Value
	if json.Unmarshal(payload, &members) != nil {
		return []string{"(no object)"}
	}
	for _, name := range printed {
		if value, ok := members[name]; ok {
			words = append(words, name+"="+strings.Trim(string(value), `"`))
		}
	}
	return words
}

// eventIDs returns the ids of the events collected so far.
func (t *collector) eventIDs() (all []string) {
	for _, m := range t.moments {
		if m.Kind == Published {
			all = append(all, m.event)
		}
	}
	return all
}

// consumed collects the inbox entries of the events.
func (t *collector) consumed(ctx context.Context) error {
	for _, schema := range t.outlets {
		if !t.tables[schema+".inbox_processed"] {
			continue
		}
		var event, processor, subject string
		var at time.Time
		err := t.query(ctx, schema, `
			SELECT 'evt:' || event_id, processor, subject, processed_at
			FROM `+pgx.Identifier{schema, "inbox_processed"}.Sanitize()+` WHERE @all OR event_id = ANY (@consumed)`,
			pgx.NamedArgs{"all": t.all, "consumed": uuids(t.eventIDs())}, []any{&event, &processor, &subject, &at}, func() error {
				name, _, _ := parse(event)
				t.moments = append(t.moments, Moment{At: at, Service: service(schema), Kind: Consumed,
					What: plain(subject) + "  " + short(name) + "  by " + processor, clues: clues{event: name, function: processor}})
				return nil
			})
		if err != nil {
			return fmt.Errorf("timeline: inbox of %s: %w", schema, err)
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

// pending collects the events that the bus has not delivered yet.
func (t *collector) pending(ctx context.Context) error {
	if !t.tables["bus.deliveries"] {
		return nil
	}
	var at time.Time
	var event *string
	var topic, subscription string
	var attempt int
	err := t.query(ctx, "bus", `
		SELECT m.published_at, m.attributes ->> 'ce-id', m.topic, d.subscription, d.attempt
		FROM bus.deliveries AS d JOIN bus.messages AS m USING (seq) JOIN bus.subscriptions AS s ON s.name = d.subscription
		WHERE s.endpoint <> '' AND (@all OR m.attributes ->> 'ce-id' = ANY (@events))`, pgx.NamedArgs{"all": t.all, "events": t.eventIDs()}, []any{&at, &event, &topic, &subscription, &attempt}, func() error {
		t.moments = append(t.moments, Moment{At: at, Service: "bus", Kind: Pending, clues: clues{event: or(event)},
			What: fmt.Sprintf("%s  %s  to %s, pushed %d times", plain(topic), short(or(event)), subscription, attempt)})
		return nil
	})
	if err != nil {
		return fmt.Errorf("timeline: bus: %w", err)
	}
	return nil
}

// deadLetters collects the dead letters of the events.
func (t *collector) deadLetters(ctx context.Context) error {
	if !t.tables["bus.messages"] {
		return nil
	}
	var at time.Time
	var event *string
	var subject, by, reason string
	err := t.query(ctx, "bus", `
		SELECT published_at, attributes ->> 'ce-id', coalesce(attributes ->> 'ce-type', ''),
			coalesce(attributes ->> 'melmastoon-parked-by', attributes ->> 'CloudPubSubDeadLetterSourceSubscription'),
			coalesce(attributes ->> 'melmastoon-parked-reason', attributes ->> 'melmastoon-last-answer', '')
		FROM bus.messages
		WHERE (attributes ? 'melmastoon-parked-by' OR attributes ? 'CloudPubSubDeadLetterSourceSubscription')
		  AND (@all OR attributes ->> 'ce-id' = ANY (@events))`, pgx.NamedArgs{"all": t.all, "events": t.eventIDs()}, []any{&at, &event, &subject, &by, &reason}, func() error {
		t.moments = append(t.moments, Moment{At: at, Service: "bus", Kind: DeadLettered, clues: clues{event: or(event), function: by},
			What: fmt.Sprintf("%s  %s  given up by %s: %s", plain(subject), short(or(event)), by, veil(reason))})
		return nil
	})
	if err != nil {
		return fmt.Errorf("timeline: dead letters: %w", err)
	}
	return nil
}

func or(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
