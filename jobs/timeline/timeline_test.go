package timeline

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// call runs the job like its command and returns the exit code, its output and its error output.
func call(t *testing.T, e env.Env, args ...string) (code int, printed, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	job := command.Job{Name: Job.Name, Run: func(ctx context.Context, e env.Env, args []string) error { return Run(ctx, e, args, &out) }}
	code = command.Run(t.Context(), job, e, args, &errs)
	return code, out.String(), errs.String()
}

// job returns the environment of the job: the database as the functions see it.
func job(d *pgtest.Database) env.Env { return env.Of(map[string]string{"DATABASE_URL": d.URL()}) }

// A fakeLog has one line, and records the searches.
type fakeLog struct {
	line     string
	searches []booking.Search
}

func (l *fakeLog) Lines(_ context.Context, s booking.Search) (io.Reader, error) {
	l.searches = append(l.searches, s)
	return strings.NewReader(l.line + "\n"), nil
}

func wantText(t *testing.T, printed string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(printed, text) {
			t.Errorf("printed %s, want %q in it", printed, text)
		}
	}
}

// empty deletes a reservation whose events the test has changed: the invariants of a database would not hold.
func empty(t *testing.T, d *pgtest.Database) {
	t.Helper()
	if _, err := d.Owner(t).Exec(context.Background(), `TRUNCATE reservation.outbox, reservation.quotes, reservation.reservations CASCADE`); err != nil {
		t.Error(err)
	}
}

func TestRun_byAnyName(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	r := reservationtest.Held(t, d.Env(), id.New[id.Tenant](), id.New[id.Property]())
	other := reservationtest.Held(t, d.Env(), r.Tenant, r.Property)
	for _, test := range []struct {
		name string
		args []string
	}{
		{"reservation", []string{r.ID.String()}},
		{"code", []string{strings.ToLower(r.Code)}},
		{"quote", []string{r.Quote.String()}},
		{"reservation with its tenant", []string{"-tenant=" + r.Tenant.String(), r.ID.String()}},
		{"flags after the name", []string{r.ID.String(), "-most=10"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, printed, stderr := call(t, job(d), test.args...)
			if code != 0 {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			wantText(t, printed, r.Quote.String()+" "+r.ID.String(), "reservation begun by", "published  reservation.held", "hold until", "no log is configured",
				r.Code+" · held · "+r.Stay.Start.String()+" to ", ", captured 0.00, refunded 0.00 ")
			if strings.Contains(printed, other.ID.String()) {
				t.Errorf("printed another booking: %s", printed)
			}
		})
	}
}

// An event leads to its booking, also an event of another service that is known only as a cause. It leads to the same timeline again.
func TestRun_byEvent(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	r := reservationtest.Held(t, d.Env(), id.New[id.Tenant](), id.New[id.Property]())
	other := reservationtest.Held(t, d.Env(), r.Tenant, r.Property)
	defer empty(t, d)
	cause, unrelated := id.New[id.Event]().String(), id.New[id.Event]().String()
	exec := func(sql string, args pgx.StrictNamedArgs) {
		t.Helper()
		if _, err := d.Owner(t).Exec(t.Context(), sql, args); err != nil {
			t.Fatal(err)
		}
	}
	exec(`UPDATE reservation.outbox SET envelope = jsonb_set(envelope, '{causationId}', to_jsonb(@cause::text)) WHERE payload ->> 'reservationId' = @reservation`,
		pgx.StrictNamedArgs{"cause": cause, "reservation": r.ID.String()})
	exec(`INSERT INTO sandbox.outbox (id, event_id, subject, ordering_key, payload, envelope, occurred_at)
		VALUES (gen_random_uuid(), @event, 'melmastoon.theme.published.v1', 'theme', '{}', '{}', platform.now())`, pgx.StrictNamedArgs{"event": unrelated})
	var held string
	if err := d.Owner(t).QueryRow(t.Context(), `SELECT event_id FROM reservation.outbox WHERE subject = 'melmastoon.reservation.held.v1' AND payload ->> 'reservationId' = $1`,
		r.ID.String()).Scan(&held); err != nil {
		t.Fatal(err)
	}
	_, whole, _ := call(t, job(d), r.ID.String())
	wantText(t, whole, "published  reservation.held", "hold until")
	for _, test := range []struct{ name, event string }{{"own", held}, {"own, again", held}, {"of another service", cause}} {
		t.Run(test.name, func(t *testing.T) {
			code, printed, stderr := call(t, job(d), test.event)
			if code != 0 {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			if printed != whole {
				t.Errorf("got %s\nwant %s", printed, whole)
			}
			if strings.Contains(printed, other.ID.String()) {
				t.Errorf("printed another booking: %s", printed)
			}
		})
	}
	for _, test := range []struct{ name, event string }{{"without booking", unrelated}, {"unknown", id.New[id.Event]().String()}} {
		t.Run(test.name, func(t *testing.T) {
			code, _, stderr := call(t, job(d), test.event)
			if code != 1 {
				t.Errorf("exit %d, want 1", code)
			}
			wantText(t, stderr, "no booking, handoff or session has that event")
			if strings.Contains(stderr, "-tenant") {
				t.Errorf("%s: a tenant does not help", stderr)
			}
		})
	}
}

// The tenant is not needed while an outbox has the booking's events, and is needed after that.
func TestRun_prunedEvents(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	r := reservationtest.Held(t, d.Env(), id.New[id.Tenant](), id.New[id.Property]())
	defer empty(t, d)
	if _, err := d.Owner(t).Exec(t.Context(), `DELETE FROM reservation.outbox`); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, job(d), r.ID.String()); code != 1 || !strings.Contains(stderr, "give -tenant") {
		t.Errorf("exit %d: %s, want 1 and a hint", code, stderr)
	}
	code, printed, stderr := call(t, job(d), "-tenant="+r.Tenant.String(), r.ID.String())
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	wantText(t, printed, "reservation begun by")
	if code, printed, _ := call(t, job(d), "-tenant="+id.New[id.Tenant]().String(), r.ID.String()); code != 1 || strings.Contains(printed, "begun") {
		t.Errorf("exit %d: another tenant's run printed %s", code, printed)
	}
}

// The log is searched by the booking's ids, then by the requests and traces of the calls that were found. A cause with an address is
// printed without it.
func TestRun_log(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	r := reservationtest.Held(t, d.Env(), id.New[id.Tenant](), id.New[id.Property]())
	log := &fakeLog{line: `{"time":"` + d.Env().Now().Format(time.RFC3339Nano) + `","function":"reservation-confirm","requestId":"req_1","code":"GENERAL.UNAVAILABLE",` +
		`"cause":"no mailbox zarghona@example.com","logging.googleapis.com/trace":"projects/p/traces/4bf92f3577b34da6a3ce929d0e0e4736",` +
		`"httpRequest":{"status":503,"latency":"0.350s","requestMethod":"POST","requestUrl":"/api/v1/reservations/` + r.ID.String() + `/confirm"}}`}
	code, printed, stderr := call(t, LogKey.With(job(d), booking.Log(log)), r.ID.String())
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	wantText(t, printed, "confirm 503 in 350 ms", "GENERAL.UNAVAILABLE", "because no mailbox (address)")
	if strings.Contains(printed, "zarghona") || strings.Count(printed, "confirm 503") != 1 {
		t.Errorf("printed %s, want the call once and no address", printed)
	}
	if len(log.searches) != 2 {
		t.Fatalf("searched %d times, want 2", len(log.searches))
	}
	if s := log.searches[0]; !strings.Contains(strings.Join(s.Paths, " "), r.ID.String()) || len(s.Events) == 0 {
		t.Errorf("the first search is for %+v, want the reservation and its events", s)
	}
	if s := log.searches[1]; !strings.Contains(strings.Join(s.Requests, " "), "req_1") || !strings.Contains(strings.Join(s.Traces, " "), "4bf92f3577b34da6a3ce929d0e0e4736") {
		t.Errorf("the second search is for %+v, want the request and the trace of the call", s)
	}
}

// A guest's data in rows and payloads is never printed.
func TestRun_noGuest(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	r := reservationtest.Held(t, d.Env(), id.New[id.Tenant](), id.New[id.Property]())
	defer empty(t, d)
	_, err := d.Owner(t).Exec(t.Context(), `
		UPDATE reservation.outbox SET payload = jsonb_set(payload, '{primaryGuest}', '{"name": "Zarghona", "reasonCode": "Zarghona"}'), parked_reason = 'mail to zarghona@example.com or 0700 123 456'
		WHERE payload ->> 'reservationId' = @reservation`, pgx.StrictNamedArgs{"reservation": r.ID.String()})
	if err != nil {
		t.Fatal(err)
	}
	code, printed, stderr := call(t, job(d), r.ID.String())
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	wantText(t, printed, "parked: mail to (address) or (number)")
	if strings.Contains(strings.ToLower(printed), "zarghona") {
		t.Errorf("printed a guest: %s", printed)
	}
}

func TestRun_errors(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	for _, test := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no name", nil, 2, "give the name"},
		{"two names", []string{"GM-AAAAAA", "GM-BBBBBB"}, 2, "one name"},
		{"malformed name", []string{"guest@example.com"}, 2, "neither an id"},
		{"malformed tenant", []string{"-tenant=x", "GM-AAAAAA"}, 2, "-tenant"},
		{"negative count", []string{"-most=-1", "GM-AAAAAA"}, 2, "-most"},
		{"unknown flag", []string{"-go", "GM-AAAAAA"}, 2, "-go"},
		{"unknown id", []string{id.New[id.Reservation]().String()}, 1, "no value has that name"},
		{"unknown code", []string{"GM-AAAAAA"}, 1, "no value has that name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if code, _, stderr := call(t, job(d), test.args...); code != test.code || !strings.Contains(stderr, test.says) {
				t.Errorf("exit %d %s, want %d with %q", code, stderr, test.code, test.says)
			}
		})
	}
}

// Production has no sandbox.
func TestRun_withoutSandbox(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	r := reservationtest.Held(t, d.Env(), id.New[id.Tenant](), id.New[id.Property]())
	rename := func(from, to string) {
		if _, err := d.Owner(t).Exec(context.Background(), `ALTER SCHEMA `+from+` RENAME TO `+to); err != nil {
			t.Fatal(err)
		}
	}
	rename("sandbox", "away")
	defer rename("away", "sandbox")
	code, printed, stderr := call(t, job(d), r.ID.String())
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	wantText(t, printed, "of 3 schemas", "reservation begun by")
}
