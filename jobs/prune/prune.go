// Package prune deletes expired rows.
//
// rules.go has one rule per table; they run by name, by cadence or all together, also as a dry run. Published events
// are found by their id, which contains their age. The policies of the maintenance role have the same conditions, so no
// rule can delete a row before its time.
package prune

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/services"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Job applies the named rules, or those of a cadence, or all. It connects as a login that is admitted to the schemas
// and acts as the maintenance role of each.
var Job = command.Job{Name: "prune", Run: func(ctx context.Context, e env.Env, args []string) error {
	return run(ctx, e, args, os.Stdout)
}}

// options are the arguments of a run.
type options struct {
	rules []Rule
	most  int  // rows per transaction
	dry   bool // only report
	out   io.Writer
}

// run applies each rule, even if another one fails. It skips services that are not installed.
func run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	var schemas []string
	for _, r := range o.rules {
		schemas = append(schemas, r.Schema)
	}
	there, err := services.Installed(ctx, e, schemas)
	if err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	var failed []error
	for _, r := range o.rules {
		if !slices.Contains(there, r.Schema) {
			failed = append(failed, o.say(r, "not installed"))
			continue
		}
		failed = append(failed, o.apply(ctx, postgres.Open(e, r.Schema), r))
	}
	return errors.Join(failed...)
}

func parse(args []string, out io.Writer) (options, error) {
	o := options{out: out}
	set := flag.NewFlagSet("prune", flag.ContinueOnError)
	set.SetOutput(out)
	set.BoolVar(&o.dry, "dry-run", false, "report the number of rows that would be removed, and remove none")
	set.IntVar(&o.most, "batch", 1000, "rows per transaction")
	command.SetHelp(set, fmt.Sprintf(`
usage: prune [flags] [RULE|CADENCE...]

Deletes rows whose retention has ended. Without arguments it applies all rules:
%s
examples: prune -dry-run                       what a run would delete
          prune hourly                         the rules with this cadence
          prune %s

environment: DATABASE_URL, or the variables of the database that terraform sets.
`, listRules(), Rules[0].Name()))
	if err := set.Parse(args); err != nil {
		return o, command.Usage(err)
	}
	if o.most < 1 {
		return o, command.Usage(errors.New("-batch must be at least 1"))
	}
	var err error
	o.rules, err = choose(set.Args())
	return o, err
}

// listRules returns a line per rule: its name and its cadence.
func listRules() string {
	var b strings.Builder
	for _, r := range Rules {
		fmt.Fprintf(&b, "  %-55s %s\n", r.Name(), r.Cadence)
	}
	return b.String()
}

// choose returns the named rules in the order of application.
func choose(names []string) ([]Rule, error) {
	if len(names) == 0 {
		return Rules, nil
	}
	known := map[string]bool{}
	var chosen []Rule
	for _, r := range Rules {
		known[r.Name()], known[string(r.Cadence)] = true, true
		if slices.Contains(names, r.Name()) || slices.Contains(names, string(r.Cadence)) {
			chosen = append(chosen, r)
		}
	}
	for _, name := range names {
		if !known[name] {
			return nil, command.Usage(fmt.Errorf("no rule or cadence %q; rules are named as their tables, as in %s", name, Rules[0].Name()))
		}
	}
	return chosen, nil
}

func (o options) apply(ctx context.Context, db *postgres.DB, r Rule) error {
	if o.dry {
		return o.count(ctx, db, r)
	}
	removed, err := o.remove(ctx, db, r)
	switch {
	case errors.Is(err, errBusy):
		return o.say(r, "another run holds the lock")
	case err != nil:
		return errors.Join(o.say(r, "removed %d, then failed", removed), fmt.Errorf("prune: %s: %w", r.Name(), err))
	}
	return o.say(r, "removed %d", removed)
}

// errBusy is returned if another run is pruning the same table.
var errBusy = errors.New("another run holds the lock")

// progress is the number of batches between two progress lines.
const progress = 20

// remove deletes batches, each in its own transaction, until one is not full. An interrupted run loses nothing.
func (o options) remove(ctx context.Context, db *postgres.DB, r Rule) (removed int, err error) {
	for batch := 1; ; batch++ {
		n, err := o.batch(ctx, db, r)
		removed += n
		if err != nil || n < o.most {
			return removed, err
		}
		if batch%progress == 0 {
			if err := o.say(r, "removed %d so far", removed); err != nil {
				return removed, err
			}
		}
	}
}

// batch deletes rows under an advisory lock of the rule, so that two runs cannot deadlock.
func (o options) batch(ctx context.Context, db *postgres.DB, r Rule) (n int, err error) {
	err = db.InMaintenance(ctx, func(tx postgres.Tx) error {
		var alone bool
		err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock(hashtextextended('melmastoon.prune ' || @rule, 0))`,
			pgx.StrictNamedArgs{"rule": r.Name()}).Scan(&alone)
		if err != nil {
			return err
		}
		if !alone {
			return errBusy
		}
		tag, err := tx.Exec(ctx, r.deletion(), pgx.StrictNamedArgs{"most": o.most})
		n = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// deletion returns the DELETE statement. It checks the condition twice, because a row may change after the subquery has
// found it.
func (r Rule) deletion() string {
	return `DELETE FROM ` + r.Name() + ` WHERE (` + r.Key + `) IN (
		SELECT ` + r.Key + ` FROM ` + r.Name() + ` WHERE ` + r.Over + ` LIMIT @most) AND (` + r.Over + `)`
}

// counted limits the rows that a dry run counts, so that it reads no more than a real run.
const counted = 100_000

func (o options) count(ctx context.Context, db *postgres.DB, r Rule) error {
	var n int
	err := db.InMaintenance(ctx, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `SELECT count(*) FROM (SELECT `+r.Key+` FROM `+r.Name()+` WHERE `+r.Over+` LIMIT @most) AS over`,
			pgx.StrictNamedArgs{"most": counted}).Scan(&n)
	})
	if err != nil {
		return fmt.Errorf("prune: %s: %w", r.Name(), err)
	}
	if n == counted {
		return o.say(r, "would remove %d or more", n)
	}
	return o.say(r, "would remove %d", n)
}

func (o options) say(r Rule, what string, args ...any) error {
	_, err := fmt.Fprintf(o.out, "%s: %s\n", r.Name(), fmt.Sprintf(what, args...))
	return err
}
