package outbox_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// with is the event with another member in its payload, or without it.
func with(d event.Draft, name string, value any) event.Draft {
	payload := maps.Clone(d.Payload.(map[string]any))
	payload[name] = value
	if value == nil {
		delete(payload, name)
	}
	d.Payload = payload
	return d
}

func TestAppend_contractViolation(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	unkeyed := draftOf("", 1)
	for _, test := range []struct {
		name  string
		event event.Draft
		says  string
	}{
		{"a member is missing", with(draftOf("k", 1), "units", nil), "/units"},
		{"a member is of the wrong form", with(draftOf("k", 1), "reasonCode", "mood"), "/reasonCode"},
		{"a member that no schema names", with(draftOf("k", 1), "email", "guest@example.com"), "/email"},
		{"no ordering key", unkeyed, "ordering key"},
		{"a zero character, which the table cannot keep", with(draftOf("k", 1), "failedAt", "a\x00b"), "zero character"},
		{"a subject without a schema", event.Draft{Subject: event.Subject{Name: "melmastoon.nobody.knows.v1", Version: 1, Producer: "x"}, OrderingKey: "k"}, "melmastoon.nobody.knows.v1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := r.db.InTx(t.Context(), func(tx postgres.Tx) error {
				check.Must(t, r.store.Append(t.Context(), tx, draftOf("effect", 1)))
				return r.store.Append(t.Context(), tx, test.event)
			})
			switch {
			case err == nil:
				t.Errorf("%s: err = nil, want a value", test.name)
			case !strings.Contains(err.Error(), test.says):
				t.Errorf("%s: err.Error() = %q, want one containing %q", test.name, err.Error(), test.says)
			case strings.Contains(err.Error(), "guest@"):
				t.Errorf("%s: err.Error() = %q, want one without %q", test.name, err.Error(), "guest@")
			}
		})
	}
	check.Equal(t, len(r.rows(t)), 0, "rows that the transactions left")
}

func TestAppend_invalidOperational(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	for _, payload := range []any{
		map[string]any{"step": "quote"},         // no schema knows it
		map[string]any{"step": "a\x00b"},        // the table cannot keep it
		map[string]any{"step": make(chan bool)}, // it has no JSON form
	} {
		r.mustWrite(t, draftOf("booking", 1), event.Draft{Subject: operational, OrderingKey: "session", Payload: payload})
	}
	want := []string{"booking 1 pending", "session - parked", "booking 1 pending", "session - parked", "booking 1 pending", "session - parked"}
	check.Equal(t, r.rows(t), want, "rows")
	report, err := relay(t.Context(), r.relay)
	check.Equal(t, report, outbox.Report{Published: 3, Stuck: outbox.Stuck{Operational: 3}}, "relay")
	check.NoError(t, err, "relay")
	check.Equal(t, names(r.bus.Messages()), []string{"booking 1", "booking 1", "booking 1"}, "published")
}

// The retention class of an event decides whether its violation fails the act and what a relay counts, not the service that publishes it.
func TestAppend_retentionClass(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		subject, class string
		fails          bool
	}{
		{"melmastoon.bff.consumer.handoff.initiated.v1", event.Audit, true},
		{"melmastoon.bff.tenant.booking.draft.created.v1", event.Regulated, true},
		{"melmastoon.bff.consumer.click.recorded.v1", event.Operational, false},
		{"melmastoon.reservation.overstayed.v1", event.Operational, false},
		{"melmastoon.reservation.held.v1", event.Regulated, true},
		{"melmastoon.reservation.held.v1", "", true}, // undeclared
	} {
		t.Run(test.subject+" "+test.class, func(t *testing.T) {
			t.Parallel()
			r := newFixture(t)
			broken := event.Draft{OrderingKey: "k", Payload: struct{}{},
				Subject: event.Subject{Name: test.subject, Version: 1, Producer: "x", Retention: event.Retention{Class: test.class}}}
			if err := r.write(t.Context(), r.store, nil, broken); (err != nil) != test.fails {
				t.Fatalf("Append() error = %v, want one: %t", err, test.fails)
			}
			intact := with(draftOf("intact", 1), "units", 2)
			intact.Subject.Retention.Class = test.class
			r.mustWrite(t, intact)
			r.bus.Refuse = func(topic.Message) error { return errors.New("try later") }
			want := outbox.Report{Failed: 1}
			if !test.fails {
				want.Stuck.Operational = 1 // the parked one
			}
			r.mustRelay(t, want)
			r.Advance(6 * time.Minute)
			if test.fails {
				want.Stuck.Evidence = 1
			} else {
				want.Stuck.Operational = 2
			}
			r.mustRelay(t, want)
		})
	}
}

func TestAppend_escapedBackslash(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	err := r.write(t.Context(), r.store, nil, with(draftOf("k", 1), "failedAt", `a\u0000b`))
	if err == nil || !strings.Contains(err.Error(), "/failedAt") {
		t.Errorf("got %v, want only the schema to refuse it", err)
	}
}

func TestAppend_row(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	d := draftOf("tenant:1", 7)
	d.ID = id.New[id.Event]()
	ctx := event.WithOrigin(t.Context(), event.Origin{RequestID: "req_1", Session: "s"})
	check.Must(t, r.write(ctx, r.store, nil, d))
	var rowID, tenant, eventID, subject, key string
	var payload []byte
	err := r.Owner(t).QueryRow(ctx, `
		SELECT replace(id::text, '-', ''), replace(tenant_id::text, '-', ''), event_id, subject, ordering_key, payload
		FROM sandbox.outbox WHERE occurred_at <= enqueued_at AND envelope ->> 'requestId' = 'req_1' AND envelope ->> 'publishedAt' IS NULL`).
		Scan(&rowID, &tenant, &eventID, &subject, &key, &payload)
	check.Must(t, err)
	switch {
	case eventID != d.ID.String():
		t.Errorf("eventID = %v, want %v", eventID, d.ID.String())
	case rowID != fmt.Sprintf("%x", d.ID[:]):
		t.Errorf("rowID = %v, want %v", rowID, fmt.Sprintf("%x", d.ID[:]))
	case tenant != fmt.Sprintf("%x", d.Tenant[:]):
		t.Errorf("tenant = %v, want %v", tenant, fmt.Sprintf("%x", d.Tenant[:]))
	}
	check.Equal(t, subject, domain.Name)
	check.Equal(t, key, "tenant:1")
	if want, _ := json.Marshal(d.Payload); !sameJSON(payload, want) {
		t.Errorf("got payload %s, want %s", payload, want)
	}
}

// TestAppend_extensions publishes an event of each kind of envelope from its row.
func TestAppend_extensions(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	full, flat := draftOf("tenant:1", 7), draftOf("tenant:2", 8)
	full.Extensions, flat.Extensions = event.Extensions{"errorcode": "MELMASTOON.X"}, event.Extensions{"errorcode": "MELMASTOON.Y"}
	flat.Subject.Flat = true
	r.mustWrite(t, full)
	r.mustRelay(t, reported(1))
	r.mustWrite(t, flat)
	r.mustRelay(t, reported(1))
	messages := r.bus.Messages()
	if got, want := names(messages), []string{"tenant:1 7", "tenant:2 8"}; !slices.Equal(got, want) {
		t.Fatalf("published %v, want %v", got, want)
	}
	for i, code := range []string{"MELMASTOON.X", "MELMASTOON.Y"} {
		t.Run(code, func(t *testing.T) {
			m := messages[i]
			check.Equal(t, m.Attributes["ce-errorcode"], code)
			check.Equal(t, m.Attributes["ce-partitionkey"], m.OrderingKey)
			metadata, extensions := strings.Contains(string(m.Data), "metadata"), strings.Contains(string(m.Data), "errorcode")
			if metadata == (i == 1) || extensions {
				t.Errorf("published %s", m.Data)
			}
		})
	}
}

func TestAppend_operationalExtension(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.mustWrite(t, event.Draft{Subject: operational, OrderingKey: "session", Payload: struct{}{}, Extensions: event.Extensions{"id": "other"}})
	check.Equal(t, r.rows(t), []string{"session - parked"}, "rows")
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	s, _ := json.Marshal(x, json.Deterministic(true))
	u, _ := json.Marshal(y, json.Deterministic(true))
	return string(s) == string(u)
}

func TestAppend_sameEventTwice(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	d := draftOf("k", 1)
	d.ID = id.New[id.Event]()
	r.mustWrite(t, d)
	if err := r.write(t.Context(), r.store, nil, d); !postgres.Violates(err, "outbox_pkey") {
		t.Errorf("appended twice: got %v, want the primary key to refuse it", err)
	}
}

// The writers of a key follow each other, so that seq is the order of commits. Without that a later version could be
// committed, and published, while an earlier one is still on its way.
func TestAppend_writersOfOneKey(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	second := make(chan error, 1)
	err := r.write(t.Context(), r.store, func() {
		go func() { second <- r.write(t.Context(), r.store, nil, draftOf("k", 2)) }()
		r.await(t, `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)`)
		r.mustWrite(t, draftOf("other", 1))
		r.mustRelay(t, reported(1))
	}, draftOf("k", 1))
	check.Must(t, err)
	check.Must(t, <-second)
	r.mustRelay(t, reported(2))
	check.Equal(t, names(r.bus.Messages()), []string{"other 1", "k 1", "k 2"}, "published")
}
