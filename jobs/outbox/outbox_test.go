package outbox

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

// call runs the job like its command and returns the exit code, its output and its error output.
func call(t *testing.T, d *pgtest.Database, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	job := command.Job{Name: Job.Name, Run: func(ctx context.Context, e env.Env, args []string) error { return Run(ctx, e, args, &out) }}
	code = command.Run(t.Context(), job, env.Of(map[string]string{"DATABASE_URL": d.URL()}), args, &errs)
	return code, out.String(), errs.String()
}

// must runs the job and returns its output.
func must(t *testing.T, d *pgtest.Database, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(t, d, args...)
	check.MustEqual(t, code, 0, "%v: exit: %s", args, stderr)
	return stdout
}

const (
	held    = "melmastoon.reservation.held.v1"
	step    = "melmastoon.bff.tenant.flow.step_completed.v1"
	badHeld = "contract: /holdId of hld_01ARZ3NDEKTSV4RRFFQ69G5FAV: missing"
	badStep = "contract: /guestEmail: unknown member"
	created = "melmastoon.bff.tenant.booking.draft.created.v1"
	started = "melmastoon.reservation.check_in_started.v1"
)

// classes are the retention classes of the subjects.
var classes = map[string]string{held: "regulated", step: "operational", created: "regulated", started: "operational"}

// A world is a database with stuck events of two schemas.
type world struct {
	db                                      *pgtest.Database
	owner                                   *pgx.Conn
	parked, other, operational, failing, ok string
}

func open(t *testing.T) world {
	t.Helper()
	d := pgtest.New(t)
	w := world{db: d, owner: d.Owner(t)}
	t.Cleanup(func() {
		if _, err := w.owner.Exec(context.Background(), `TRUNCATE reservation.outbox, bff_tenant_booking.outbox`); err != nil {
			t.Error(err) // the invariants do not know these events
		}
	})
	w.parked = w.add(t, "reservation", held, "k1", "parked_reason", badHeld)
	w.other = w.add(t, "reservation", held, "k2", "parked_reason", strings.Replace(badHeld, "5FAV", "5FAW", 1))
	w.ok = w.add(t, "reservation", held, "k1", "last_error", "")
	w.failing = w.add(t, "reservation", held, "k3", "last_error", "rpc error: PermissionDenied")
	w.operational = w.add(t, "bff_tenant_booking", step, "k", "parked_reason", badStep)
	w.exec(t, `UPDATE reservation.outbox SET published_at = platform.now() WHERE event_id = @id`, w.ok)
	w.exec(t, `UPDATE reservation.outbox SET next_attempt_at = platform.now(), attempts = 7, enqueued_at = platform.now() - interval '1 hour' WHERE event_id = @id`, w.failing)
	return w
}

// add inserts an event with a text in one column and returns its id.
func (w world) add(t *testing.T, schema, subject, key, column, text string) string {
	t.Helper()
	e := id.New[id.Event]()
	_, err := w.owner.Exec(t.Context(), `
		INSERT INTO `+schema+`.outbox (id, event_id, tenant_id, subject, ordering_key, payload, envelope, occurred_at, `+column+`)
		VALUES (@id, @event, gen_random_uuid(), @subject, @key, '{"guest": "Zarghona"}', jsonb_build_object('userId', 'usr_zarghona', 'retentionClass', @class::text), platform.now(), nullif(@text, ''))`,
		pgx.StrictNamedArgs{"id": e, "event": e.String(), "subject": subject, "key": key, "text": text, "class": classes[subject]})
	check.Must(t, err)
	return e.String()
}

func (w world) exec(t *testing.T, statement, event string) {
	t.Helper()
	check.Got(w.owner.Exec(t.Context(), statement, pgx.StrictNamedArgs{"id": event})).Must(t)
}

// status returns the status of an event, or "gone".
func (w world) status(t *testing.T, event string) (status string) {
	t.Helper()
	err := w.owner.QueryRow(t.Context(), `
		SELECT coalesce((SELECT status FROM reservation.outbox WHERE event_id = @id), (SELECT status FROM bff_tenant_booking.outbox WHERE event_id = @id), 'gone')`,
		pgx.StrictNamedArgs{"id": event}).Scan(&status)
	check.Must(t, err)
	return status
}

func (w world) want(t *testing.T, event, status string) {
	t.Helper()
	check.Equal(t, w.status(t, event), status, "%s", event)
}

// contains fails the test unless the output contains each text.
func contains(t *testing.T, stdout string, texts ...string) {
	t.Helper()
	check.Contains(t, stdout, texts...)
	if strings.Contains(strings.ToLower(stdout), "zarghona") {
		t.Errorf("printed personal data: %s", stdout)
	}
}

func TestRun_list(t *testing.T) {
	t.Parallel()
	w := open(t)
	stdout := must(t, w.db)
	contains(t, stdout, "reservation: 2 of "+held+" parked since ", ": contract: /holdId of hld_…: missing\n",
		"reservation: 1 of "+held+" failing since ", ": rpc error: PermissionDenied\n", "bff_tenant_booking: 1 of "+step+" parked since ")
	contains(t, stdout, "reservation: 1 events wait to be published, ")
	check.Equal(t, strings.Count(stdout, "\n"), 4, "printed lines: %s", stdout)
	contains(t, must(t, w.db, "-subject="+step), "bff_tenant_booking: 1 of "+step)
	contains(t, must(t, w.db, "bff_consumer"), "no such events in bff_consumer\n")
}

func TestRun_show(t *testing.T) {
	t.Parallel()
	w := open(t)
	stdout := must(t, w.db, "-show=10", "reservation")
	contains(t, stdout, w.parked+" of "+held+" parked since ", "1 later events of its key published: contract: /holdId", w.other, w.failing+" of "+held+" failing since ", "7 attempts")
	check.Lacks(t, stdout, w.ok)
	if stdout := must(t, w.db, "-show=1", "reservation"); strings.Count(stdout, "\n") != 1 || !strings.Contains(stdout, w.parked) {
		t.Errorf("printed %s, want only the oldest, %s", stdout, w.parked)
	}
}

func TestRun_unpark(t *testing.T) {
	t.Parallel()
	w := open(t)
	contains(t, must(t, w.db, "-unpark", "reservation", "-event="+w.parked), "would unpark "+w.parked)
	w.want(t, w.parked, "parked")
	go1 := []string{"-unpark", "-go", "-by=K. Amiri", "-why=the schema is mended", "reservation", "-event=" + w.parked}
	contains(t, must(t, w.db, go1...), "unpark "+w.parked+" of "+held+` by "K. Amiri", because "the schema is mended"; it was parked with: contract`)
	w.want(t, w.parked, "pending")
	w.want(t, w.other, "parked")
	contains(t, must(t, w.db, go1...), "no such events in reservation\n") // again
	w.want(t, w.failing, "retrying")
	must(t, w.db, "-unpark", "-go", "-by=K. Amiri", "-why=all", "reservation")
	w.want(t, w.other, "pending")
	w.want(t, w.operational, "parked") // in another schema
}

// Only operational events can be deleted, and only while they are parked. The retention class decides, not the service.
func TestRun_forget(t *testing.T) {
	t.Parallel()
	w := open(t)
	by := []string{"-by=K. Amiri", "-why=not needed"}
	contains(t, must(t, w.db, slices.Concat([]string{"-forget", "-go", "reservation"}, by)...), "no such events in reservation\n")
	w.want(t, w.parked, "parked")
	w.want(t, w.failing, "retrying")
	contains(t, must(t, w.db, "-forget", "bff_tenant_booking"), "would forget "+w.operational)
	w.want(t, w.operational, "parked")
	contains(t, must(t, w.db, slices.Concat([]string{"-forget", "-go", "bff_tenant_booking", "-cause=guestEmail"}, by)...), "forget "+w.operational+" of "+step)
	w.want(t, w.operational, "gone")
	evidence := w.add(t, "bff_tenant_booking", created, "k", "parked_reason", badStep)
	unclassified := w.add(t, "bff_tenant_booking", "melmastoon.bff.unknown.v1", "k", "parked_reason", badStep)
	contains(t, must(t, w.db, slices.Concat([]string{"-forget", "-go", "bff_tenant_booking"}, by)...), "no such events in bff_tenant_booking\n")
	w.want(t, evidence, "parked")
	w.want(t, unclassified, "parked")
	ofReservation := w.add(t, "reservation", started, "k4", "parked_reason", badHeld)
	contains(t, must(t, w.db, slices.Concat([]string{"-forget", "-go", "reservation"}, by)...), "forget "+ofReservation+" of "+started)
	w.want(t, ofReservation, "gone")
	w.want(t, w.parked, "parked")
}

// Two runs at once change each event once.
func TestRun_concurrently(t *testing.T) {
	t.Parallel()
	w := open(t)
	stdout := make(chan string, 2)
	for range 2 {
		go func() {
			_, out, _ := call(t, w.db, "-unpark", "-go", "-by=two", "-why=both", "reservation")
			stdout <- out
		}()
	}
	if both := <-stdout + <-stdout; strings.Count(both, "unpark "+w.parked) != 1 || strings.Count(both, "unpark "+w.other) != 1 {
		t.Errorf("two runs printed %s, want each event once", both)
	}
}

// pushed runs the job with a publisher and two subscriptions of held, and returns what it has published.
func (w world) pushed(t *testing.T, args ...string) (code int, printed string, messages []topic.Message) {
	t.Helper()
	var out, errs bytes.Buffer
	published := &topictest.Memory{}
	e := topic.PublisherKey.With(env.Of(map[string]string{"DATABASE_URL": w.db.URL(), "DEAD_LETTERS": "sandbox-one:" + held + ":dlq,reservation-two:" + held + ":dlq,other:" + step + ":dlq"}), published)
	job := command.Job{Name: Job.Name, Run: func(ctx context.Context, e env.Env, args []string) error { return Run(ctx, e, args, &out) }}
	code = command.Run(t.Context(), job, e, append([]string{"-push"}, args...), &errs)
	return code, out.String() + errs.String(), published.Messages()
}

// A published event is published once more for one subscription, without its ordering key.
func TestRun_pushPublished(t *testing.T) {
	t.Parallel()
	d := pgtest.New(t)
	w := world{db: d, owner: d.Owner(t)}
	r := reservationtest.Held(t, d.Env(), id.New[id.Tenant](), id.New[id.Property]())
	err := w.owner.QueryRow(t.Context(), `
		UPDATE reservation.outbox SET published_at = platform.now() WHERE subject = @subject AND payload ->> 'reservationId' = @reservation RETURNING event_id`,
		pgx.StrictNamedArgs{"subject": held, "reservation": r.ID.String()}).Scan(&w.ok)
	check.Must(t, err)
	args := []string{"-event=" + w.ok, "-to=reservation-two", "reservation"}
	code, printed, messages := w.pushed(t, args...)
	if contains(t, printed, "would push "+w.ok+" of "+held, "to reservation-two"); code != 0 || len(messages) > 0 {
		t.Fatalf("exit %d: a dry run published %v", code, messages)
	}
	for range 2 { // twice is harmless: the inbox of the function ignores the second
		code, printed, messages = w.pushed(t, append(args, "-go", "-by=K. Amiri", "-why=the function is mended")...)
		contains(t, printed, "pushed "+w.ok+" of "+held, `by "K. Amiri", because "the function is mended"`)
		if code != 0 || len(messages) != 1 {
			t.Fatalf("exit %d: published %d messages, want 1", code, len(messages))
		}
	}
	m := messages[0]
	check.Equal(t, m.Topic, held)
	check.Equal(t, m.OrderingKey, "")
	for name, want := range map[string]string{"ce-id": w.ok, "ce-type": held, topic.ReplayTo: "reservation-two", topic.Replays: "1"} {
		t.Run(name, func(t *testing.T) { check.Equal(t, m.Attributes[name], want, "%s", name) })
	}
	w.want(t, w.ok, "published")
}

// The relay retries an unpublished event with its next tick. Parked and unknown ones are not pushed.
func TestRun_pushUnpublished(t *testing.T) {
	t.Parallel()
	w := open(t)
	by := []string{"-go", "-by=K. Amiri", "-why=mended", "reservation"}
	code, printed, _ := w.pushed(t, "-event="+w.failing, "reservation")
	if contains(t, printed, "would retry "+w.failing, "PermissionDenied"); code != 0 {
		t.Errorf("exit %d: %s", code, printed)
	}
	w.want(t, w.failing, "retrying")
	code, printed, messages := w.pushed(t, append([]string{"-event=" + w.failing}, by...)...)
	if contains(t, printed, "the next tick of the relay retries "+w.failing); code != 0 || len(messages) > 0 {
		t.Errorf("exit %d: published %v, want it left to the relay", code, messages)
	}
	var due bool
	if err := w.owner.QueryRow(t.Context(), `SELECT next_attempt_at IS NULL FROM reservation.outbox WHERE event_id = @id`, pgx.StrictNamedArgs{"id": w.failing}).Scan(&due); err != nil {
		t.Fatal(err)
	}
	if !due {
		t.Error("the event still waits for its next attempt")
	}
	_, printed, _ = w.pushed(t, append([]string{"-event=" + id.New[id.Event]().String()}, by...)...)
	contains(t, printed, "no such events in reservation")
}

func TestRun_pushErrors(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, test := range []struct {
		name string
		args []string
		says string
	}{
		{"no event", []string{"reservation"}, "-push requires -event"},
		{"no schema", []string{"-event=" + w.ok}, "one schema"},
		{"parked", []string{"-event=" + w.parked, "reservation"}, "use -unpark"},
		{"no subscription", []string{"-event=" + w.ok, "reservation"}, "sandbox-one, reservation-two"},
		{"another subject's subscription", []string{"-event=" + w.ok, "-to=other", "reservation"}, "sandbox-one, reservation-two"},
		{"subscription of an unpublished event", []string{"-event=" + w.failing, "-to=sandbox-one", "reservation"}, "not published yet"},
		{"no reason", []string{"-event=" + w.ok, "-to=sandbox-one", "-go", "-by=x", "reservation"}, "-why"},
		{"two acts", []string{"-unpark", "-event=" + w.ok, "reservation"}, "only one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, printed, messages := w.pushed(t, test.args...)
			if contains(t, printed, test.says); code != 2 || len(messages) > 0 {
				t.Errorf("exit %d with %d messages, want 2 and none", code, len(messages))
			}
		})
	}
}

func TestRun_errors(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, test := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"an unknown schema", []string{"nowhere"}, 2, "no schema"},
		{"two acts", []string{"-unpark", "-forget", "reservation"}, 2, "only one"},
		{"a change without a schema", []string{"-unpark"}, 2, "one schema"},
		{"a change without a name", []string{"-unpark", "-go", "-why=x", "reservation"}, 2, "-by"},
		{"a change without a reason", []string{"-forget", "-go", "-by=x", "-why= ", "reservation"}, 2, "-why"},
		{"go without an act", []string{"-go", "-by=x", "-why=x"}, 2, "-go requires"},
		{"no limit", []string{"-limit=0"}, 2, "-limit"},
		{"too much to show", []string{"-show=1001", "reservation"}, 2, "-show"},
		{"an unknown flag", []string{"-all"}, 2, "-all"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if code, _, stderr := call(t, w.db, test.args...); code != test.code || !strings.Contains(stderr, test.says) {
				t.Errorf("exit %d %s, want %d with %q", code, stderr, test.code, test.says)
			}
		})
	}
}

func TestRun_withoutSchema(t *testing.T) {
	t.Parallel()
	w := open(t)
	rename := func(from, to string) {
		check.Got(w.owner.Exec(context.Background(), `ALTER SCHEMA `+from+` RENAME TO `+to)).Must(t)
	}
	rename("reservation", "away")
	defer rename("away", "reservation")
	contains(t, must(t, w.db), "reservation: not installed\n", "bff_tenant_booking: 1 of "+step)
}

func TestRun_withoutDatabase(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	job := command.Job{Name: Job.Name, Run: func(ctx context.Context, e env.Env, args []string) error { return Run(ctx, e, args, &out) }}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // the job tries again for two minutes
	defer cancel()
	e := env.Of(map[string]string{"DATABASE_URL": "postgres://nobody:x@127.0.0.1:1/none"})
	if code := command.Run(ctx, job, e, nil, &errs); code != 1 || !strings.HasPrefix(errs.String(), "outbox: ") {
		t.Errorf("exit %d: %s, want 1", code, errs.String())
	}
}
