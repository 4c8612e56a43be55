package outbox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A past holds a database that was restored to a moment, and a copy of its last state.
type past struct {
	now, after *pgtest.Database
	moment     time.Time
}

func goBack(t *testing.T) past {
	t.Helper()
	p := past{now: pgtest.New(t), after: pgtest.New(t)}
	p.moment = p.now.Env().Now().UTC().Truncate(time.Second)
	owner := p.after.Owner(t)
	t.Cleanup(func() {
		if _, err := owner.Exec(context.Background(), `TRUNCATE bff_tenant_booking.outbox, reservation.erasures`); err != nil {
			t.Error(err) // the invariants do not know these events
		}
	})
	return p
}

// args returns the arguments of the job that compares the two.
func (p past) args(t *testing.T) []string {
	t.Helper()
	return []string{"-lost=" + p.after.Owner(t).Config().Database, "-since=" + p.moment.Format(time.RFC3339)}
}

// event inserts an event into the outbox of a database, enqueued that long after the moment.
func (p past) event(t *testing.T, d *pgtest.Database, e id.Event, subject, payload string, since time.Duration) {
	t.Helper()
	_, err := d.Owner(t).Exec(t.Context(), `
		INSERT INTO bff_tenant_booking.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at, enqueued_at)
		VALUES (@id, @event, gen_random_uuid(), @subject, 'k', @payload, '{}', @at, @at)`,
		pgx.StrictNamedArgs{"id": e, "event": e.String(), "subject": subject, "payload": payload, "at": p.moment.Add(since)})
	check.Must(t, err)
}

func TestRun_lostReservation(t *testing.T) {
	t.Parallel()
	p := goBack(t)
	r := reservationtest.Held(t, p.after.Env(), id.New[id.Tenant](), id.New[id.Property]())
	stdout := must(t, p.now, p.args(t)...)
	contains(t, stdout, "reservation: 1 of "+held+"\n",
		"reservation "+r.ID.String()+" of tenant "+r.Tenant.String()+": was held (no guest, version 1, code "+r.Code, "; is unknown; lost events: held\n",
		"allocations "+r.Hold.Allocations[0].String())
	contains(t, must(t, p.now, append(p.args(t), "bff_consumer")...), "no reservation has lost a change\n")
}

func TestRun_lostEvents(t *testing.T) {
	t.Parallel()
	p := goBack(t)
	both, handoff := id.New[id.Event](), id.New[id.Handoff]().String()
	const consumed = "melmastoon.bff.tenant.handoff.consumed.v1"
	for _, d := range []*pgtest.Database{p.now, p.after} {
		p.event(t, d, both, consumed, `{"handoffId": "known"}`, time.Second)
	}
	t.Cleanup(func() {
		if _, err := p.now.Owner(t).Exec(context.Background(), `TRUNCATE bff_tenant_booking.outbox`); err != nil {
			t.Error(err)
		}
	})
	p.event(t, p.after, id.New[id.Event](), consumed, `{"handoffId": "`+handoff+`"}`, time.Second)
	p.event(t, p.after, id.New[id.Event](), "melmastoon.bff.tenant.payment_intent.created.v1", `{"intentId": "pyi_1", "draftId": "bdr_1"}`, -margin)
	p.event(t, p.after, id.New[id.Event](), consumed, `{"handoffId": "earlier"}`, -margin-time.Second)
	stdout := must(t, p.now, p.args(t)...)
	contains(t, stdout, "bff_tenant_booking: 2 of 3 events since ", "bff_tenant_booking: 1 of "+consumed+"\n", "handoff "+handoff+" of tenant ",
		"payment intent pyi_1 of draft bdr_1 of tenant ")
	check.Lacks(t, stdout, "known", "earlier")
}

func TestRun_lostErasure(t *testing.T) {
	t.Parallel()
	p := goBack(t)
	r := reservationtest.Held(t, p.after.Env(), id.New[id.Tenant](), id.New[id.Property]())
	_, err := p.after.Owner(t).Exec(t.Context(), `
		INSERT INTO reservation.erasures (reservation_id, tenant_id, requested_by, reason) VALUES (@reservation, @tenant, 'K. Amiri', 'asked')`,
		pgx.StrictNamedArgs{"reservation": r.ID, "tenant": r.Tenant})
	check.Must(t, err)
	session := id.New[id.GuestSession]()
	_, err = p.after.Owner(t).Exec(t.Context(), `
		INSERT INTO bff_consumer.erasure_requests (guest_session_id, requested_at, due_at) VALUES (@session, platform.now(), platform.now())`,
		pgx.StrictNamedArgs{"session": session})
	check.Must(t, err)
	contains(t, must(t, p.now, p.args(t)...), "erase reservation "+r.ID.String()+" of tenant "+r.Tenant.String()+" again\n", "erase session "+session.String()+" again\n")
}

// A production has no sandbox.
func TestRun_lostWithoutSchema(t *testing.T) {
	t.Parallel()
	p := goBack(t)
	owner := p.now.Owner(t)
	check.Got(owner.Exec(t.Context(), `ALTER SCHEMA sandbox RENAME TO away`)).Must(t)
	t.Cleanup(func() {
		if _, err := owner.Exec(context.Background(), `ALTER SCHEMA away RENAME TO sandbox`); err != nil {
			t.Error(err) // the invariants read it
		}
	})
	contains(t, must(t, p.now, p.args(t)...), "bff_consumer: 0 of 0 events since ", "no reservation has lost a change\n")
}

func TestRun_lostErrors(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	const since = "-since=2026-11-26T14:03:00Z"
	for _, test := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no moment", []string{"-lost=melmastoon-after"}, 2, "require each other"},
		{"no copy", []string{since}, 2, "require each other"},
		{"no time", []string{"-lost=melmastoon-after", "-since=yesterday"}, 2, "since"},
		{"a name with a project", []string{"-lost=other:region:melmastoon", since}, 2, "name of an instance"},
		{"two acts", []string{"-lost=melmastoon-after", since, "-show=1"}, 2, "only one"},
		{"the database itself", []string{"-lost=" + d.Owner(t).Config().Database, since}, 1, "is the database itself"},
		{"no such copy", []string{"-lost=nowhere", since}, 1, "nowhere"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if code, _, stderr := call(t, d, test.args...); code != test.code || !strings.Contains(stderr, test.says) {
				t.Errorf("exit %d %s, want %d with %q", code, stderr, test.code, test.says)
			}
		})
	}
}
