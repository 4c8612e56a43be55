// Package database reports on the database to an operator who has no access to it: connections, running and expensive statements,
// locks, sizes of tables, the backlog of outbox and sweeps, stuck saga steps, and payments without an outcome.
package database

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/services"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Job prints the named reports, or all of them. It reads as the role pg_monitor in read-only transactions. It prints times, states,
// sizes, ids of bookings and the beginnings of statements, but no other content of rows and no values in statements.
var Job = command.Job{Name: "database", Run: func(ctx context.Context, e env.Env, args []string) error {
	return Run(ctx, e, args, os.Stdout)
}}

// A report is a named query of the database that returns lines to print.
type report struct {
	name  string
	lines func(context.Context, view) ([]string, error)
}

var reports = []report{
	{name: "connections", lines: connections},
	{name: "statements", lines: statements},
	{name: "locks", lines: locks},
	{name: "tables", lines: tables},
	{name: "backlog", lines: backlog},
	{name: "sagas", lines: sagas},
	{name: "drafts", lines: drafts},
}

func reportNames() (names []string) {
	for _, r := range reports {
		names = append(names, r.name)
	}
	return names
}

// options are the arguments of a run.
type options struct {
	reports []string
	schemas []string
	limit   int
}

// A view is the input of a report: its transaction, the options of the run, and the schemas of the run that the database has.
type view struct {
	tx      pgx.Tx
	options options
	schemas []string
}

const (
	runTime       = 2 * time.Minute
	statementTime = 20 * time.Second
	maxLines      = 1000
)

// Run runs the job with its arguments and prints to out. If a report fails, the others still run: during an incident a partial result
// is better than no result.
func Run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	conn, err := postgres.Connect(ctx, e)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	schemas, err := services.InstalledOn(ctx, conn, services.Schemas)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	if len(o.schemas) > 0 {
		schemas = slices.DeleteFunc(schemas, func(schema string) bool { return !slices.Contains(o.schemas, schema) })
	}
	var failed []error
	for _, r := range reports {
		if !slices.Contains(o.reports, r.name) {
			continue
		}
		lines, err := read(ctx, conn, view{options: o, schemas: schemas}, r)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", r.name, err))
			continue
		}
		if len(lines) == 0 {
			lines = []string{"nothing to report"}
		}
		for _, line := range lines {
			if _, err := fmt.Fprintf(out, "%s: %s\n", r.name, line); err != nil {
				return err
			}
		}
	}
	return errors.Join(failed...)
}

// read runs a report in its own read-only transaction, with a timeout for each statement.
func read(ctx context.Context, conn *pgx.Conn, v view, r report) (lines []string, err error) {
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		for _, s := range []string{
			`SET LOCAL ROLE pg_monitor`,
			fmt.Sprintf(`SET LOCAL statement_timeout = %d`, statementTime.Milliseconds()),
			`SET LOCAL timezone = 'UTC'`,
			`SET LOCAL search_path = pg_catalog`,
		} {
			if _, err := tx.Exec(ctx, s); err != nil {
				return err
			}
		}
		v.tx = tx
		lines, err = r.lines(ctx, v)
		return err
	})
	return lines, err
}

func parse(args []string, out io.Writer) (o options, err error) {
	set := flag.NewFlagSet("database", flag.ContinueOnError)
	set.SetOutput(out)
	set.IntVar(&o.limit, "limit", 20, "print at most `N` lines of connections, statements, locks, tables, sagas and drafts")
	set.Func("schema", "only this `schema`, in all reports but locks; may be repeated", func(name string) error {
		if !slices.Contains(services.Schemas, name) {
			return fmt.Errorf("there are %s", strings.Join(services.Schemas, ", "))
		}
		o.schemas = append(o.schemas, name)
		return nil
	})
	command.SetHelp(set, fmt.Sprintf(`
usage: database [flags] [REPORT...]

Reports on the database and changes nothing. It prints no values of statements, and of rows only times, states and ids. Without arguments it prints all reports:

  connections  number by login, service and state, and how many are left
  statements   the longest running, and the most expensive if pg_stat_statements is installed
  locks        who waits for whom
  tables       size, dead rows, last vacuum
  backlog      outbox by lane, parked events, inbox, and what the sweeps have to do
  sagas        saga steps of bookings with more than five attempts
  drafts       payments without an outcome for two hours

examples: database                                  all reports
          database connections locks                two of them
          database -schema=reservation backlog      one service; the schemas are %s

environment: DATABASE_URL, or the variables of the database that terraform sets.
`, strings.Join(services.Schemas, ", ")))
	if o.reports, err = command.Parse(set, args); err != nil {
		return o, err
	}
	if len(o.reports) == 0 {
		o.reports = reportNames()
	}
	for _, name := range o.reports {
		if !slices.Contains(reportNames(), name) {
			return o, command.Usage(fmt.Errorf("no report %q; there are %s", name, strings.Join(reportNames(), ", ")))
		}
	}
	if o.limit < 1 || o.limit > maxLines {
		return o, command.Usage(fmt.Errorf("-limit must be 1 to %d", maxLines))
	}
	return o, nil
}
