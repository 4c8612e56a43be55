// Package flags shows and changes the sampling rates of events while functions run.
package flags

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Job prints the effective rates, or sets the rates of the given subjects to one event in N: flags tenantbooking
// SUBJECT=N… The other subjects of the service return to the rates in its code; -reset does that for all. Functions
// apply changes within 30 seconds.
var Job = fn.Job{Name: "flags", Run: func(ctx context.Context, e env.Env, args []string) error {
	return run(ctx, e, args, os.Stdout)
}}

// A service is the place of a service's flags and their valid values.
type flagStore struct {
	collection string
	table      flags.Table
}

var flagStores = map[string]flagStore{
	"consumer":      {consumer.FlagsIn, consumer.Sampling},
	"tenantbooking": {tenantbooking.FlagsIn, tenantbooking.Sampling},
}

// kept is the number of years until stored flags expire, practically never.
const kept = 10

// options are the arguments of a run.
type options struct {
	services []string
	reset    bool
	rates    map[string]int
}

func run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	if o.reset || len(o.rates) > 0 {
		if err := flagStores[o.services[0]].write(ctx, e, o.rates); err != nil {
			return err
		}
	}
	for _, service := range o.services {
		if err := flagStores[service].show(ctx, e, service, out); err != nil {
			return err
		}
	}
	return nil
}

func parse(args []string, out io.Writer) (o options, err error) {
	set := flag.NewFlagSet("flags", flag.ContinueOnError)
	set.SetOutput(out)
	set.BoolVar(&o.reset, "reset", false, "reset the rates of the named service to those in its code")
	if err := set.Parse(args); err != nil {
		return o, fn.Usage(err)
	}
	if set.NArg() == 0 && !o.reset {
		o.services = slices.Sorted(maps.Keys(flagStores))
		return o, nil
	}
	service := set.Arg(0)
	b, known := flagStores[service]
	if !known {
		return o, fn.Usage(fmt.Errorf("no flags for %q; there are %v", service, slices.Sorted(maps.Keys(flagStores))))
	}
	o.services = []string{service}
	if o.rates, err = b.read(set.Args()[1:]); err == nil && o.reset && len(o.rates) > 0 {
		err = errors.New("-reset takes no subjects")
	}
	return o, fn.Usage(err)
}

// read parses SUBJECT=N and rejects values that functions would ignore.
func (b flagStore) read(args []string) (map[string]int, error) {
	rates := map[string]int{}
	for _, arg := range args {
		subject, number, _ := strings.Cut(arg, "=")
		n, err := strconv.Atoi(number)
		if _, twice := rates[subject]; twice || err != nil {
			return nil, fmt.Errorf("%q is not SUBJECT=N, each subject once", arg)
		}
		rates[subject] = n
	}
	text, err := json.Marshal(rates)
	if err != nil {
		return nil, err
	}
	parsed, err := b.table.Parse(text)
	if err != nil {
		return nil, err
	}
	if unknown := parsed.Unknown(); len(unknown) > 0 {
		return nil, fmt.Errorf("the service publishes no event %s", strings.Join(unknown, ", "))
	}
	return rates, nil
}

// write replaces the stored flags. Of two concurrent writes the later one wins.
func (b flagStore) write(ctx context.Context, e env.Env, rates map[string]int) error {
	sampling, err := json.Marshal(rates, json.Deterministic(true))
	if err != nil {
		return err
	}
	now := e.Now()
	stored, err := document.Open[flags.Document](e, b.collection).Put(ctx, flags.Key, flags.Document{Sampling: sampling}, now.UnixMicro(), now.AddDate(kept, 0, 0))
	if err == nil && !stored {
		err = errors.New("newer values were written")
	}
	if err != nil {
		return fmt.Errorf("flags: %s: %w", b.collection, err)
	}
	return nil
}

// show prints a line per subject: its rate, and the rate in the code if that differs.
func (b flagStore) show(ctx context.Context, e env.Env, service string, out io.Writer) error {
	written, ok, err := document.Open[flags.Document](e, b.collection).Get(ctx, flags.Key)
	if err != nil {
		return fmt.Errorf("flags: %s: %w", b.collection, err)
	}
	builtIn := b.table.Rates()
	inForce := builtIn
	if ok {
		if inForce, err = b.table.Parse(written.Sampling); err != nil {
			return fmt.Errorf("flags: %s: invalid; functions keep the last valid values: %w", b.collection, err)
		}
	}
	for _, subject := range slices.Sorted(maps.Keys(b.table)) {
		_, n := inForce.Keep(subject, id.Event{})
		_, usual := builtIn.Keep(subject, id.Event{})
		line := fmt.Sprintf("%s: %s: one in %d", service, subject, n)
		if n != usual {
			line += fmt.Sprintf(", not in %d", usual)
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}
