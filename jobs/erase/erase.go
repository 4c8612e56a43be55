// Package erase erases the data of guests who asked for it, and writes a receipt for each erasure.
//
// A step deletes the data of one place, records the numbers, and can be repeated: an interrupted run is continued by the next one.
// A request whose step fails stays open, and the run fails.
//
// # Rules
//
//   - Clearing a session requests its erasure, which is due after 30 days. The daily run handles requests that are
//     two hours old: by then calls of the session have ended, and BigQuery can delete streamed rows.
//   - Documents are deleted first, then rows, then the warehouse. The receipt replaces the request, names the rows by
//     place and the evidence that is kept, and is kept for a year.
//   - A reservation stays in the books without a name. It is rejected unless it has ended, is settled and waits for
//     nothing. An e-mail address never is an argument, because arguments are logged.
//   - Dead letters that name the guest are deleted, also those that appear within 40 days. A dead letter whose effect
//     is missing must be replayed before; the dry run shows their number.
//   - Rows of the class regulated stay in the warehouse, and a table without a column for the class is an error.
package erase

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Job erases the data of guests. It connects as a login that is admitted to the schemas.
//
// Without a person it erases the guest sessions whose erasure was requested at least two hours ago: documents, SQL rows, unpublished and
// published telemetry, dead letters, and the rows of the warehouse. It also completes interrupted erasures of reservations. With
// -reservation or -email-hash it erases the guest of ended reservations of a tenant, with -session it requests the erasure of a guest
// session; these only report what they would do, unless -go, -by and -why are given. It exits with 1 if a request could not be completed.
//
// DEAD_LETTERS lists the subscriptions whose dead letters it searches. WAREHOUSE_DATASET names the BigQuery dataset; without it the
// receipts say that no warehouse is configured.
var Job = command.Job{Name: "erase", Run: func(ctx context.Context, e env.Env, args []string) error {
	return run(ctx, e, args, os.Stdout)
}}

// options are the arguments of a run.
type options struct {
	dry  bool
	most int // requests per step
	out  io.Writer

	tenant      id.Tenant
	reservation id.Reservation
	emailHash   string
	session     id.GuestSession
	do          bool
	by, why     string

	stepped func() // for tests: after each step of a reservation
}

// subjects are the kinds of persons' data that the job erases, by the name of their output. Each has requests of its own.
var subjects = map[string]func(context.Context, env.Env, options) error{
	"guest sessions": eraseSessions,
	"reservations":   completeStays,
}

// documentTimeout is the timeout of requests to the document store. It is long, because no guest waits for this job, and the first
// request also opens the connection.
const documentTimeout = "10s"

// run erases the named person, or else each kind of open requests, even if another one fails.
func run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	e = e.With("DOCUMENT_TIMEOUT", documentTimeout)
	switch {
	case !o.session.IsZero():
		return requestSession(ctx, e, o)
	case !o.tenant.IsZero():
		return eraseStays(ctx, e, o)
	}
	var failed []error
	for _, name := range slices.Sorted(maps.Keys(subjects)) {
		if err := subjects[name](ctx, e, o); err != nil {
			failed = append(failed, fmt.Errorf("erase: %s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}

const help = `
usage: erase [-dry-run] [-batch N]
       erase -tenant tnt_… -reservation rsv_… [-go -by NAME -why REASON]
       erase -tenant tnt_… -email-hash HASH [-go -by NAME -why REASON]
       erase -session gms_… [-go -by NAME -why REASON]

Without a person the job completes the requests of cleared guest sessions that are two hours old. With -reservation it erases the guest
of an ended reservation, with -email-hash those of all ended reservations of a guest; the hash is primaryGuest.contactHash.email in the events of the tenant.
With -session it requests the erasure of a guest session, which the daily run completes.

example: gcloud run jobs execute erase --region=me-central1 --wait --args=-tenant=tnt_…,-reservation=rsv_…

environment: DATABASE_URL, or the variables of the database that terraform sets; REDIS_URL or GOOGLE_CLOUD_PROJECT for documents;
             DEAD_LETTERS (subscription:subject:topic, separated by commas); WAREHOUSE_DATASET (project.dataset).
`

func parse(args []string, out io.Writer) (options, error) {
	o := options{out: out}
	set := flag.NewFlagSet("erase", flag.ContinueOnError)
	set.SetOutput(out)
	command.SetHelp(set, help)
	set.BoolVar(&o.dry, "dry-run", false, "report the number of rows that would be deleted, and change nothing")
	set.IntVar(&o.most, "batch", 200, "requests per step")
	set.TextVar(&o.tenant, "tenant", o.tenant, "the `tenant` of the reservation or hash")
	set.TextVar(&o.reservation, "reservation", o.reservation, "erase the guest of this `reservation`")
	set.StringVar(&o.emailHash, "email-hash", "", "erase the guests of the tenant with this `hash` of the e-mail address")
	set.TextVar(&o.session, "session", o.session, "request the erasure of this guest `session`")
	set.BoolVar(&o.do, "go", false, "erase; without it only report")
	set.StringVar(&o.by, "by", "", "your `name`, for receipt and log; required by -go")
	set.StringVar(&o.why, "why", "", "the `reason`, for receipt and log, without the guest's name; required by -go")
	if err := set.Parse(args); err != nil {
		return o, command.Usage(err)
	}
	if o.most < 1 || set.NArg() > 0 {
		return o, command.Usage(fmt.Errorf("%v: -batch must be at least 1, and there are no other arguments", args))
	}
	return o, command.Usage(o.check())
}

// hashPattern matches the hash of a guest's address.
var hashPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (o options) check() error {
	persons := 0
	for _, asked := range []bool{!o.reservation.IsZero(), o.emailHash != "", !o.session.IsZero()} {
		if asked {
			persons++
		}
	}
	switch {
	case persons > 1:
		return errors.New("use only one of -reservation, -email-hash and -session")
	case o.tenant.IsZero() != (o.reservation.IsZero() && o.emailHash == ""):
		return errors.New("-reservation and -email-hash require -tenant, and -tenant requires one of them")
	case o.emailHash != "" && !hashPattern.MatchString(o.emailHash):
		return errors.New("-email-hash must be 64 hexadecimal digits")
	case (o.do || o.by != "" || o.why != "") && persons == 0:
		return errors.New("-go, -by and -why require -reservation, -email-hash or -session")
	case o.do && (strings.TrimSpace(o.by) == "" || strings.TrimSpace(o.why) == ""):
		return errors.New("-go requires -by and -why: who decided, and why")
	case persons > 0 && o.dry && o.do:
		return errors.New("-dry-run and -go exclude each other")
	}
	return nil
}

// requestSession requests the erasure of a guest session for a guest who cannot clear it.
func requestSession(ctx context.Context, e env.Env, o options) error {
	if !o.do {
		return o.say("would request the erasure of the session")
	}
	due, err := consumer.OpenErasures(e).Request(ctx, o.session)
	if err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	return o.say("the erasure of the session is requested by %q, because %q; it is due on %s", o.by, o.why, due.UTC().Format("2006-01-02"))
}

func (o options) say(what string, args ...any) error {
	_, err := fmt.Fprintf(o.out, what+"\n", args...)
	return err
}
