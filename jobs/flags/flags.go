// Package flags says how many events of each subject are told, and changes it while functions run.
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

// Job says what is in force, or has one event in N told of the subjects that it is given: flags tenantbooking SUBJECT=N…
// Of the service's other subjects as many are told as the code says; -reset says so of all. Functions know within half a minute.
var Job = fn.Job{Name: "flags", Run: func(ctx context.Context, e env.Env, args []string) error {
	return run(ctx, e, args, os.Stdout)
}}

// A book is where the flags of a service are written down, and what it may be told there.
type book struct {
	collection string
	table      flags.Table
}

var books = map[string]book{
	"consumer":      {consumer.FlagsIn, consumer.Sampling},
	"tenantbooking": {tenantbooking.FlagsIn, tenantbooking.Sampling},
}

// kept is for how many years flags stand. Nobody waits for their end.
const kept = 10

// An order is what a run was asked for.
type order struct {
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
		if err := books[o.services[0]].write(ctx, e, o.rates); err != nil {
			return err
		}
	}
	for _, service := range o.services {
		if err := books[service].show(ctx, e, service, out); err != nil {
			return err
		}
	}
	return nil
}

func parse(args []string, out io.Writer) (o order, err error) {
	set := flag.NewFlagSet("flags", flag.ContinueOnError)
	set.SetOutput(out)
	set.BoolVar(&o.reset, "reset", false, "tell as many events of the one service named as its code says")
	if err := set.Parse(args); err != nil {
		return o, fn.Usage(err)
	}
	if set.NArg() == 0 && !o.reset {
		o.services = slices.Sorted(maps.Keys(books))
		return o, nil
	}
	service := set.Arg(0)
	b, known := books[service]
	if !known {
		return o, fn.Usage(fmt.Errorf("no flags for %q; there are %v", service, slices.Sorted(maps.Keys(books))))
	}
	o.services = []string{service}
	if o.rates, err = b.read(set.Args()[1:]); err == nil && o.reset && len(o.rates) > 0 {
		err = errors.New("-reset takes no subjects")
	}
	return o, fn.Usage(err)
}

// read reads SUBJECT=N, and refuses what functions would not follow.
func (b book) read(args []string) (map[string]int, error) {
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
	understood, err := b.table.Parse(text)
	if err != nil {
		return nil, err
	}
	if unknown := understood.Unknown(); len(unknown) > 0 {
		return nil, fmt.Errorf("the service publishes no event %s", strings.Join(unknown, ", "))
	}
	return rates, nil
}

// write puts new flags in the place of those that are there. Of two that are written at once the later stands.
func (b book) write(ctx context.Context, e env.Env, rates map[string]int) error {
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

// show says one line for each subject: how many are told, and how many the code tells where that is another number.
func (b book) show(ctx context.Context, e env.Env, service string, out io.Writer) error {
	written, ok, err := document.Open[flags.Document](e, b.collection).Get(ctx, flags.Key)
	if err != nil {
		return fmt.Errorf("flags: %s: %w", b.collection, err)
	}
	builtIn := b.table.Rates()
	inForce := builtIn
	if ok {
		if inForce, err = b.table.Parse(written.Sampling); err != nil {
			return fmt.Errorf("flags: %s: functions go on with what was good last, for it says: %w", b.collection, err)
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
