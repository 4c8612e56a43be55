package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// Jobs are the operators' jobs that act on outboxes and dead letters.
type Jobs struct {
	Outbox      func(ctx context.Context, e env.Env, args []string, out io.Writer) error
	Replay      func(ctx context.Context, e env.Env, args []string, out io.Writer) error
	DeadLetters func(ctx context.Context, e env.Env) ([]DeadLetters, error)
	Listeners   func([]topic.Subscription) string // formats subscriptions for DEAD_LETTERS
}

// DeadLetters are the dead letters of one topic with the same consumer, subject and cause.
type DeadLetters struct {
	Topic, Subscription, Subject, Cause string
	Count                               int
	Replayed                            int // that were already replayed twice
	Oldest                              time.Time
	Event                               string // the id of the oldest one; "" if it is not readable
}

// errNoJobs is the error of acts and pages that need jobs, if the cloud was started without them.
var errNoJobs = errors.New("this local cloud was started without the jobs of operators")

// puller returns an Env with the bus and the subscriptions, as the job replay needs them.
func (c *Console) puller() env.Env {
	var all []topic.Subscription
	for _, f := range c.Functions {
		if f.Spec.Subject != "" {
			all = append(all, f.Subscription(""))
		}
	}
	e := c.Env.With("DEAD_LETTERS", c.Jobs.Listeners(all))
	if p, ok := c.Messages.(topic.Puller); ok {
		e = topic.PullerKey.With(e, p)
	}
	return e
}

// deadLettersView is the content of the page of dead letters.
type deadLettersView struct {
	Groups []DeadLetters
}

// deadLetters lists the dead letters. Messages are leased while a page reads them, so pages read one after the other.
func (c *Console) deadLetters(r *http.Request) (any, error) {
	if c.Jobs.DeadLetters == nil {
		return nil, errNoJobs
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	groups, err := c.Jobs.DeadLetters(r.Context(), c.puller())
	return deadLettersView{Groups: groups}, err
}

// deadLetterActs are the acts on dead letters.
var deadLetterActs = map[string]struct {
	name    string
	flags   []string // of the job
	replays bool
}{
	"show":    {name: "Show dead letters", flags: []string{"-show=50"}},
	"dry":     {name: "Dry run of a replay", flags: []string{"-dry"}},
	"replay":  {name: "Replay dead letters", flags: []string{"-go"}, replays: true},
	"again":   {name: "Replay dead letters again", flags: []string{"-go", "-again"}, replays: true},
	"discard": {name: "Discard dead letters", flags: []string{"-discard", "-go", who}},
}

func (c *Console) actOnDeadLetters(r *http.Request) (string, change, error) {
	if c.Jobs.Replay == nil {
		return "", nil, errNoJobs
	}
	act, ok := deadLetterActs[r.PostFormValue("act")]
	topicName, why := r.PostFormValue("topic"), strings.TrimSpace(r.PostFormValue("why"))
	if !ok || topicName == "" {
		return "", nil, fmt.Errorf("%w: choose a topic and an act", errForm)
	}
	args := slices.Clone(act.flags)
	if r.PostFormValue("act") == "discard" {
		if why == "" {
			return "", nil, fmt.Errorf("%w: discarding messages needs a reason", errForm)
		}
		args = append(args, "-why="+why)
	}
	for _, name := range []string{"cause", "subject"} {
		if value := r.PostFormValue(name); value != "" {
			args = append(args, "-"+name+"="+value)
		}
	}
	return act.name, func(ctx context.Context, out io.Writer) error {
		began := c.Env.Now()
		last, err := c.Messages.Last(ctx)
		if err != nil {
			return err
		}
		c.reading.Lock()
		err = c.Jobs.Replay(ctx, c.puller(), append(args, topicName), out)
		c.reading.Unlock()
		if err != nil || !act.replays {
			return err
		}
		return c.outcomes(ctx, topicName, last, began, out)
	}, nil
}

// outcomeTime is how long a replay waits for the deliveries that it has caused.
const outcomeTime = 3 * time.Second

// outcomes prints what became of the messages that were replayed after a position of the bus: a replay only publishes them.
func (c *Console) outcomes(ctx context.Context, topicName string, after int64, began time.Time, out io.Writer) error {
	at := slices.IndexFunc(c.Functions, func(f fn.Function) bool { return f.Spec.DeadLetter == topicName })
	if at < 0 {
		return nil
	}
	name, subscription := c.Functions[at].Spec.Name, c.Functions[at].Subscription("").Name
	replayed, err := c.replayed(ctx, subscription, after)
	if err != nil || len(replayed) == 0 {
		return err
	}
	var calls []Call
	var unknown map[string]bool
	for end := time.Now().Add(outcomeTime); time.Now().Before(end); {
		if err := env.Wait(ctx, outcomeTime/20); err != nil {
			return err
		}
		calls = c.Calls.about(func(call Call) bool { return call.Function == name && replayed[call.Event] && !call.Time.Before(began) })
		unknown = maps.Clone(replayed)
		for _, call := range calls {
			delete(unknown, call.Event)
		}
		waiting, err := c.pending(ctx)
		if err != nil {
			return err
		}
		if len(unknown) == 0 && !slices.ContainsFunc(waiting, func(p bus.Pending) bool { return p.Subscription == subscription }) {
			break
		}
	}
	for _, call := range calls {
		if _, err := fmt.Fprintf(out, "outcome of %s at %s: %s %s\n", cmp.Or(call.Event, "an unreadable event"), name, outcome(call), call.Why()); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(unknown)) {
		if _, err := fmt.Fprintf(out, "outcome of %s unknown: %s was not called within %s; /-/functions/%s shows its calls\n", cmp.Or(id, "an unreadable event"), name, outcomeTime, name); err != nil {
			return err
		}
	}
	return nil
}

// replayed returns the ids of the events that were replayed to a subscription after a position, as the calls name them: "" if a
// function cannot read the event.
func (c *Console) replayed(ctx context.Context, subscription string, after int64) (map[string]bool, error) {
	ids := map[string]bool{}
	err := c.read(ctx, after, scan, func(m message) bool {
		switch id := m.Raw.Envelope.EventID; {
		case m.Attributes[topic.ReplayTo] != subscription:
		case id.IsZero():
			ids[""] = true
		default:
			ids[id.String()] = true
		}
		return true
	})
	return ids, err
}
