package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func reported(published int) outbox.Report { return outbox.Report{Published: published} }

func TestRelay_messageForm(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.mustWrite(t, draftOf("tenant:1", 3))
	r.Advance(time.Hour)
	r.mustRelay(t, reported(1))
	m := r.bus.Messages()[0]
	switch {
	case m.Topic != domain.Name:
		t.Errorf("m.Topic = %v, want %v", m.Topic, domain.Name)
	case m.OrderingKey != "tenant:1":
		t.Errorf(`m.OrderingKey = %q, want "tenant:1"`, m.OrderingKey)
	case m.Attributes["ce-type"] != domain.Name:
		t.Errorf(`m.Attributes["ce-type"] = %v, want %v`, m.Attributes["ce-type"], domain.Name)
	case m.Attributes["content-type"] != "application/json":
		t.Errorf(`m.Attributes["content-type"] = %q, want "application/json"`, m.Attributes["content-type"])
	}
	var published time.Time
	err := r.Owner(t).QueryRow(t.Context(), `SELECT published_at FROM sandbox.outbox WHERE occurred_at < published_at - interval '59 minutes'`).Scan(&published)
	check.Must(t, err)
	if want := fmt.Sprintf(`"publishedAt":"%s"`, published.UTC().Format("2006-01-02T15:04:05.000Z")); !strings.Contains(string(m.Data), want) {
		t.Errorf("got %s, want it to say %s", m.Data, want)
	}
	r.mustRelay(t, reported(0))
}

func TestRelay_failingKey(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	broken := true
	r.bus.Refuse = func(m topic.Message) error {
		if broken && m.OrderingKey == "bad" {
			return errors.New("try later")
		}
		return nil
	}
	var events []event.Draft
	for version := range 1100 { // more than one turn reads
		events = append(events, draftOf("bad", version+1))
	}
	r.mustWrite(t, events...)
	neighbour := r.neighbour(t, "bad") // in the same lane, behind all of them
	r.mustWrite(t, draftOf(neighbour, 1), draftOf("elsewhere", 1))
	r.mustRelay(t, outbox.Report{Published: 2, Failed: 1})
	r.mustRelay(t, reported(0)) // the failed one waits, and the others of its key with it
	check.Equal(t, r.rows(t)[:2], []string{"bad 1 retrying", "bad 2 pending"}, "rows")
	for _, wait := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		r.Advance(wait)
		r.mustRelay(t, outbox.Report{Failed: 1})
	}
	broken = false
	r.mustRelay(t, reported(0))
	r.Advance(8 * time.Second)
	r.mustRelay(t, reported(1100))
	if bad := faults(r.bus.Messages(), map[string]int{"bad": 1100, neighbour: 1, "elsewhere": 1}); bad != nil {
		t.Error(bad)
	}
}

// neighbour returns a key of the same lane.
func (r *fixture) neighbour(t testing.TB, key string) (found string) {
	t.Helper()
	err := r.Owner(t).QueryRow(t.Context(), `
		SELECT 'n' || n FROM generate_series(1, 10000) n
		WHERE hashtextextended('n' || n, 0) & 63 = hashtextextended($1, 0) & 63 LIMIT 1`, key).Scan(&found)
	check.Must(t, err)
	return found
}

func TestRelay_countsStuck(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.bus.Refuse = func(topic.Message) error { return errors.New("try later") }
	r.mustWrite(t, draftOf("k", 1))
	r.mustRelay(t, outbox.Report{Failed: 1})
	r.Advance(6 * time.Minute)
	if report, err := relay(t.Context(), r.relay); report != (outbox.Report{Failed: 1, Stuck: outbox.Stuck{Evidence: 1}}) || err != nil {
		t.Errorf("got %+v, %v, want one stuck", report, err)
	}
}

// An event whose lane another session has locked is stuck, although no attempt has failed.
func TestRelay_countsLocked(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.mustWrite(t, draftOf("k", 1))
	foreign, err := r.Owner(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := foreign.Exec(t.Context(), `SELECT FROM sandbox.outbox_lanes FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	r.mustRelay(t, outbox.Report{})
	r.Advance(6 * time.Minute)
	if report, err := relay(t.Context(), r.relay); report != (outbox.Report{Stuck: outbox.Stuck{Evidence: 1}}) || err != nil {
		t.Errorf("got %+v, %v, want one stuck", report, err)
	}
	if err := foreign.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.mustRelay(t, outbox.Report{Published: 1})
}

func TestRelay_parks(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.bus.Refuse = func(m topic.Message) error {
		if strings.HasSuffix(m.Attributes["ce-sequence"], "2") {
			return fmt.Errorf("%w: too large", topic.ErrRefused)
		}
		return nil
	}
	r.mustWrite(t, draftOf("k", 1), draftOf("k", 2), draftOf("k", 3), draftOf("undecodable", 1), draftOf("undecodable", 3))
	r.exec(t, `UPDATE sandbox.outbox SET envelope = '{"eventId": 5}' WHERE ordering_key = 'undecodable' AND envelope -> 'metadata' ->> 'aggregateVersion' = '1'`)
	report, err := relay(t.Context(), r.relay)
	check.Equal(t, report, outbox.Report{Published: 3, Parked: 2, Stuck: outbox.Stuck{Evidence: 2}})
	check.NoError(t, err)
	want := []string{"k 1 published", "k 2 parked", "k 3 published", "undecodable - parked", "undecodable 3 published"}
	check.Equal(t, r.rows(t), want, "rows")
	var reasons []string
	if err := r.Owner(t).QueryRow(t.Context(), `SELECT array_agg(parked_reason ORDER BY seq) FROM sandbox.outbox WHERE parked_reason IS NOT NULL`).Scan(&reasons); err != nil {
		t.Fatal(err)
	}
	switch {
	case len(reasons) != 2:
		t.Errorf("len(reasons) = %v, want 2", len(reasons))
	case !strings.Contains(reasons[0], "too large"):
		t.Errorf("reasons[0] = %q, want one containing %q", reasons[0], "too large")
	case !strings.Contains(reasons[1], "does not decode"):
		t.Errorf("reasons[1] = %q, want one containing %q", reasons[1], "does not decode")
	}
	r.bus.Refuse = nil // a person has seen to it
	r.exec(t, `UPDATE sandbox.outbox SET parked_reason = NULL WHERE ordering_key = 'k'; DELETE FROM sandbox.outbox WHERE parked_reason IS NOT NULL`)
	r.mustRelay(t, reported(1))
}

func TestRelay_undecidedPublisher(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.bus.Refuse = func(topic.Message) error { return topic.ErrHeldBack }
	r.mustWrite(t, draftOf("k", 1), draftOf("k", 2))
	r.mustRelay(t, outbox.Report{Failed: 1})
}

func TestRelay_withoutPublisher(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.mustWrite(t, draftOf("k", 1))
	check.Got(relay(t.Context(), r.store)).Fails(t, "a relay without a publisher")
}

// A relay that is killed after any step loses no events: as soon as its lease has expired, another one continues.
func TestRelay_killed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		after     string
		published int // by the one that was killed
		repeats   int // events published again by the second relay
	}{
		{"take", 0, 0},
		{"publish", 3, 3},
		{"settle", 3, 0},
	} {
		t.Run(test.after, func(t *testing.T) {
			t.Parallel()
			r := newFixture(t)
			r.mustWrite(t, draftOf("k", 1), draftOf("k", 2), draftOf("l", 1))
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var dying *outbox.Outbox
			want := errKilled
			switch test.after {
			case "take":
				dying = r.stepping(kill, nil)
			case "publish":
				dying = r.stepping(nil, kill)
			case "settle": // its context ends, but the turn still settles
				dying, want = r.stepping(nil, stop), context.Canceled
			}
			if err := relayKilled(ctx, dying); !errors.Is(err, want) {
				t.Fatalf("got %v, want %v", err, want)
			}
			check.Equal(t, len(r.bus.Messages()), test.published, "messages published before it was killed")
			if test.after != "settle" {
				r.mustRelay(t, reported(0)) // the lanes are still leased
			}
			r.lapse(t)
			r.mustRelay(t, reported(3-test.published+test.repeats))
			if bad := faults(r.bus.Messages(), map[string]int{"k": 2, "l": 1}); bad != nil {
				t.Error(bad)
			}
		})
	}
}
