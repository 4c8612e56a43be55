// Package probe books a room as a guest does and cancels it, so that operators know of a broken step before guests tell them.
//
// The reservation is named in a document from the hold on, and the next run cancels it first if this one was killed.
// The document also excludes a second run for four minutes. The probe pays at the hotel and cancels at the reservation
// service, so that a broken site leaves no booking.
package probe

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// Job searches, goes to the hotel's site with a handoff, books a room that is paid at the hotel, and cancels it. It writes one line for
// each step and exits with 1 and the name of the first broken step. It cancels what it booked even then; a document names the
// reservation, so that the next run cancels it if this one is killed.
//
// PROBE_URL is the address of the public routes, UPSTREAM_RESERVATION_URL that of the reservation service.
var Job = command.Job{Name: "probe", Run: func(ctx context.Context, e env.Env, args []string) error {
	return run(ctx, e, args, os.Stdout)
}}

// options are the arguments of a run.
type options struct {
	tenant   id.Tenant
	property id.Property
	slug     string
	city     string
	days     int           // from today to the arrival
	deadline time.Duration // of a step
	site     string        // without a slash at its end
}

// runTime limits a run without its clean-up.
const runTime = 3 * time.Minute

func run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(e, args, out)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	j := &journey{
		options: o, env: e, out: out, guest: newGuest(o),
		desk: upstream.Open(e, "reservation", upstream.Policy{Timeout: o.deadline}),
		mark: mark{documents: document.Open[left](e, "probe"), key: document.KeyOf(o.property.String()), now: e.Now},
	}
	return j.run(ctx)
}

func parse(e env.Env, args []string, out io.Writer) (options, error) {
	o := options{tenant: demo.KabulGrand.Tenant, property: demo.KabulGrand.Property}
	set := flag.NewFlagSet("probe", flag.ContinueOnError)
	set.SetOutput(out)
	set.TextVar(&o.tenant, "tenant", o.tenant, "`id` of the hotel's tenant")
	set.TextVar(&o.property, "property", o.property, "`id` of the hotel's property")
	set.StringVar(&o.slug, "slug", demo.KabulGrand.Slug, "short `name` of the hotel's site")
	set.StringVar(&o.city, "city", demo.KabulGrand.City, "`name` of the city in which a search finds the hotel")
	set.IntVar(&o.days, "days", 60, "`number` of days from today to the arrival; within it a cancellation must be free")
	set.DurationVar(&o.deadline, "deadline", 5*time.Second, "longest `duration` of a step")
	command.SetHelp(set, `
usage: probe [flags]

Books a room as a guest and cancels it. It names the first step that fails.

example: probe -slug=kabul-grand-hotel -city=Kabul -days=30

environment: PROBE_URL (base URL of the sites), REDIS_URL or GOOGLE_CLOUD_PROJECT for documents, UPSTREAM_RESERVATION_URL.
`)
	if err := set.Parse(args); err != nil {
		return o, command.Usage(err)
	}
	if set.NArg() > 0 || o.days < 1 || o.deadline <= 0 || o.slug == "" || o.city == "" {
		return o, command.Usage(fmt.Errorf("%v: -days and -deadline must be positive, -slug and -city not empty, and there are no other arguments", args))
	}
	var c struct {
		URL string `env:"PROBE_URL,required"`
	}
	if err := e.Load(&c); err != nil {
		return o, err
	}
	if u, err := url.Parse(c.URL); err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.Path != "" {
		return o, fmt.Errorf("PROBE_URL is no http URL without a path")
	}
	o.site = c.URL
	return o, nil
}
