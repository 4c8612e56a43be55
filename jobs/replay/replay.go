// Package replay brings dead letters back to the one subscription that gave them up: it lists them by cause, shows them, says
// what it would do, and does it.
//
// What is looked at is leased and given back. What is replayed is published first and acknowledged then, so a run that is cut
// off repeats a letter at worst, and the inbox of whoever hears it gives the repetition no effect.
package replay

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// Job lists what lies in all dead-letter topics or in those named, by cause. -show=N TOPIC shows letters, -dry TOPIC says what a
// replay would do, -go TOPIC does it; -cause, -subject and -limit choose among them. DEAD_LETTERS says who hears what.
var Job = fn.Job{Name: "replay", Run: func(ctx context.Context, e env.Env, args []string) error {
	return run(ctx, e, args, os.Stdout)
}}

// runTime bounds a run. What it holds is leased for longer, so nobody else is given it meanwhile.
const (
	runTime = 4 * time.Minute
	lease   = runTime + time.Minute
)

// An order is what a run was asked for.
type order struct {
	topics  []string // all, where none is named
	show    int
	dry, do bool
	again   bool // also what has been replayed as often as is thought to help
	cause   string
	subject string
	limit   int // of each topic; 0 is all
}

func run(ctx context.Context, e env.Env, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	r, err := open(e, out)
	if err != nil {
		return err
	}
	shelves, err := r.choose(o.topics)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	r.gather(ctx, shelves)
	var failed []error
	seen := 0
	for _, s := range shelves {
		failed = append(failed, r.process(ctx, o, s), r.giveBack(ctx, s))
		seen += len(s.letters)
	}
	if err := errors.Join(failed...); err != nil || seen > 0 {
		return err
	}
	return r.say("no letters in %d dead-letter topics", len(shelves))
}

// A replayer is the job in its surroundings.
type replayer struct {
	publisher topic.Publisher
	puller    topic.Puller
	listeners []topic.Subscription
	out       io.Writer
}

func open(e env.Env, out io.Writer) (*replayer, error) {
	publisher, can := topic.Open(e)
	puller, also := topic.OpenPuller(e)
	if !can || !also {
		return nil, errors.New("replay: no puller and publisher configured")
	}
	listeners, err := heard(e)
	return &replayer{publisher: publisher, puller: puller, listeners: listeners, out: out}, err
}

func parse(args []string, out io.Writer) (o order, err error) {
	set := flag.NewFlagSet("replay", flag.ContinueOnError)
	set.SetOutput(out)
	set.IntVar(&o.show, "show", 0, "show so many letters, the oldest first: attributes and envelope, never the payload")
	set.BoolVar(&o.dry, "dry", false, "say what a replay would do, and do nothing")
	set.BoolVar(&o.do, "go", false, "replay: publish again, to the one function that gave a letter up")
	set.BoolVar(&o.again, "again", false, "also what has been replayed twice already")
	set.StringVar(&o.cause, "cause", "", "only letters whose cause has this text in it")
	set.StringVar(&o.subject, "subject", "", "only letters of this subject")
	set.IntVar(&o.limit, "limit", 0, "at most so many of each topic, the oldest first")
	for rest := args; ; { // flags may come behind a topic
		if err := set.Parse(rest); err != nil {
			return o, fn.Usage(err)
		}
		if set.NArg() == 0 {
			return o, fn.Usage(o.check())
		}
		o.topics, rest = append(o.topics, set.Arg(0)), set.Args()[1:]
	}
}

func (o order) check() error {
	acts := 0
	for _, asked := range []bool{o.show != 0, o.dry, o.do} {
		if asked {
			acts++
		}
	}
	switch {
	case acts > 1:
		return errors.New("one of -show, -dry and -go")
	case o.show < 0 || o.limit < 0:
		return errors.New("-show and -limit count from 1")
	case (o.dry || o.do) && len(o.topics) == 0:
		return errors.New("name the dead-letter topics")
	}
	return nil
}

// process does with the letters of a topic what was asked for. Half of them, and nobody knows which comes first.
func (r *replayer) process(ctx context.Context, o order, s *backlog) error {
	if s.failed != nil {
		return fmt.Errorf("replay: read %s: %w", s.name, s.failed)
	}
	if s.more {
		if err := r.say("%s: there are more than the %d letters seen; order holds among these only", s.name, len(s.letters)); err != nil {
			return err
		}
	}
	chosen := o.pick(s.letters)
	switch {
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
