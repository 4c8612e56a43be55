package database

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/reservationtest"
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/cluster"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// A world is a database with a login like that of the job on Cloud SQL.
type world struct {
	db    *pgtest.Database
	owner *pgx.Conn
	login string
	url   string
}

func open(t *testing.T) world {
	t.Helper()
	return openOn(t, pgtest.New(t))
}

func openOn(t *testing.T, d *pgtest.Database) world {
	t.Helper()
	w := world{db: d, owner: d.Owner(t), login: "monitor_" + strings.ToLower(rand.Text())}
	w.exec(t, `CREATE ROLE `+w.login+` LOGIN PASSWORD 'm'`)
	t.Cleanup(func() {
		for _, s := range []string{`DROP OWNED BY ` + w.login, `DROP ROLE ` + w.login} {
			if _, err := w.owner.Exec(context.Background(), s); err != nil {
				t.Error(err)
			}
		}
	})
	check.Must(t, migrate.Monitor(t.Context(), w.owner, w.login))
	u := check.Got(url.Parse(d.OwnerURL())).Must(t)
	u.User = url.UserPassword(w.login, "m")
	w.url = u.String()
	return w
}

func (w world) exec(t *testing.T, statement string) {
	t.Helper()
	check.Got(w.owner.Exec(t.Context(), statement)).Must(t)
}

// add inserts an event and sets some of its columns.
func (w world) add(t *testing.T, columns string) {
	t.Helper()
	e := id.New[id.Event]()
	_, err := w.owner.Exec(t.Context(), `
		INSERT INTO reservation.outbox (id, event_id, subject, ordering_key, payload, envelope, occurred_at, enqueued_at)
		VALUES (@id, @event, 'melmastoon.reservation.held.v1', 'Zarghona', '{"guest": "Zarghona"}', '{}', platform.now(), '2026-01-02T03:04:05Z')`,
		pgx.StrictNamedArgs{"id": e, "event": e.String()})
	check.Must(t, err)
	if _, err = w.owner.Exec(t.Context(), `UPDATE reservation.outbox SET `+columns+` WHERE event_id = @event`, pgx.StrictNamedArgs{"event": e.String()}); err != nil {
		t.Fatal(err)
	}
}

// call runs the job like its command and returns the exit code, its output and its error output.
func call(t *testing.T, address string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	job := command.Job{Name: Job.Name, Run: func(ctx context.Context, e env.Env, args []string) error { return Run(ctx, e, args, &out) }}
	code = command.Run(t.Context(), job, env.Of(map[string]string{"DATABASE_URL": address, "DATABASE_CONNECT_TIMEOUT": "1ms"}), args, &errs)
	return code, out.String(), errs.String()
}

// must runs the job and returns its output.
func must(t *testing.T, w world, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(t, w.url, args...)
	check.MustEqual(t, code, 0, "%v: exit: %s", args, stderr)
	return stdout
}

func contains(t *testing.T, stdout string, texts ...string) {
	t.Helper()
	check.Contains(t, stdout, texts...)
}

func TestRun_all(t *testing.T) {
	t.Parallel()
	w := open(t)
	stdout := must(t, w)
	contains(t, stdout, "connections: ", " are open\n", "connections: 1 of unnamed by "+w.login+" active", "statements: no statistics of earlier statements",
		"locks: nothing to report\n", "tables: the database has ", "tables: reservation.", "backlog: reservation outbox: no events wait to be published\n",
		"backlog: reservation inbox: 0 events", "backlog: reservation: no holds to expire", "backlog: sandbox: no payments to expire",
		"backlog: bff_tenant_booking: no drafts to close", "backlog: bff_consumer: no sessions to end", "backlog: bff_consumer: no erasures overdue",
		"sagas: nothing to report\n", "drafts: nothing to report\n")
	if got := must(t, w, "-limit=1", "tables"); strings.Count(got, "\n") != 2 {
		t.Errorf("printed %s, want the size and one table", got)
	}
	if got := must(t, w, "tables", "-schema=sandbox"); strings.Contains(got, "reservation.") || !strings.Contains(got, "sandbox.") {
		t.Errorf("printed %s, want tables of the sandbox only", got)
	}
}

// The backlog shows counts and times of what waits in each place, and no content.
func TestRun_backlog(t *testing.T) {
	t.Parallel()
	w := open(t)
	reservationtest.Held(t, w.db.Env(), id.New[id.Tenant](), id.New[id.Property]())
	w.exec(t, `UPDATE reservation.outbox SET published_at = platform.now()`)
	w.add(t, `published_at = platform.now()`)
	w.add(t, `parked_reason = 'Zarghona'`)
	w.add(t, `last_error = 'Zarghona', next_attempt_at = platform.now()`)
	w.exec(t, `UPDATE reservation.reservations SET step_since = platform.now() - interval '59 minutes', step_attempts = 59`)
	w.exec(t, `INSERT INTO reservation.inbox_processed (event_id, processor, subject) VALUES (gen_random_uuid(), 'reservation-keyissued', 's')`)
	contains(t, must(t, w, "backlog", "-schema=reservation"), "reservation: no saga steps (reservation-watchsagas)\n") // the next attempt is due after an hour
	w.db.Advance(time.Hour)
	stdout := must(t, w, "backlog", "-schema=reservation")
	contains(t, stdout, "reservation outbox: 1 events wait to be published in 1 lanes, 1 of them after a failure, the oldest since 2026-01-02T03:04:05Z\n",
		" has 1, the oldest since 2026-01-02T03:04:05Z\n", "reservation outbox: 1 events are parked, the oldest since 2026-01-02T03:04:05Z\n",
		"reservation: 1 holds to expire (reservation-expireholds), the oldest since ", "reservation: 1 saga steps (reservation-watchsagas), ",
		"reservation: 1 saga steps with more than five attempts, ")
	check.Lacks(t, stdout, "Zarghona", "bff_")
	w.exec(t, `DELETE FROM reservation.outbox WHERE ordering_key = 'Zarghona'`) // the invariants do not know these rows
	w.exec(t, `DELETE FROM reservation.inbox_processed`)
	w.exec(t, `UPDATE reservation.reservations SET step_since = NULL, step_attempts = 0`)
}

// The reports about bookings name the ids of a stuck step and of a payment without an outcome, and no other booking.
func TestRun_stuckBookings(t *testing.T) {
	t.Parallel()
	w := open(t)
	tenant, property := id.New[id.Tenant](), id.New[id.Property]()
	stuck := reservationtest.Held(t, w.db.Env(), tenant, property)
	pays := reservationtest.Held(t, w.db.Env(), tenant, property)
	later := reservationtest.Held(t, w.db.Env(), tenant, property)
	w.exec(t, `UPDATE reservation.reservations SET pending_step = 'await_inventory', step_since = '2026-01-02T03:04:05Z', step_attempts = 6`)
	for set, of := range map[string]id.Reservation{"pending_step = 'await_payment'": pays.ID, "step_attempts = 5": later.ID} {
		check.Got(w.owner.Exec(t.Context(), `UPDATE reservation.reservations SET `+set+` WHERE reservation_id = $1`, of)).Must(t)
	}
	draft := id.New[id.Draft]()
	for _, d := range []struct {
		draft id.Draft
		state string
		hours int
	}{{draft, "paying", 2}, {id.New[id.Draft](), "confirming", 1}, {id.New[id.Draft](), "collecting_details", 3}} {
		_, err := w.owner.Exec(t.Context(), `
			INSERT INTO bff_tenant_booking.booking_drafts (draft_id, tenant_id, session_id, state, version, reservation_id, body, created_at, active_at, expires_at)
			VALUES (@draft, @tenant, @session, @state, 1, @reservation, '{"guest": "Zarghona"}', platform.now() - @hours * interval '1 hour', platform.now(), platform.now())`,
			pgx.StrictNamedArgs{"draft": d.draft, "tenant": tenant, "session": id.New[id.TenantSession](), "state": d.state, "reservation": pays.ID, "hours": d.hours})
		check.Must(t, err)
	}
	stdout := must(t, w, "sagas", "drafts")
	contains(t, stdout, "sagas: "+stuck.ID.String()+" of "+tenant.String()+" at "+property.String()+" is held and waits since 2026-01-02T03:04:05Z, 6 attempts: await_inventory\n",
		"drafts: "+draft.String()+" of "+tenant.String()+" for "+pays.ID.String()+" is paying, created ")
	check.Equal(t, strings.Count(stdout, "\n"), 2)
	check.Lacks(t, stdout, "Zarghona")
	if got := must(t, w, "sagas", "drafts", "-schema=sandbox"); got != "sagas: nothing to report\ndrafts: nothing to report\n" {
		t.Errorf("printed %s for another schema", got)
	}
	w.exec(t, `DELETE FROM bff_tenant_booking.booking_drafts`) // the invariants do not know these rows
	w.exec(t, `UPDATE reservation.reservations SET pending_step = '', step_since = NULL, step_attempts = 0`)
}

// On a server that counts statements, as in Cloud SQL, the most expensive ones are those of the chosen schema.
func TestRun_expensiveStatements(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	config := cluster.Config{Dir: filepath.Join(t.TempDir(), "postgres")}
	running := check.Got(cluster.Start(t.Context(), config)).Must(t)
	conn, err := pgx.Connect(t.Context(), running.URL("postgres"))
	check.Must(t, err)
	check.Got(conn.Exec(t.Context(), `ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`)).Must(t)
	check.Must(t, errors.Join(conn.Close(t.Context()), running.Stop()))
	if running, err = cluster.Start(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check.NoError(t, running.Kill()) })
	w := openOn(t, pgtest.On(t, running.URL("postgres")))
	for _, role := range []string{"reservation_app", "sandbox_maintenance"} {
		w.exec(t, `SET ROLE `+role)
		w.exec(t, `SELECT count(*) AS of_`+role+` FROM pg_class WHERE relname = 'Zarghona'`)
	}
	w.exec(t, `RESET ROLE`)
	for _, test := range []struct {
		schema, has, not string
	}{{"reservation", "of_reservation_app", "of_sandbox_maintenance"}, {"sandbox", "of_sandbox_maintenance", "of_reservation_app"}} {
		t.Run(test.schema, func(t *testing.T) {
			stdout := must(t, w, "-limit=1000", "statements", "-schema="+test.schema)
			contains(t, stdout, "ms in 1 calls", test.has)
			check.Lacks(t, stdout, test.not, "Zarghona")
		})
	}
	contains(t, must(t, w, "-limit=1000", "statements"), "of_reservation_app", "of_sandbox_maintenance")
}

// A statement that waits for a lock is reported with the connection that holds it, and without its values.
func TestRun_locks(t *testing.T) {
	t.Parallel()
	w := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	w.exec(t, `BEGIN; LOCK TABLE reservation.holds IN ACCESS EXCLUSIVE MODE; SELECT 'Zarghona'`)
	waiter := w.db.Owner(t)
	check.Got(waiter.Exec(ctx, `SET application_name = 'bff_consumer'`)).Must(t)
	done := make(chan error, 1)
	go func() {
		_, err := waiter.Exec(ctx, `SELECT count(*) FROM reservation.holds WHERE code = 4711 OR state = 'Zarghona Ahmadzai'`)
		done <- err
	}()
	for {
		var waits bool
		err := w.db.Owner(t).QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pid = $1)`, waiter.PgConn().PID()).Scan(&waits)
		check.Must(t, err)
		if waits {
			break
		}
	}
	stdout := must(t, w, "connections", "statements", "locks")
	contains(t, stdout, "waits ", "(relation on reservation.holds) for pid ", " which is idle in transaction for ", "SELECT count(*) FROM reservation.holds WHERE code = ? OR state = …",
		"statements: pid ", "waits for Lock:relation")
	check.Lacks(t, stdout, "Zarghona", "4711")
	w.exec(t, `ROLLBACK`)
	<-done // the statement fails, because its columns do not exist
	contains(t, must(t, w, "locks"), "locks: nothing to report\n")
}

func TestOpening(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ statement, want string }{
		{"SELECT a,\n\t$1 FROM t1 WHERE n = 12.5", "SELECT a, $1 FROM t1 WHERE n = ?"},
		{"SELECT 'it''s Zarghona'", "SELECT …"},
		{`SELECT E'it\'s Zarghona'`, "SELECT E…"},
		{"SELECT $$Zarghona$$", "SELECT …"},
		{"SELECT $x$Zarghona$x$", "SELECT …"},
		{"SELECT 1 -- Zarghona", "SELECT ? …"},
		{"SELECT /* Zarghona */ 1", "SELECT …"},
		{strings.Repeat("é", maxOpening+1), strings.Repeat("é", maxOpening) + "…"},
		{"", ""},
	} {
		t.Run(test.want, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, opening(test.statement), test.want, "opening(%q)", test.statement)
		})
	}
}

// The login of the job reads neither payloads nor guests, and changes nothing.
func TestMonitor_rights(t *testing.T) {
	t.Parallel()
	w := open(t)
	conn := check.Got(pgx.Connect(t.Context(), w.url)).Must(t)
	defer conn.Close(context.WithoutCancel(t.Context()))
	check.Got(conn.Exec(t.Context(), `SELECT lane FROM reservation.outbox`)).Fails(t, "a login that has not taken the role")
	check.Got(conn.Exec(t.Context(), `SET ROLE pg_monitor`)).Must(t)
	for _, statement := range []string{
		`SELECT payload FROM reservation.outbox`, `SELECT code FROM reservation.reservations`, `SELECT * FROM reservation.guests`,
		`SELECT session_id FROM bff_tenant_booking.booking_drafts`, `SELECT guest_session_id FROM bff_consumer.guest_sessions`,
		`SELECT reservation_id FROM sandbox.intents`, `DELETE FROM reservation.outbox`, `UPDATE reservation.holds SET status = 'live'`,
		`SET ROLE reservation_app`,
	} {
		t.Run(statement, func(t *testing.T) {
			if _, err := conn.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "permission denied") {
				t.Errorf("error = %v, want permission denied", err)
			}
		})
	}
}

func TestRun_errors(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, test := range []struct {
		name, url string
		args      []string
		code      int
		says      string
	}{
		{"an unknown report", w.url, []string{"weather"}, 2, "no report"},
		{"an unknown schema", w.url, []string{"-schema=nowhere"}, 2, "there are"},
		{"no lines", w.url, []string{"-limit=0"}, 2, "-limit"},
		{"an unknown flag", w.url, []string{"-all"}, 2, "-all"},
		{"a login without the role", w.db.URL(), []string{"locks"}, 1, "permission denied"},
		{"no database", "postgres://nobody:x@127.0.0.1:1/none", nil, 1, "connect"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if code, _, stderr := call(t, test.url, test.args...); code != test.code || !strings.Contains(stderr, test.says) {
				t.Errorf("exit %d %s, want %d with %q", code, stderr, test.code, test.says)
			}
		})
	}
}
