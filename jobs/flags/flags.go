// Package flags shows and changes the sampling rates of events and the features of services while functions run.
//
// The values are validated with the code of the functions before they are stored, and functions apply them within 30 s.
// A value that is not set is that of the code. Rates and features are set independently; only -reset resets both.
package flags

import (
	"cmp"
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
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
)

// Job prints the effective rates and features, or sets the rates of the given subjects to one event in N: flags tenantbooking
// SUBJECT=N… The other subjects of the service return to the rates in its code. FEATURE=on or FEATURE=off switches a
// feature. Rates do not change features, nor features rates; -reset returns both to the code. Functions apply changes within
// 30 seconds. -bots RULES replaces the rules of bot detection of the service consumer, a JSON object; -reset removes them.
var Job = command.Job{Name: "flags", Run: func(ctx context.Context, e env.Env, args []string) error {
	return run(ctx, e, args, os.Stdout)
}}

// A service is the place of a service's flags and their valid values.
type flagStore struct {
	collection string
	table      flags.Table
	features   []flags.Feature
	checkBots  func(rules []byte) error // nil if the service detects no bots
}

var flagStores = map[string]flagStore{
	"consumer":      {collection: consumer.FlagsIn, table: consumer.Sampling, checkBots: consumer.CheckBotRules},
	"tenantbooking": {collection: tenantbooking.FlagsIn, table: tenantbooking.Sampling, features: tenantbooking.Features},
}

// kept is the number of years until stored flags expire, practically never.
const kept = 10

// options are the arguments of a run.
type options struct {
	services []string
	reset    bool
	rates    map[string]int
	features map[flags.Feature]bool
	bots     string // "" does not change the rules
}

func run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	if o.reset || len(o.rates) > 0 || len(o.features) > 0 {
		if err := flagStores[o.services[0]].write(ctx, e, o); err != nil {
			return err
		}
	}
	if o.bots != "" || o.reset && flagStores[o.services[0]].checkBots != nil {
		if err := flagStores[o.services[0]].writeBots(ctx, e, cmp.Or(o.bots, "{}")); err != nil {
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
	set.BoolVar(&o.reset, "reset", false, "reset the rates and features of the named service to those in its code")
	set.StringVar(&o.bots, "bots", "", "replace the rules of bot detection of the named service by this JSON object")
	command.SetHelp(set, `
usage: flags [flags] [SERVICE [SUBJECT=N|FEATURE=on|off ...]]

Shows the sampling rates and features of all services, or changes those of one. N publishes one in N events of the subject.
Functions read a change within 30 seconds.

examples: flags                                                                        shows all
          flags tenantbooking melmastoon.bff.tenant.flow.step_completed.v1=1           publishes every step
          flags tenantbooking readOnly=on                                              closes the hotels' sites to new bookings
          flags -reset tenantbooking                                                   restores the defaults of the code

environment: REDIS_URL or GOOGLE_CLOUD_PROJECT for documents.
`)
	if err := set.Parse(args); err != nil {
		return o, command.Usage(err)
	}
	if set.NArg() == 0 && !o.reset && o.bots == "" {
		o.services = slices.Sorted(maps.Keys(flagStores))
		return o, nil
	}
	service := set.Arg(0)
	b, known := flagStores[service]
	if !known {
		return o, command.Usage(fmt.Errorf("no flags for %q; there are %v", service, slices.Sorted(maps.Keys(flagStores))))
	}
	o.services = []string{service}
	if o.rates, o.features, err = b.read(set.Args()[1:]); err == nil && o.reset && len(o.rates)+len(o.features) > 0 {
		err = errors.New("-reset takes no subjects and no features")
	}
	if err == nil && o.bots != "" {
		err = b.readBots(o)
	}
	return o, command.Usage(err)
}

// readBots rejects rules of bot detection that functions would ignore.
func (b flagStore) readBots(o options) error {
	switch {
	case o.reset:
		return errors.New("-reset takes no rules")
	case b.checkBots == nil:
		return errors.New("the service detects no bots")
	}
	return b.checkBots([]byte(o.bots))
}

// read parses SUBJECT=N and FEATURE=on|off, and rejects values that functions would ignore.
func (b flagStore) read(args []string) (map[string]int, map[flags.Feature]bool, error) {
	rates, features := map[string]int{}, map[flags.Feature]bool{}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		n, err := strconv.Atoi(value)
		_, rated := rates[name]
		_, switched := features[flags.Feature(name)]
		switch {
		case rated || switched:
			return nil, nil, fmt.Errorf("%q: give each subject and each feature once", arg)
		case value == "on", value == "off":
			features[flags.Feature(name)] = value == "on"
		case err != nil:
			return nil, nil, fmt.Errorf("%q is neither SUBJECT=N nor FEATURE=on or FEATURE=off", arg)
		default:
			rates[name] = n
		}
	}
	return rates, features, b.check(rates, features)
}

func (b flagStore) check(rates map[string]int, features map[flags.Feature]bool) error {
	text, err := json.Marshal(rates)
	if err != nil {
		return err
	}
	if _, err := b.table.Parse(text); err != nil {
		return err
	}
	for _, subject := range slices.Sorted(maps.Keys(rates)) {
		if _, known := b.table[subject]; !known {
			return fmt.Errorf("the service publishes no event %s", subject)
		}
	}
	for feature := range features {
		if !slices.Contains(b.features, feature) {
			return fmt.Errorf("the service has no feature %q; there are %v", feature, b.features)
		}
	}
	return nil
}

// write replaces the stored flags; a part that was not named stays. Of two concurrent writes the later one wins.
func (b flagStore) write(ctx context.Context, e env.Env, o options) error {
	docs := document.Open[flags.Document](e, b.collection)
	written, ok, err := docs.Get(ctx, flags.Key)
	if err != nil {
		return fmt.Errorf("flags: %s: %w", b.collection, err)
	}
	if !ok || o.reset {
		written = flags.Document{Sampling: []byte("{}")}
	}
	if len(o.rates) > 0 {
		if written.Sampling, err = json.Marshal(o.rates, json.Deterministic(true)); err != nil {
			return err
		}
	}
	if len(o.features) > 0 {
		if written.Features, err = b.switched(written.Features, o.features); err != nil {
			return err
		}
	}
	now := e.Now()
	stored, err := docs.Put(ctx, flags.Key, written, now.UnixMicro(), now.AddDate(kept, 0, 0))
	if err == nil && !stored {
		err = errors.New("newer values were written")
	}
	if err != nil {
		return fmt.Errorf("flags: %s: %w", b.collection, err)
	}
	return nil
}

// writeBots replaces the stored rules of bot detection.
func (b flagStore) writeBots(ctx context.Context, e env.Env, rules string) error {
	now := e.Now()
	stored, err := document.Open[consumer.BotRules](e, b.collection).Put(ctx, consumer.BotRulesKey, consumer.BotRules{Rules: []byte(rules)}, now.UnixMicro(), now.AddDate(kept, 0, 0))
	if err == nil && !stored {
		err = errors.New("newer rules were written")
	}
	if err != nil {
		return fmt.Errorf("flags: %s: %w", b.collection, err)
	}
	return nil
}

// showBots prints the stored rules of bot detection; members that they omit are those of the code.
func (b flagStore) showBots(ctx context.Context, e env.Env, service string, out io.Writer) error {
	written, ok, err := document.Open[consumer.BotRules](e, b.collection).Get(ctx, consumer.BotRulesKey)
	if err != nil {
		return fmt.Errorf("flags: %s: %w", b.collection, err)
	}
	rules := "{}"
	if ok {
		if rules = string(written.Rules); b.checkBots(written.Rules) != nil {
			return fmt.Errorf("flags: %s: functions ignore these rules of bot detection, in whole or in part: %w", b.collection, b.checkBots(written.Rules))
		}
	}
	_, err = fmt.Fprintf(out, "%s: bots: %s\n", service, rules)
	return err
}

// switched returns the stored features with the given ones switched.
func (b flagStore) switched(stored []byte, given map[flags.Feature]bool) ([]byte, error) {
	before, err := flags.ParseFeatures(stored, b.features)
	if err != nil {
		return nil, fmt.Errorf("flags: %s: the stored features are invalid, reset them: %w", b.collection, err)
	}
	after := map[flags.Feature]bool{}
	for _, feature := range b.features {
		after[feature] = before[feature]
	}
	maps.Copy(after, given)
	return json.Marshal(after, json.Deterministic(true))
}

// show prints a line per subject, its rate and the rate in the code if that differs, and a line per feature.
func (b flagStore) show(ctx context.Context, e env.Env, service string, out io.Writer) error {
	written, ok, err := document.Open[flags.Document](e, b.collection).Get(ctx, flags.Key)
	if err != nil {
		return fmt.Errorf("flags: %s: %w", b.collection, err)
	}
	builtIn := b.table.Rates()
	inForce, on := builtIn, map[flags.Feature]bool{}
	if ok {
		var noFeatures error
		inForce, err = b.table.Parse(written.Sampling)
		on, noFeatures = flags.ParseFeatures(written.Features, b.features)
		if err := errors.Join(err, noFeatures); err != nil {
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
	for _, feature := range b.features {
		state := "off"
		if on[feature] {
			state = "on"
		}
		if _, err := fmt.Fprintf(out, "%s: %s: %s\n", service, feature, state); err != nil {
			return err
		}
	}
	if b.checkBots != nil {
		return b.showBots(ctx, e, service, out)
	}
	return nil
}
