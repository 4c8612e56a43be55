// Package outbox shows the events that no relay can publish, and lets an operator publish or delete them.
//
// The flag -push publishes a stored event once more, for one subscription and without an ordering key, because Pub/Sub
// has no command that retries at once. The inbox ignores the original when it is retried. Events of the classes audit
// and regulated cannot be deleted.
package outbox

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

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/services"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Job counts the events of all schemas, or of the named ones, that wait to be published, and the stuck ones by subject and cause:
// those that are parked, and those that have failed for five minutes. -show=N SCHEMA shows the oldest without their payload. -unpark SCHEMA lets the relay publish
// parked events again, -forget SCHEMA deletes parked operational events; both only report what they would do, unless -go, -by and -why are
// given. -push -event=ID SCHEMA delivers an event without waiting for its next attempt. -subject, -cause, -event and -limit select events.
// -lost=COPY -since=TIME compares a database that was restored to a moment with a copy of its last state.
var Job = command.Job{Name: "outbox", Run: func(ctx context.Context, e env.Env, args []string) error {
	return Run(ctx, e, args, os.Stdout)
}}

// options are the arguments of a run.
type options struct {
	schemas []string
	show    int
	unpark  bool
	forget  bool
	push    bool
	to      string // the subscription of -push
	do      bool
	by, why string
	lost    string    // the name of the copy
	since   time.Time // the moment to which the database was restored

	subject, cause, event string
	limit                 int
}

// runTime limits a run.
const runTime = 4 * time.Minute

// Run runs the job with its arguments and prints to out.
func Run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	there, err := services.Installed(ctx, e, services.Schemas)
	if err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	if o.lost != "" {
		o.schemas = slices.DeleteFunc(slices.Clone(o.schemas), func(schema string) bool { return !slices.Contains(there, schema) })
		return printLost(ctx, e, o, out)
	}
	stuck := 0
	for _, schema := range o.schemas {
		if !slices.Contains(there, schema) {
			if _, err := fmt.Fprintf(out, "%s: not installed\n", schema); err != nil {
				return err
			}
			continue
		}
		s := store{db: postgres.Open(e, schema), options: o, out: out}
		n, err := s.act(ctx, e)
		if err != nil {
			return fmt.Errorf("outbox: %s: %w", schema, err)
		}
		stuck += n
	}
	if stuck == 0 {
		_, err = fmt.Fprintf(out, "no such events in %s\n", strings.Join(o.schemas, ", "))
	}
	return err
}

// maxEvents limits the events that one run shows or changes.
const maxEvents = 1000

func parse(args []string, out io.Writer) (o options, err error) {
	set := flag.NewFlagSet("outbox", flag.ContinueOnError)
	set.SetOutput(out)
	set.IntVar(&o.show, "show", 0, "show the `N` oldest events of a schema, never their payload")
	set.BoolVar(&o.unpark, "unpark", false, "let the relay publish parked events of a schema again")
	set.BoolVar(&o.forget, "forget", false, "delete parked events of a schema whose retention class is operational")
	set.BoolVar(&o.push, "push", false, "deliver the event of -event now, without waiting for the next attempt")
	set.StringVar(&o.to, "to", "", "with -push, the `subscription` to which a published event is delivered once more")
	set.BoolVar(&o.do, "go", false, "make the change of -unpark, -forget or -push; without it only report it")
	set.StringVar(&o.by, "by", "", "your `name`, for the log; required by -go")
	set.StringVar(&o.why, "why", "", "the `reason`, for the log; required by -go")
	set.StringVar(&o.subject, "subject", "", "only events of this `subject`")
	set.StringVar(&o.cause, "cause", "", "only events whose cause contains this `text`")
	set.StringVar(&o.event, "event", "", "only the event with this `id`")
	set.IntVar(&o.limit, "limit", maxEvents, "change at most `N` events, the oldest first")
	set.StringVar(&o.lost, "lost", "", "list the changes that a point-in-time recovery has lost; `COPY` is the instance with the last state")
	set.Func("since", "the `time` to which the database was restored, such as 2026-11-26T14:03:00Z; required by -lost", func(text string) (err error) {
		o.since, err = time.Parse(time.RFC3339, text)
		return err
	})
	command.SetHelp(set, fmt.Sprintf(`
usage: outbox [flags] [SCHEMA...]

Counts the events that wait to be published, and lets an operator publish or delete stuck ones. The schemas are %s.

examples: outbox                                                       all schemas
          outbox -show=10 reservation                                  the oldest stuck events
          outbox -unpark -go -by=NAME -why=REASON reservation          publish parked events
          outbox -push -event=EVENT -to=SUBSCRIPTION reservation       what a delivery without waiting would do
          outbox -lost=melmastoon-after -since=2026-11-26T14:03:00Z    after a recovery (terraform/RESTORE.md)

environment: DATABASE_URL, or the variables of the database that terraform sets; -lost changes the instance in CLOUDSQL_INSTANCE. For
-push of a published event also DEAD_LETTERS (subscription:subject:topic, separated by commas) and GOOGLE_CLOUD_PROJECT.
`, strings.Join(services.Schemas, ", ")))
	if o.schemas, err = command.Parse(set, args); err != nil {
		return o, err
	}
	err = o.check()
	if len(o.schemas) == 0 {
		o.schemas = services.Schemas
	}
	return o, command.Usage(err)
}

func (o options) check() error {
	acts := 0
	for _, asked := range []bool{o.show != 0, o.unpark, o.forget, o.push, o.lost != ""} {
		if asked {
			acts++
		}
	}
	for _, s := range o.schemas {
		if !slices.Contains(services.Schemas, s) {
			return fmt.Errorf("no schema %q; there are %s", s, strings.Join(services.Schemas, ", "))
		}
	}
	switch {
	case acts > 1:
		return errors.New("use only one of -show, -unpark, -forget, -push and -lost")
	case o.show < 0 || o.show > maxEvents || o.limit < 1 || o.limit > maxEvents:
		return fmt.Errorf("-show and -limit must be 1 to %d", maxEvents)
	case (o.lost == "") != o.since.IsZero():
		return errors.New("-lost and -since require each other")
	case o.lost != "" && !instanceName.MatchString(o.lost):
		return errors.New("-lost must be the name of an instance, without project and region")
	case (o.unpark || o.forget || o.push) && len(o.schemas) != 1:
		return errors.New("-unpark, -forget and -push require the name of one schema")
	case o.push && o.event == "", o.to != "" && !o.push:
		return errors.New("-push requires -event, and -to requires -push")
	case o.do && !o.unpark && !o.forget && !o.push:
		return errors.New("-go requires -unpark, -forget or -push")
	case o.do && (strings.TrimSpace(o.by) == "" || strings.TrimSpace(o.why) == ""):
		return errors.New("-go requires -by and -why: who decided, and why")
	}
	return nil
}
