package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

// The tests write to the sandbox's outbox. It is like every other: see TestSchema_sameTables.
const schema = "sandbox"

var (
	domain      = event.Subject{Name: "melmastoon.inventory.allocation.failed.v1", Version: 1, Producer: "inventory-service", Retention: event.Retention{Class: event.Regulated}}
	operational = event.Subject{Name: "melmastoon.bff.tenant.flow.step_completed.v1", Version: 1, Producer: "bff-tenant-booking-service", Retention: event.Retention{Class: event.Operational}}
)

type fixture struct {
	*pgtest.Database
	db    *postgres.DB
	bus   *topictest.Memory
	store *outbox.Outbox // has no publisher, so appended events wait for a relay
	relay *outbox.Outbox
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	d := pgtest.New(t)
	e := d.Env().With("DATABASE_POOL", "24")
	r := &fixture{Database: d, db: postgres.Open(e, schema), bus: &topictest.Memory{}}
	r.store = outbox.Open(e, r.db)
	r.relay = outbox.Open(topic.PublisherKey.With(e, r.bus), r.db).WithLongTimeouts()
	return r
}

// draftOf returns the version'th event of a key.
func draftOf(key string, version int) event.Draft {
	tenant := id.New[id.Tenant]()
	return event.Draft{Subject: domain, Tenant: tenant, OrderingKey: key, AggregateVersion: version, Payload: map[string]any{
		"tenantId": tenant, "propertyId": id.New[id.Property](), "allocationId": id.New[id.Allocation](),
		"reservationId": id.New[id.Reservation](), "roomTypeId": id.New[id.RoomType](), "units": 1, "reasonCode": "expired",
		"stayWindow": map[string]string{"start": "2026-05-01", "end": "2026-05-03"}, "failedAt": "2026-04-30T10:00:00Z",
	}}
}

// write appends in a transaction of its own, and runs then when the rows are in the database and not yet committed.
func (r *fixture) write(ctx context.Context, o *outbox.Outbox, then func(), events ...event.Draft) error {
	return r.db.InTx(ctx, func(tx postgres.Tx) error {
		if err := o.Append(ctx, tx, events...); err != nil || then == nil {
			return err
		}
		_, err := tx.Now(ctx) // any statement sends the queued ones
		then()
		return err
	})
}

func (r *fixture) mustWrite(t testing.TB, events ...event.Draft) {
	t.Helper()
	check.Must(t, r.write(t.Context(), r.store, nil, events...))
}

func (r *fixture) mustRelay(t testing.TB, want outbox.Report) {
	t.Helper()
	got, err := relay(t.Context(), r.relay)
	if err != nil || got != want {
		t.Fatalf("relay: got %+v, %v, want %+v", got, err, want)
	}
}

// relay runs a relay and returns what it counted, without delays.
func relay(ctx context.Context, o *outbox.Outbox) (outbox.Report, error) {
	var tally outbox.Tally
	err := o.Tick(outbox.Tallied(ctx, &tally), time.Time{})
	report := tally.Report()
	report.Late, report.Slowest = 0, 0
	return report, err
}

// exec runs a statement as the owner.
func (r *fixture) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	check.Got(r.Owner(t).Exec(t.Context(), sql, args...)).Must(t)
}

// rows tells key, version and status of every row in the order of seq.
func (r *fixture) rows(t testing.TB) []string {
	t.Helper()
	var all []string
	err := r.Owner(t).QueryRow(t.Context(), `
		SELECT coalesce(array_agg(ordering_key || ' ' || coalesce(envelope -> 'metadata' ->> 'aggregateVersion', '-') || ' ' || status ORDER BY seq), '{}')
		FROM sandbox.outbox`).Scan(&all)
	check.Must(t, err)
	return all
}

// await asks until the question is answered with yes.
func (r *fixture) await(t testing.TB, question string) {
	t.Helper()
	conn := r.Owner(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for yes := false; !yes; {
		check.Must(t, conn.QueryRow(ctx, question).Scan(&yes), "%s", question)
	}
}

// lapse ends all leases, as time does.
func (r *fixture) lapse(t testing.TB) {
	t.Helper()
	r.exec(t, `UPDATE sandbox.outbox_lanes SET leased_until = '-infinity'`)
}

// names tells key and version of messages.
func names(messages []topic.Message) []string {
	var all []string
	for _, m := range messages {
		version, _ := strconv.Atoi(m.Attributes["ce-sequence"])
		all = append(all, fmt.Sprint(m.OrderingKey, " ", version))
	}
	return all
}

// faults describes the errors in the published messages, given the number of versions written per key: a lost version, or one
// that was first published after a later one. Repeats are allowed.
func faults(messages []topic.Message, written map[string]int) []string {
	var found []string
	first := map[string][]int{}
	for _, m := range messages {
		version, _ := strconv.Atoi(m.Attributes["ce-sequence"])
		if !slices.Contains(first[m.OrderingKey], version) {
			first[m.OrderingKey] = append(first[m.OrderingKey], version)
		}
	}
	for key, versions := range written {
		if len(first[key]) != versions {
			found = append(found, fmt.Sprintf("%s: %d of %d events", key, len(first[key]), versions))
		}
		if !slices.IsSorted(first[key]) {
			found = append(found, fmt.Sprintf("%s: out of order: %v", key, first[key]))
		}
	}
	return found
}

var errKilled = errors.New("killed")

// A stepping publisher calls functions of a test before and after it publishes: after a turn has taken its rows, and before it
// settles them.
type stepping struct {
	topic.Publisher
	before, after func()
}

func (s stepping) Publish(ctx context.Context, messages []topic.Message) []error {
	if s.before != nil {
		s.before()
	}
	errs := s.Publisher.Publish(ctx, messages)
	if s.after != nil {
		s.after()
	}
	return errs
}

// stepping returns the relay with a publisher that calls these functions.
func (r *fixture) stepping(before, after func()) *outbox.Outbox {
	return outbox.Open(topic.PublisherKey.With(r.Env(), stepping{r.bus, before, after}), r.db).WithLongTimeouts()
}

// kill ends a turn from within its publisher and leaves everything as it is, as if the process had been killed.
func kill() { panic(errKilled) }

// relayKilled runs a relay and returns errKilled if it was killed.
func relayKilled(ctx context.Context, o *outbox.Outbox) (err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case errKilled:
			err = errKilled
		default:
			panic(v)
		}
	}()
	return o.Tick(ctx, time.Time{})
}
