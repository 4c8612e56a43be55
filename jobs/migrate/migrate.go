// Package migrate migrates the database before new code is rolled out.
package migrate

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
	migrations "melmastoon.ghasi.io/schemas/postgres"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
)

// Job applies the migrations of the named services, or of all. It connects as the login that owns the schemas
// (DATABASE_URL or CLOUDSQL_*), and grants access to the functions' logins,
// which DATABASE_LOGINS lists: reservation:user@project.iam, separated by commas.
var Job = command.Job{Name: "migrate", Run: func(ctx context.Context, e env.Env, args []string) error {
	return run(ctx, e, args, os.Stdout)
}}

// monitor is written in DATABASE_LOGINS instead of a service, for a login that may only assume pg_monitor.
const monitor = "monitor"

// options are the arguments of a run.
type options struct {
	services []string
	down     int         // steps to revert, of one service
	dry      bool        // only report
	logins   [][2]string // service and login
}

func run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(e, args, out)
	if err != nil {
		return err
	}
	conn, err := postgres.Connect(ctx, e)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if o.down > 0 {
		return o.takeBack(ctx, conn, out)
	}
	for _, service := range o.services {
		if err := o.bringUp(ctx, conn, service, out); err != nil {
			return err
		}
	}
	if o.dry {
		return nil
	}
	return o.admit(ctx, conn, out)
}

func parse(e env.Env, args []string, out io.Writer) (o options, err error) {
	set := flag.NewFlagSet("migrate", flag.ContinueOnError)
	set.SetOutput(out)
	set.BoolVar(&o.dry, "dry-run", false, "report what would be applied, and change nothing")
	set.IntVar(&o.down, "down", 0, "revert `N` steps of the named service")
	command.SetHelp(set, `
usage: migrate [flags] [SERVICE...]

Applies the pending migrations of all services, or of the named ones, and admits the logins of the functions.

examples: migrate -dry-run                     what a run would apply
          migrate -down=1 reservation          reverts the last step of a service

environment: DATABASE_URL, or the variables of the database that terraform sets; DATABASE_LOGINS (service:login or monitor:login, separated by commas).
`)
	if err := set.Parse(args); err != nil {
		return o, command.Usage(err)
	}
	if o.services, err = choose(set.Args()); err != nil {
		return o, err
	}
	if o.down < 0 || o.down > 0 && (set.NArg() != 1 || o.dry) {
		return o, command.Usage(errors.New("-down requires one named service and no -dry-run"))
	}
	o.logins, err = logins(e)
	return o, err
}

// choose returns the named services in the order of migration.
func choose(names []string) ([]string, error) {
	known, err := migrate.Services(migrations.Files)
	if err != nil || len(names) == 0 {
		return known, err
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, command.Usage(fmt.Errorf("no migrations for %q; there are %s", name, strings.Join(known, ", ")))
		}
	}
	return slices.DeleteFunc(known, func(s string) bool { return !slices.Contains(names, s) }), nil
}

func logins(e env.Env) (pairs [][2]string, err error) {
	var c struct {
		Logins []string `env:"DATABASE_LOGINS"`
	}
	if err := e.Load(&c); err != nil {
		return nil, err
	}
	for _, entry := range c.Logins {
		service, login, ok := strings.Cut(entry, ":")
		if !ok {
			return nil, command.Usage(fmt.Errorf("DATABASE_LOGINS: %q is not service:login", entry))
		}
		pairs = append(pairs, [2]string{service, login})
	}
	return pairs, nil
}

func (o options) bringUp(ctx context.Context, conn *pgx.Conn, service string, out io.Writer) error {
	todo, err := migrate.Pending(ctx, conn, migrations.Files, service)
	if err != nil {
		return err
	}
	if !o.dry {
		if err := migrate.Up(ctx, conn, migrations.Files, service); err != nil {
			return err
		}
	}
	if len(todo) == 0 {
		todo = []string{"nothing to do"}
	}
	_, err = fmt.Fprintf(out, "%s: %s\n", service, strings.Join(todo, ", "))
	return err
}

func (o options) takeBack(ctx context.Context, conn *pgx.Conn, out io.Writer) error {
	if err := migrate.Down(ctx, conn, migrations.Files, o.services[0], o.down); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s: took back %d\n", o.services[0], o.down)
	return err
}

func (o options) admit(ctx context.Context, conn *pgx.Conn, out io.Writer) error {
	for _, pair := range o.logins {
		service, login := pair[0], pair[1]
		var err error
		switch {
		case service == monitor:
			err = migrate.Monitor(ctx, conn, login)
		case slices.Contains(o.services, service):
			err = migrate.Admit(ctx, conn, login, service)
		default:
			continue
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s: admitted %s\n", service, login); err != nil {
			return err
		}
	}
	return nil
}
