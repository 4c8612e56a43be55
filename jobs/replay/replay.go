// Package replay sends dead-lettered messages back to the one subscription that gave them up. It lists them by cause,
// shows them, reports what a replay would do, and replays them.
//
// Messages are leased while a run reads them and released afterwards. A replayed message is published first and then
// acknowledged, so an interrupted run repeats a message at worst, and the consumer's inbox ignores the repetition.
//
// Within a key, messages are replayed by version, then by time; a failure stops the rest of that key. Two runs, and
// messages that were dead-lettered later, have no order: a consumer that needs one compares versions. The third replay
// of a message needs a flag. The job shows attributes and envelope, but no payload, user, session or campaign.
package replay

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// Job lists the messages of all dead-letter topics, or of those named, by cause. -show=N TOPIC shows messages, -dry
// TOPIC reports what a replay would do, -go TOPIC replays; -discard TOPIC reports what would be removed for good, and
// removes it with -go, -by and -why. -cause, -subject and -limit select messages. DEAD_LETTERS lists the subscriptions.
var Job = command.Job{Name: "replay", Run: func(ctx context.Context, e env.Env, args []string) error {
	return Run(ctx, e, args, os.Stdout)
}}

// runTime limits a run. The lease of its messages is longer, so no other run receives them meanwhile.
const (
	runTime = 4 * time.Minute
	lease   = runTime + time.Minute
)

// options are the arguments of a run.
type options struct {
	topics  []string // empty: all
	show    int
	dry, do bool
	again   bool // includes messages that were replayed maxReplays times
	discard bool // removes messages instead of replaying them
	by, why string
	cause   string
	subject string
	limit   int // per topic; 0: all
}

// Run runs the job with its arguments and prints to out.
func Run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	r, err := open(e, out)
	if err != nil {
		return err
	}
	backlogs, err := r.choose(o.topics)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	r.gather(ctx, backlogs)
	var failed []error
	seen := 0
	for _, s := range backlogs {
		failed = append(failed, r.process(ctx, o, s), r.release(ctx, s, receipts(s.messages)))
		seen += len(s.messages)
	}
	if err := errors.Join(failed...); err != nil || seen > 0 {
		return err
	}
	return r.say("no messages in %d dead-letter topics", len(backlogs))
}

// List returns the groups of all dead letters. It leases the messages while it reads them, like a run.
func List(ctx context.Context, e env.Env) (groups []Group, err error) {
	r, backlogs, err := openAll(e)
	if err != nil {
		return nil, err
	}
	r.gather(ctx, backlogs)
	var failed []error
	for _, s := range backlogs {
		groups = append(groups, s.groups(s.messages)...)
		failed = append(failed, s.failed, r.release(ctx, s, receipts(s.messages)))
	}
	return groups, errors.Join(failed...)
}

// openAll returns a replayer without output, and the backlogs of all topics, which are not read yet.
func openAll(e env.Env) (*replayer, []*backlog, error) {
	r, err := open(e, io.Discard)
	if err != nil {
		return nil, nil, err
	}
	backlogs, err := r.choose(nil)
	return r, backlogs, err
}

// A replayer holds the clients and settings of a run.
type replayer struct {
	publisher     topic.Publisher
	puller        topic.Puller
	subscriptions []topic.Subscription
	out           io.Writer
}

func open(e env.Env, out io.Writer) (*replayer, error) {
	publisher, can := topic.PublisherKey.Get(e)
	puller, also := topic.PullerKey.Get(e)
	if !can || !also {
		return nil, errors.New("replay: no puller and publisher configured")
	}
	subscriptions, err := Subscriptions(e)
	return &replayer{publisher: publisher, puller: puller, subscriptions: subscriptions, out: out}, err
}

func parse(args []string, out io.Writer) (o options, err error) {
	set := flag.NewFlagSet("replay", flag.ContinueOnError)
	set.SetOutput(out)
	set.IntVar(&o.show, "show", 0, "show `N` messages, oldest first: attributes and envelope, never the payload")
	set.BoolVar(&o.dry, "dry", false, "report what a replay would do, and change nothing")
	set.BoolVar(&o.do, "go", false, "replay: publish the messages again, to the function that gave them up")
	set.BoolVar(&o.discard, "discard", false, "with -go remove the messages for good, else report which ones")
	set.StringVar(&o.by, "by", "", "your `name`, for the log; required to discard")
	set.StringVar(&o.why, "why", "", "the `reason`, for the log; required to discard")
	set.BoolVar(&o.again, "again", false, "include messages that were already replayed twice")
	set.StringVar(&o.cause, "cause", "", "only messages whose cause contains this `text`")
	set.StringVar(&o.subject, "subject", "", "only messages of this `subject`")
	set.IntVar(&o.limit, "limit", 0, "at most `N` messages per topic, oldest first")
	command.SetHelp(set, `
usage: replay [flags] [TOPIC...]

Lists dead letters by cause, shows them, or sends them back to the function that gave them up.

examples: replay                                    all topics, by cause
          replay -dry TOPIC -cause="not found"      what a replay would do
          replay -go TOPIC -cause="not found"       replay

environment: DEAD_LETTERS (subscription:subject:topic, separated by commas), GOOGLE_CLOUD_PROJECT; .local/env has them for the local cloud.
`)
	if o.topics, err = command.Parse(set, args); err != nil {
		return o, err
	}
	return o, command.Usage(o.check())
}

func (o options) check() error {
	acts := 0
	for _, asked := range []bool{o.show != 0, o.dry, o.do} {
		if asked {
			acts++
		}
	}
	switch {
	case acts > 1:
		return errors.New("use only one of -show, -dry and -go")
	case o.show < 0 || o.limit < 0:
		return errors.New("-show and -limit must not be negative")
	case (o.dry || o.do || o.discard) && len(o.topics) == 0:
		return errors.New("-dry, -go and -discard require the names of dead-letter topics")
	case o.discard && (o.dry || o.show > 0):
		return errors.New("-discard reports without -go; it takes neither -dry nor -show")
	case o.discard && o.do && (strings.TrimSpace(o.by) == "" || strings.TrimSpace(o.why) == ""):
		return errors.New("-discard -go requires -by and -why: who decided, and why")
	}
	return nil
}

// process runs the requested action on the messages of a topic.
func (r *replayer) process(ctx context.Context, o options, s *backlog) error {
	if s.failed != nil {
		return fmt.Errorf("replay: read %s: %w", s.name, s.failed)
	}
	if s.more {
		if err := r.say("%s: only %d messages were read; order holds among these only", s.name, len(s.messages)); err != nil {
			return err
		}
	}
	chosen := o.pick(s.messages)
	switch {
	case o.discard:
		return r.discard(ctx, s, o, chosen)
	case o.do:
		return r.send(ctx, s, o, chosen)
	case o.dry:
		return r.dryRun(s, o, chosen)
	case o.show > 0:
		return r.show(s, chosen[:min(o.show, len(chosen))])
	}
	return r.list(s, chosen)
}

func (r *replayer) say(what string, args ...any) error {
	_, err := fmt.Fprintf(r.out, what+"\n", args...)
	return err
}
