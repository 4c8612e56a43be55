package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/local/bus"
)

// An outboxRow is the state of the outbox of one schema.
type outboxRow struct {
	Schema          string
	Waiting, Failed int // events that are not published, and those among them that have failed
	Parked          int
	Oldest          *time.Time // of the waiting events
	Published       int        // in the last hour
	P50, P99        float64    // seconds from commit to publishing, of those
	Lanes           int        // leased lanes
}

// Relay returns the name of the function that publishes what waits.
func (r outboxRow) Relay() string {
	return strings.ReplaceAll(strings.TrimPrefix(r.Schema, "bff_"), "_", "") + "-relay"
}

// A stuckRow is an event that is not published: parked, failed or waiting.
type stuckRow struct {
	Schema, Event, Subject, Key string
	Lane                        int
	Parked                      bool
	Attempts                    int
	Enqueued                    time.Time
	Next                        *time.Time
	Cause                       string
}

// outboxView is the content of the page of outboxes and deliveries.
type outboxView struct {
	Outboxes []outboxRow
	Stuck    []stuckRow
	Blockers []blocker
	Retries  bool // whether the bus lists its deliveries
	Pending  []bus.Pending
}

// A blocker is a session that holds locks on an outbox or its lanes in a transaction that is older than a turn of the relay.
type blocker struct {
	PID                       int
	User, Application, Schema string
	State                     string
	Since                     time.Time // of its transaction
	Query                     string    // the beginning of its last statement
}

// blockers returns the sessions because of which a relay finds no lane. It skips locked lanes and does not wait, so pg_blocking_pids
// has no answer.
func blockers(ctx context.Context, conn *pgx.Conn) ([]blocker, error) {
	rows, _ := conn.Query(ctx, `
		SELECT DISTINCT a.pid, coalesce(a.usename, ''), a.application_name, n.nspname, coalesce(a.state, ''), a.xact_start, left(a.query, 120)
		FROM pg_catalog.pg_locks AS l
		JOIN pg_catalog.pg_class AS c ON c.oid = l.relation AND c.relname IN ('outbox', 'outbox_lanes')
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid
		WHERE l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()) AND l.mode <> 'AccessShareLock'
		  AND a.pid <> pg_backend_pid() AND a.xact_start < clock_timestamp() - interval '1 second'
		ORDER BY a.xact_start`)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[blocker])
}

// errNoOwner is the error of pages that read stored data, if the cloud was started without access to it.
var errNoOwner = errors.New("this local cloud was started without a login that reads all rows")

// rows runs f on a connection that sees all rows.
func (c *Console) rows(ctx context.Context, f func(context.Context, *pgx.Conn) error) error {
	if c.Owner == "" {
		return errNoOwner
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.Owner)
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	return errors.Join(f(ctx, conn), conn.Close(context.WithoutCancel(ctx)))
}

func (c *Console) outbox(r *http.Request) (any, error) {
	var v outboxView
	_, v.Retries = c.Messages.(retrier)
	err := c.rows(r.Context(), func(ctx context.Context, conn *pgx.Conn) error {
		schemas, err := outboxes(ctx, conn)
		if err != nil {
			return err
		}
		for _, schema := range schemas {
			row, stuck, err := readOutbox(ctx, conn, schema)
			if err != nil {
				return fmt.Errorf("console: outbox of %s: %w", schema, err)
			}
			v.Outboxes, v.Stuck = append(v.Outboxes, row), append(v.Stuck, stuck...)
		}
		v.Blockers, err = blockers(ctx, conn)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Pending, err = c.pending(r.Context())
	return v, err
}

// outboxes returns the schemas with an outbox.
func outboxes(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, _ := conn.Query(ctx, `SELECT schemaname FROM pg_catalog.pg_tables WHERE tablename = 'outbox' ORDER BY 1`)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// maxStuck is the number of unpublished events of a schema that the page shows.
const maxStuck = 100

func readOutbox(ctx context.Context, conn *pgx.Conn, schema string) (row outboxRow, stuck []stuckRow, err error) {
	table, lanes := pgx.Identifier{schema, "outbox"}.Sanitize(), pgx.Identifier{schema, "outbox_lanes"}.Sanitize()
	row.Schema = schema
	err = conn.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE published_at IS NULL AND parked_reason IS NULL),
		       count(*) FILTER (WHERE published_at IS NULL AND parked_reason IS NULL AND attempts > 0),
		       count(*) FILTER (WHERE parked_reason IS NOT NULL),
		       min(enqueued_at) FILTER (WHERE published_at IS NULL AND parked_reason IS NULL),
		       count(*) FILTER (WHERE published_at > platform.now() - interval '1 hour'),
		       coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM published_at - enqueued_at))
		           FILTER (WHERE published_at > platform.now() - interval '1 hour'), 0)::float8,
		       coalesce(percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM published_at - enqueued_at))
		           FILTER (WHERE published_at > platform.now() - interval '1 hour'), 0)::float8,
		       (SELECT count(*) FROM `+lanes+` WHERE leased_until > clock_timestamp())
		FROM `+table).Scan(&row.Waiting, &row.Failed, &row.Parked, &row.Oldest, &row.Published, &row.P50, &row.P99, &row.Lanes)
	if err != nil {
		return row, nil, err
	}
	rows, _ := conn.Query(ctx, `
		SELECT @schema, event_id, subject, ordering_key, lane, parked_reason IS NOT NULL, attempts, enqueued_at, next_attempt_at,
		       coalesce(parked_reason, last_error, '')
		FROM `+table+` WHERE published_at IS NULL ORDER BY seq LIMIT @most`, pgx.StrictNamedArgs{"schema": schema, "most": maxStuck})
	stuck, err = pgx.CollectRows(rows, pgx.RowToStructByPos[stuckRow])
	return row, stuck, err
}

// who names the person who acts in the lines of the jobs.
const who = "-by=console"

// unpark lets the relay publish a parked event again.
func (c *Console) unpark(r *http.Request) (string, change, error) {
	if c.Jobs.Outbox == nil {
		return "", nil, errNoJobs
	}
	schema, id, why := r.PostFormValue("schema"), r.PostFormValue("event"), strings.TrimSpace(r.PostFormValue("why"))
	if schema == "" || id == "" || why == "" {
		return "", nil, fmt.Errorf("%w: unparking an event needs a reason", errForm)
	}
	return "Unpark " + short(id), func(ctx context.Context, out io.Writer) error {
		return c.Jobs.Outbox(ctx, c.Env, []string{"-unpark", "-go", who, "-why=" + why, "-event=" + id, schema}, out)
	}, nil
}
