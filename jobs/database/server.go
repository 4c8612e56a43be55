package database

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// arguments returns the arguments of queries with @limit and @schemas. Connections are selected by application_name, because services
// set it to the name of their schema.
func (v view) arguments() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"limit": v.options.limit, "schemas": v.options.schemas}
}

// connections counts the open connections of the server, and those to this database by service, login and state.
func connections(ctx context.Context, v view) ([]string, error) {
	var open, maxOpen int
	err := v.tx.QueryRow(ctx, `
		SELECT count(*), current_setting('max_connections')::int FROM pg_stat_activity WHERE backend_type = 'client backend'`).Scan(&open, &maxOpen)
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("%d of %d are open", open, maxOpen)}
	rows, _ := v.tx.Query(ctx, `
		SELECT count(*), coalesce(nullif(application_name, ''), 'unnamed'), coalesce(usename, 'unknown'), coalesce(state, 'unknown'),
		       max(clock_timestamp() - state_change)
		FROM pg_stat_activity
		WHERE datname = current_database() AND backend_type = 'client backend' AND (@schemas::text[] IS NULL OR application_name = ANY(@schemas))
		GROUP BY 2, 3, 4
		ORDER BY 1 DESC, 2, 3, 4
		LIMIT @limit`, v.arguments())
	var count int
	var service, login, state string
	var longest *time.Duration
	_, err = pgx.ForEachRow(rows, []any{&count, &service, &login, &state, &longest}, func() error {
		lines = append(lines, fmt.Sprintf("%d of %s by %s %s, the longest for %s", count, service, login, state, rounded(longest)))
		return nil
	})
	return lines, err
}

// statements lists the running statements, the longest first, and the statements with the highest total time in pg_stat_statements.
func statements(ctx context.Context, v view) (lines []string, err error) {
	rows, _ := v.tx.Query(ctx, `
		SELECT pid, coalesce(nullif(application_name, ''), 'unnamed'), state, clock_timestamp() - coalesce(query_start, backend_start),
		       coalesce(wait_event_type || ':' || wait_event, 'nothing'), coalesce(query_id::text, 'none'), query
		FROM pg_stat_activity
		WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle'
		  AND (@schemas::text[] IS NULL OR application_name = ANY(@schemas))
		ORDER BY 4 DESC
		LIMIT @limit`, v.arguments())
	var pid int
	var service, state, waits, query, text string
	var running *time.Duration
	_, err = pgx.ForEachRow(rows, []any{&pid, &service, &state, &running, &waits, &query, &text}, func() error {
		lines = append(lines, fmt.Sprintf("pid %d of %s %s for %s, waits for %s, query %s: %s", pid, service, state, rounded(running), waits, query, opening(text)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	expensive, err := expensive(ctx, v)
	return append(lines, expensive...), err
}

// expensive lists the statements with the highest total execution time. A service runs its statements as the roles of its schema, so
// these select the statements of a schema. Without pg_stat_statements it returns a line that says so.
func expensive(ctx context.Context, v view) (lines []string, err error) {
	var schema *string
	err = v.tx.QueryRow(ctx, `
		SELECT (SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'pg_stat_statements'
		        AND current_setting('shared_preload_libraries') LIKE '%pg_stat_statements%')`).Scan(&schema)
	if err != nil {
		return nil, err
	}
	if schema == nil {
		return []string{"no statistics of earlier statements: pg_stat_statements is not installed or not loaded"}, nil
	}
	rows, _ := v.tx.Query(ctx, `
		SELECT coalesce(queryid::text, 'none'), calls, total_exec_time, mean_exec_time, query
		FROM `+*schema+`.pg_stat_statements
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
		  AND (@schemas::text[] IS NULL OR regexp_replace(pg_get_userbyid(userid), '_(app|maintenance)$', '') = ANY(@schemas))
		ORDER BY total_exec_time DESC
		LIMIT @limit`, v.arguments())
	var query, text string
	var calls int64
	var total, mean float64
	_, err = pgx.ForEachRow(rows, []any{&query, &calls, &total, &mean, &text}, func() error {
		lines = append(lines, fmt.Sprintf("query %s took %.0f ms in %d calls, %.2f ms each: %s", query, total, calls, mean, opening(text)))
		return nil
	})
	return lines, err
}

// maxOpening bounds the characters of a statement that are printed.
const maxOpening = 120

// quoted matches the beginning of a string literal, of a dollar-quoted literal, or of a comment. number matches a number that is not
// part of an identifier or a parameter.
var (
	quoted = regexp.MustCompile(`'|\$\w*\$|--|/\*`)
	number = regexp.MustCompile(`([^\w$]|^)\d[\d.]*`)
)

// opening returns the beginning of a statement, cut at its first literal or comment and with its numbers replaced by "?", because
// values may be personal data of a guest.
func opening(statement string) string {
	if at := quoted.FindStringIndex(statement); at != nil {
		statement = statement[:at[0]] + "…"
	}
	words := []rune(number.ReplaceAllString(strings.Join(strings.Fields(statement), " "), "${1}?"))
	if len(words) > maxOpening {
		return string(words[:maxOpening]) + "…"
	}
	return string(words)
}

// locks lists the connections that wait for a lock, each with every connection that blocks it.
func locks(ctx context.Context, v view) (lines []string, err error) {
	rows, _ := v.tx.Query(ctx, `
		SELECT w.pid, coalesce(nullif(w.application_name, ''), 'unnamed'), clock_timestamp() - w.query_start, coalesce(w.wait_event, 'unknown'),
		       coalesce((SELECT string_agg(DISTINCT l.relation::regclass::text, ', ') FROM pg_locks AS l WHERE l.pid = w.pid AND NOT l.granted AND l.relation IS NOT NULL), 'a row'),
		       b.pid, coalesce(nullif(b.application_name, ''), 'unnamed'), coalesce(b.state, 'unknown'), clock_timestamp() - b.state_change, w.query
		FROM pg_stat_activity AS w
		CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS blocking (pid)
		JOIN pg_stat_activity AS b ON b.pid = blocking.pid
		WHERE w.datname = current_database() AND w.wait_event_type = 'Lock'
		ORDER BY 3 DESC, 1, 6
		LIMIT @limit`, pgx.StrictNamedArgs{"limit": v.options.limit})
	var waiter, holder int
	var service, event, relation, of, state, text string
	var waits, since *time.Duration
	_, err = pgx.ForEachRow(rows, []any{&waiter, &service, &waits, &event, &relation, &holder, &of, &state, &since, &text}, func() error {
		lines = append(lines, fmt.Sprintf("pid %d of %s waits %s (%s on %s) for pid %d of %s, which is %s for %s: %s",
			waiter, service, rounded(waits), event, relation, holder, of, state, rounded(since), opening(text)))
		return nil
	})
	return lines, err
}

// tables lists the size of the database, and the largest tables by size including indexes.
func tables(ctx context.Context, v view) (lines []string, err error) {
	var size string
	if err := v.tx.QueryRow(ctx, `SELECT pg_size_pretty(pg_database_size(current_database()))`).Scan(&size); err != nil {
		return nil, err
	}
	lines = append(lines, "the database has "+size)
	rows, _ := v.tx.Query(ctx, `
		SELECT schemaname || '.' || relname, pg_size_pretty(pg_total_relation_size(relid)), pg_size_pretty(pg_indexes_size(relid)), n_live_tup, n_dead_tup,
		       greatest(last_vacuum, last_autovacuum)
		FROM pg_stat_user_tables
		WHERE @schemas::text[] IS NULL OR schemaname = ANY(@schemas)
		ORDER BY pg_total_relation_size(relid) DESC, 1
		LIMIT @limit`, v.arguments())
	var name, total, indexes string
	var live, dead int64
	var vacuumed *time.Time
	_, err = pgx.ForEachRow(rows, []any{&name, &total, &indexes, &live, &dead, &vacuumed}, func() error {
		lines = append(lines, fmt.Sprintf("%s %s, %s of it indexes, about %d rows and %d dead ones, vacuumed %s", name, total, indexes, live, dead, instant(vacuumed)))
		return nil
	})
	return lines, err
}

func rounded(d *time.Duration) string {
	if d == nil {
		return "an unknown time"
	}
	return max(0, *d).Round(100 * time.Millisecond).String()
}

func instant(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}
