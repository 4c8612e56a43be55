// Package keys reports the ages of the keys with which functions sign, encrypt and hash, and makes the steps of their rotation
// (decision 178).
package keys

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Job prints the age of every key of all keyrings, or of the named ones, and the next step of each rotation. -step makes a step: it adds a
// version to the secret, which an apply then rolls out. It refuses a step that would end sessions, or lose handoffs, stored answers or
// links. It never prints a key.
var Job = command.Job{Name: "keys", Run: func(ctx context.Context, e env.Env, args []string) error {
	return Run(ctx, e, args, os.Stdout)
}}

// options are the arguments of a run.
type options struct {
	rings   []Ring
	step    Step
	unlink  bool
	leaked  bool
	do      bool
	by, why string
}

// runTime limits a run.
const runTime = 4 * time.Minute

// Run runs the job with its arguments and prints to out.
func Run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	store, ok := StoreKey.Get(e)
	if !ok {
		return errors.New("keys: no store of secrets configured")
	}
	deployed, err := deployments(e)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	r := run{options: o, store: store, out: out}
	var failed []error
	for _, ring := range o.rings { // one garbled ring must not hide the ages of the others
		s, err := load(ctx, store, ring, deployed[ring.Variable], e.Now())
		switch {
		case err != nil:
		case o.step != "":
			err = r.make(ctx, s)
		default:
			err = r.report(s)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", ring.Variable, err))
		}
	}
	return errors.Join(failed...)
}

// deployments reads KEYRINGS: for each variable the version that all functions have, and since when. "latest" stands for an unknown
// version.
func deployments(e env.Env) (map[string]deployment, error) {
	var c struct {
		Keyrings string `env:"KEYRINGS"`
	}
	if err := e.Load(&c); err != nil {
		return nil, err
	}
	all := map[string]deployment{}
	if c.Keyrings == "" {
		return all, nil
	}
	for entry := range strings.SplitSeq(c.Keyrings, ",") {
		variable, version, _ := strings.Cut(entry, "=")
		number, at, dated := strings.Cut(version, "@")
		var d deployment
		var malformed error
		if version != "latest" {
			d.number, malformed = strconv.Atoi(number)
		}
		if dated && malformed == nil {
			d.since, malformed = time.Parse(time.RFC3339, at)
		}
		if _, known := ringOf(variable); !known || malformed != nil || d.number < 0 {
			return nil, fmt.Errorf("KEYRINGS: %q is not VARIABLE=VERSION@TIME", entry)
		}
		all[variable] = d
	}
	return all, nil
}

// A run prints about rings and changes one.
type run struct {
	options
	store Store
	out   io.Writer
}

func (r run) say(s state, format string, args ...any) error {
	_, err := fmt.Fprintf(r.out, s.Variable+": "+format+"\n", args...)
	return err
}

// report prints the deployed version, the age of each key and the next step. It fails if the newest version must not be deployed.
func (r run) report(s state) error {
	version := fmt.Sprintf("version %d is deployed since %s", s.deployed.number, instant(s.deployed.since))
	if s.deployed.number == 0 {
		version = fmt.Sprintf("the latest version is %d; each instance reads it when it starts", s.newest)
	}
	err := r.say(s, "%s", version)
	for i, k := range s.keys {
		use := "accepted"
		if i == 0 {
			use = "active"
		}
		err = errors.Join(err, r.say(s, "%s is %s, %d days old, since %s", k.id, use, k.days(s.now), instant(k.since)))
	}
	for _, k := range s.tooOld() {
		err = errors.Join(err, r.say(s, "key %s is older than its limit of %d days", k.id, s.maxAge/day)) // an alert counts these lines
	}
	if s.pending != nil {
		if refused := s.refuse(s.pending, true, false); refused != nil {
			unless := ""
			if s.refuse(s.pending, true, true) == nil {
				unless = ", unless a key has leaked"
			}
			return errors.Join(err, fmt.Errorf("do not deploy version %d%s: %w", s.newest, unless, refused))
		}
		return errors.Join(err, r.say(s, "next step: %s", s.deploy(s.newest)))
	}
	step := s.next()
	to, refused := s.after(step, nil)
	if refused == nil {
		refused = s.refuse(to, true, false)
	}
	if refused != nil {
		return errors.Join(err, r.say(s, "next step: %s, not yet possible: %v", step, refused))
	}
	return errors.Join(err, r.say(s, "next step: %s", step))
}

// deploy says how a version is rolled out.
func (s state) deploy(number int) string {
	return fmt.Sprintf("apply with keyrings = { %s = \"%d\" }", s.Variable, number)
}

// make makes the step, or reports what it would do.
func (r run) make(ctx context.Context, s state) error {
	if s.pending != nil {
		return fmt.Errorf("version %d is not deployed everywhere: %s, or disable it", s.newest, s.deploy(s.newest))
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	to, err := s.after(r.step, secret)
	if err == nil {
		err = s.refuse(to, r.unlink, r.leaked)
	}
	if err != nil {
		return fmt.Errorf("refused to %s: %w", r.step, err)
	}
	if !r.do {
		return r.say(s, "would %s: version %d with the keys %s", r.step, s.last+1, ids(to))
	}
	number, err := r.store.Add(ctx, s.Secret(), s.last, encode(to))
	if err != nil {
		return err
	}
	return r.say(s, "%s by %q, because %q: version %d has the keys %s; now %s", r.step, r.by, r.why, number, ids(to), s.deploy(number))
}

func parse(args []string, out io.Writer) (o options, err error) {
	set := flag.NewFlagSet("keys", flag.ContinueOnError)
	set.SetOutput(out)
	set.Func("step", "make the `step` of a rotation: add, promote or remove", func(name string) error {
		if o.step = Step(name); o.step != Add && o.step != Promote && o.step != Remove {
			return errors.New("there are add, promote and remove")
		}
		return nil
	})
	set.BoolVar(&o.unlink, "unlink", false, "accept that earlier pseudonyms of guests no longer match")
	set.BoolVar(&o.leaked, "leaked", false, "with -step=remove: remove all keys but the active one at once, because one has leaked: this ends what was made with them")
	set.BoolVar(&o.do, "go", false, "make the step; without it only report it")
	set.StringVar(&o.by, "by", "", "your `name`, for the log; required by -go")
	set.StringVar(&o.why, "why", "", "the `reason`, for the log; required by -go")
	command.SetHelp(set, fmt.Sprintf(`
usage: keys [flags] [KEYRING...]

Prints the age of every key and the next step of its rotation, never a key. A step adds a version to the secret; an apply rolls it out.
The keyrings are %s.

examples: keys                                                             all keyrings
          keys -step=add HANDOFF_KEYS                                      what the first step would do
          keys -step=add -go -by=NAME -why=REASON HANDOFF_KEYS             the first step

environment: GOOGLE_CLOUD_PROJECT (of the secrets), or KEYS_FOLDER (a local folder instead); KEYRINGS (deployed versions, set by terraform).
`, strings.Join(variables(), ", ")))
	named, err := command.Parse(set, args)
	if err != nil {
		return o, err
	}
	for _, variable := range named {
		ring, known := ringOf(variable)
		if !known {
			return o, command.Usage(fmt.Errorf("no keyring %q; there are %s", variable, strings.Join(variables(), ", ")))
		}
		o.rings = append(o.rings, ring)
	}
	err = o.check()
	if len(o.rings) == 0 {
		o.rings = Rings
	}
	return o, command.Usage(err)
}

func (o options) check() error {
	switch {
	case o.step != "" && len(o.rings) != 1:
		return errors.New("-step requires the name of one keyring")
	case o.step == "" && (o.do || o.unlink):
		return errors.New("-go and -unlink require -step")
	case o.leaked && o.step != Remove:
		return errors.New("-leaked requires -step=remove")
	case o.do && (strings.TrimSpace(o.by) == "" || strings.TrimSpace(o.why) == ""):
		return errors.New("-go requires -by and -why: who decided, and why")
	}
	return nil
}
