package prune

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/jobs/command"
	migrations "melmastoon.ghasi.io/schemas/postgres"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// call runs the job like its command and returns the exit code, its output and its error output.
func call(t *testing.T, ctx context.Context, e env.Env, out io.Writer, args ...string) (code int, stderr string) {
	t.Helper()
	var errs bytes.Buffer
	job := command.Job{Name: Job.Name, Run: func(ctx context.Context, e env.Env, args []string) error { return run(ctx, e, args, out) }}
	return command.Run(ctx, job, e, args, &errs), errs.String()
}

// must runs the job and returns its output. The job closes its environment, so each run has a new one.
func must(t *testing.T, d *pgtest.Database, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code, stderr := call(t, t.Context(), env.Of(map[string]string{"DATABASE_URL": d.URL()}), &out, args...); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	return out.String()
}

func rows(t *testing.T, conn *pgx.Conn, table string) (n int) {
	t.Helper()
	check.Must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n))
	return n
}

func TestRules_removeExpiredOnly(t *testing.T) {
	t.Parallel()
	for _, r := range Rules {
		t.Run(r.Name(), func(t *testing.T) {
			t.Parallel()
			row, ok := aged[r.Name()]
			if !ok {
				t.Fatal("no row to test it with")
			}
			d, owner := aging(t, r.Name())
			row.insert(t, owner, time.Second)
			row.insert(t, owner, -time.Minute)
			row.insert(t, owner, -time.Hour)
			if stdout := must(t, d, "-dry-run", r.Name()); stdout != r.Name()+": would remove 1\n" || rows(t, owner, r.Name()) != 3 {
				t.Errorf("a dry run printed %q and left %d of 3", stdout, rows(t, owner, r.Name()))
			}
			if stdout := must(t, d, r.Name()); stdout != r.Name()+": removed 1\n" || rows(t, owner, r.Name()) != 2 {
				t.Errorf("the first run printed %q and left %d, want 2", stdout, rows(t, owner, r.Name()))
			}
			d.Advance(2 * time.Minute)
			if stdout := must(t, d); !strings.Contains(stdout, r.Name()+": removed 1\n") || rows(t, owner, r.Name()) != 1 {
				t.Errorf("two minutes later it printed %q and left %d, want 1", stdout, rows(t, owner, r.Name()))
			}
		})
	}
}

func TestRules_keepUnpublished(t *testing.T) {
	t.Parallel()
	d, owner := aging(t, "reservation.outbox")
	for range 3 {
		aged["reservation.outbox"].insert(t, owner, 30*24*time.Hour)
	}
	_, err := owner.Exec(t.Context(), `
		WITH one AS (SELECT id FROM reservation.outbox LIMIT 1), other AS (SELECT id FROM reservation.outbox ORDER BY id DESC LIMIT 1)
		UPDATE reservation.outbox SET published_at = NULL, parked_reason = CASE WHEN id IN (SELECT id FROM one) THEN 'unknown' END
		WHERE id IN (SELECT id FROM one UNION SELECT id FROM other)`)
	check.Must(t, err)
	check.Equal(t, must(t, d, "reservation.outbox"), "reservation.outbox: removed 1\n", "output")
}

// A cutter cancels the run at its first progress line.
type cutter struct {
	bytes.Buffer
	cut func()
}

func (c *cutter) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("so far")) {
		c.cut()
	}
	return c.Buffer.Write(b)
}

func TestRun_resumes(t *testing.T) {
	t.Parallel()
	d, owner := aging(t)
	const all = progress + 5
	for range all {
		aged["sandbox.inbox_processed"].insert(t, owner, 40*24*time.Hour)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &cutter{cut: cancel}
	code, stderr := call(t, ctx, env.Of(map[string]string{"DATABASE_URL": d.URL()}), out, "-batch", "1", "sandbox.inbox_processed")
	switch left := rows(t, owner, "sandbox.inbox_processed"); {
	case code != 1:
		t.Errorf("code = %v, want 1", code)
	case left != all-progress:
		t.Errorf("left = %v, want %v", left, all-progress)
	case !strings.Contains(stderr, "sandbox.inbox_processed"):
		t.Errorf("complained = %q, want one containing %q", stderr, "sandbox.inbox_processed")
	}
	check.Contains(t, out.String(), "removed 20, then failed")
	check.Equal(t, must(t, d, "-batch", "2", "sandbox.inbox_processed"), "sandbox.inbox_processed: removed 5\n", "the next run printed")
}

func TestRun_concurrently(t *testing.T) {
	t.Parallel()
	d, owner := aging(t)
	aged["reservation.idempotency"].insert(t, owner, time.Hour)
	check.Got(owner.Exec(t.Context(), `SELECT pg_advisory_lock(hashtextextended('melmastoon.prune reservation.idempotency', 0))`)).Must(t)
	stdout := must(t, d)
	check.Contains(t, stdout, "reservation.idempotency: another run holds the lock\n", "document.documents: removed 0\n")
	check.Equal(t, rows(t, owner, "reservation.idempotency"), 1, "rows")
}

// The database enforces the rules too: a prune without its condition removes no tenant's row early.
func TestDatabase_rejectsEarlyDeletion(t *testing.T) {
	t.Parallel()
	tables := []string{"bff_tenant_booking.handoff_arrival_log", "bff_tenant_booking.booking_draft_snapshots", "bff_tenant_booking.confirmation_views", "bff_tenant_booking.booking_owners", "reservation.quotes",
		"reservation.guests", "reservation.special_requests"}
	d, owner := aging(t, tables...)
	for _, table := range tables {
		schema, _, _ := strings.Cut(table, ".")
		aged[table].insert(t, owner, -time.Minute)
		aged[table].insert(t, owner, time.Second)
		err := postgres.Open(d.Env(), schema).InMaintenance(t.Context(), func(tx postgres.Tx) error {
			_, err := tx.Exec(t.Context(), `DELETE FROM `+table)
			return err
		})
		if left := rows(t, owner, table); err != nil || left != 1 {
			t.Errorf("%s: %d left of one that is kept and one that is not, %v", table, left, err)
		}
	}
}

// Guests of a booking stay, also if it was cancelled later.
func TestRules_keepBookedGuests(t *testing.T) {
	t.Parallel()
	for state, booked := range map[string]string{
		"cancelled after the confirmation": "state = 'cancelled', confirmed_at = platform.now(), cancellation = '{}'",
		"a no-show":                        "state = 'no_show', confirmed_at = platform.now(), payment_status = 'pending_cash', payment_intent_id = reservation_id",
		"held":                             "state = 'held'",
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			for _, table := range []string{"reservation.guests", "reservation.special_requests"} {
				t.Run(table, func(t *testing.T) {
					d, owner := aging(t, table)
					aged[table].insert(t, owner, time.Second)
					aged[table].insert(t, owner, time.Second)
					if _, err := owner.Exec(t.Context(), `UPDATE reservation.reservations SET `+booked+`
					WHERE reservation_id = (SELECT reservation_id FROM reservation.reservations ORDER BY 1 LIMIT 1)`); err != nil {
						t.Fatal(err)
					}
					if stdout := must(t, d, table); stdout != table+": removed 1\n" {
						t.Errorf("got output %q, want one row of two removed", stdout)
					}
				})
			}
		})
	}
}

// Guests of a stay that ended three years ago are deleted, and so are their special requests. A day earlier they are kept.
func TestRules_guestsOfPastStays(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"reservation.guests", "reservation.special_requests"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			d, owner := aging(t, table)
			for _, days := range []int{-1, 1} {
				aged[table].insert(t, owner, -time.Hour)
				if _, err := owner.Exec(t.Context(), `
					UPDATE reservation.reservations SET state = 'checked_out', confirmed_at = platform.now(), payment_status = 'pending_cash', payment_intent_id = reservation_id,
						stay_start = '2000-01-01', stay_end = (platform.now() - interval '3 years')::date + @days::int
					WHERE state = 'expired_hold'`, pgx.StrictNamedArgs{"days": days}); err != nil {
					t.Fatal(err)
				}
			}
			if stdout := must(t, d, table); stdout != table+": removed 1\n" {
				t.Errorf("output = %q, want one row of two removed", stdout)
			}
		})
	}
}

func TestRules_coverEveryTable(t *testing.T) {
	t.Parallel()
	reasons := map[string]string{
		"bff_tenant_booking.booking_drafts": "the sweep removes a draft a day after its end",
		"bff_consumer.wishlist":             "goes with its session",
		"bff_consumer.erasure_requests":     "jobs/erase completes them",
		"reservation.reservations":          "the books of a hotel", "reservation.reservation_items": "the books of a hotel",
		"reservation.reservation_charges": "the books of a hotel",
		"reservation.holds":               "the books of a hotel", "reservation.modifications": "the books of a hotel",
		"reservation.room_nights": "the books of a hotel", "reservation.rooms_out_of_order": "the books of a hotel",
		"reservation.tenant_settings": "one row per tenant", "reservation.erasures": "receipts, kept with the books of a hotel",
	}
	named := map[string]bool{}
	for _, r := range Rules {
		named[r.Name()] = true
	}
	found, _ := pgtest.New(t).Owner(t).Query(t.Context(), `
		SELECT schemaname || '.' || tablename FROM pg_tables
		WHERE schemaname IN ('reservation', 'bff_tenant_booking', 'bff_consumer', 'document') AND tablename NOT IN ('schema_migrations', 'outbox_lanes')`)
	tables := check.Got(pgx.CollectRows(found, pgx.RowTo[string])).Must(t)
	for _, table := range tables {
		if named[table] == (reasons[table] != "") {
			t.Errorf("%s: a rule %v, a reason %q", table, named[table], reasons[table])
		}
		delete(reasons, table)
	}
	for table := range reasons {
		t.Errorf("%s is no more", table)
	}
}

func TestRun_missingSchema(t *testing.T) {
	t.Parallel()
	d := pgtest.Empty(t)
	url := func(u string) env.Env { return env.Of(map[string]string{"DATABASE_URL": u}) }
	conn := d.Owner(t)
	for _, service := range []string{"platform", "reservation"} {
		check.Must(t, migrate.Up(t.Context(), conn, migrations.Files, service))
	}
	var out bytes.Buffer
	if code, stderr := call(t, t.Context(), url(d.OwnerURL()), &out); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if stdout := out.String(); !strings.Contains(stdout, "reservation.outbox: removed 0\n") || !strings.Contains(stdout, "sandbox.outbox: not installed\n") {
		t.Errorf("got output %q", stdout)
	}
	if code, stderr := call(t, t.Context(), url(d.OwnerURL()), io.Discard, "sandbox.outbox"); code != 1 || !strings.Contains(stderr, "no schema of these services") {
		t.Errorf("the wrong database: exit %d, %q", code, stderr)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	noDatabase := env.Of(map[string]string{"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing?sslmode=disable", "DATABASE_CONNECT_TIMEOUT": "1ms"})
	for _, test := range []struct {
		name string
		args []string
		want int
		says string
	}{
		{"help is no failure", []string{"-help"}, 0, ""},
		{"a flag that does not exist", []string{"-all"}, 2, "-all"},
		{"a rule that does not exist", []string{"reservation.parking"}, 2, "reservation.parking"},
		{"batches of nothing", []string{"-batch", "0"}, 2, "-batch"},
		{"a database that is away", []string{"weekly"}, 1, "connect"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, stderr := call(t, t.Context(), noDatabase, io.Discard, test.args...)
			check.Equal(t, code, test.want)
			check.Contains(t, stderr, test.says)
		})
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	sum := 0
	for _, c := range []Cadence{Hourly, Daily, Weekly} {
		t.Run(string(c), func(t *testing.T) {
			rules, err := choose([]string{string(c)})
			for _, r := range rules {
				check.Equal(t, r.Cadence, c, "cadence of %s", r.Name())
			}
			if sum += len(rules); err != nil || len(rules) == 0 {
				t.Errorf("got %d rules and error %v, want rules and nil", len(rules), err)
			}
		})
	}
	if sum != len(Rules) {
		t.Errorf("%d rules have a cadence, of %d", sum, len(Rules))
	}
	if rules, err := choose([]string{"weekly", "document.documents", "sandbox.inbox_processed"}); err != nil || rules[len(rules)-1].Name() != "document.documents" {
		t.Errorf("chosen %v, %v", rules, err)
	}
}
