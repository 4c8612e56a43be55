// Package timeline prints the timeline of one booking from the databases and the log, for an operator who has access to neither.
package timeline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Job prints what happened to one booking: its rows, published and consumed events and calls, each with its cause. It prints ids,
// states, amounts and error codes, and no data of a guest. It changes nothing.
var Job = command.Job{Name: "timeline", Run: func(ctx context.Context, e env.Env, args []string) error {
	return Run(ctx, e, args, os.Stdout)
}}

// LogKey is the functions' log. Without it a timeline has no calls.
var LogKey = env.NewKey[booking.Log]("the functions' log")

// runTime limits a run. An outbox has no index over the ids in payloads, so each is read as a whole, several times.
const runTime = 10 * time.Minute

// options are the arguments of a run.
type options struct {
	tenant id.Tenant // zero: found by the events
	name   string
	most   int
}

// Run runs the job with its arguments and prints to out.
func Run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	data, err := open(ctx, e)
	if err != nil {
		return err
	}
	data.tenant = o.tenant
	if data.tenant.IsZero() {
		if data.tenant, err = data.findTenant(ctx, o.name); err != nil {
			return err
		}
	}
	log, found := LogKey.Get(e)
	if !found {
		if _, err := fmt.Fprintln(out, "no log is configured: the timeline has no calls"); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(out, "reading %s; this may take minutes\n", data); err != nil {
		return err
	}
	story, err := booking.Of(ctx, data, log, o.name)
	if errors.Is(err, booking.ErrUnknown) && o.tenant.IsZero() {
		return fmt.Errorf("%w: outboxes keep events for seven days; for an older booking give -tenant", err)
	}
	if err != nil {
		return err
	}
	return story.Write(out, o.most)
}

// maxMoments is the number of moments that are printed without -most. Each is a line in the log of the job.
const maxMoments = 500

func parse(args []string, out io.Writer) (o options, err error) {
	set := flag.NewFlagSet("timeline", flag.ContinueOnError)
	set.SetOutput(out)
	set.Func("tenant", "the `id` of the hotel's tenant; needed for bookings older than a week", func(text string) error { return o.tenant.UnmarshalText([]byte(text)) })
	set.IntVar(&o.most, "most", maxMoments, "print at most `N` moments, the latest; 0 prints all")
	command.SetHelp(set, `
usage: timeline [flags] rsv_… | GM-… | bdr_… | bhd_… | tnt_session_… | gms_… | qte_… | pyi_… | evt_…

Prints the timeline of one booking: rows, published and consumed events, and the calls in the functions' log with their attempts and
causes. The name is a reservation, its code, a draft, a handoff, a session, a quote, an intent or one of its events. It prints no data
of a guest.

examples: timeline GM-Y4KH2W                                         all of a booking
          timeline -most=50 -tenant=TENANT rsv_RESERVATION           the latest moments of an older one

environment: DATABASE_URL, or the variables of the database that terraform sets; GOOGLE_CLOUD_PROJECT, whose log is read, or
TIMELINE_LOG, a file with the lines of the log, such as .local/log.
`)
	names, err := command.Parse(set, args)
	switch {
	case err != nil:
		return o, err
	case len(names) > 1:
		return o, command.Usage(errors.New("give one name"))
	case len(names) == 1:
		o.name = names[0]
	}
	return o, command.Usage(o.check())
}

func (o options) check() error {
	switch {
	case o.name == "":
		return errors.New("give the name of a booking, for example its code")
	case !booking.IsName(o.name):
		return fmt.Errorf("%q is neither an id nor a reservation's code", o.name)
	case o.most < 0:
		return errors.New("-most must not be negative")
	}
	return nil
}
