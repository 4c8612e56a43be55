package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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

// deadLetterActs are the acts on dead letters: their names and the flags of the job.
var deadLetterActs = map[string]struct {
	name  string
	flags []string
}{
	"show":    {"Show dead letters", []string{"-show=50"}},
	"dry":     {"Dry run of a replay", []string{"-dry"}},
	"replay":  {"Replay dead letters", []string{"-go"}},
	"again":   {"Replay dead letters again", []string{"-go", "-again"}},
	"discard": {"Discard dead letters", []string{"-discard", "-go", who}},
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
		c.reading.Lock()
		err := c.Jobs.Replay(ctx, c.puller(), append(args, topicName), out)
		c.reading.Unlock()
		if err != nil || act.name != deadLetterActs["replay"].name && act.name != deadLetterActs["again"].name {
			return err
		}
		return c.outcomes(ctx, topicName, began, out)
	}, nil
}

// outcomeTime is how long a replay waits for the deliveries that it has caused.
const outcomeTime = 3 * time.Second

// outcomes prints what became of the replayed messages: a replay only publishes them.
func (c *Console) outcomes(ctx context.Context, topicName string, began time.Time, out io.Writer) error {
	at := slices.IndexFunc(c.Functions, func(f fn.Function) bool { return f.Spec.DeadLetter == topicName })
	if at < 0 {
		return nil
	}
	name := c.Functions[at].Spec.Name
	var calls []Call
	for end := time.Now().Add(outcomeTime); time.Now().Before(end); {
		if err := env.Wait(ctx, outcomeTime/20); err != nil {
			return err
		}
		calls = c.Calls.about(func(call Call) bool { return call.Function == name && !call.Time.Before(began) })
		waiting, err := c.pending(ctx)
		if err != nil {
			return err
		}
		if len(calls) > 0 && !slices.ContainsFunc(waiting, func(p bus.Pending) bool { return p.Subscription == c.Functions[at].Subscription("").Name }) {
			break
		}
	}
	for _, call := range calls {
		if _, err := fmt.Fprintf(out, "outcome of %s at %s: %s %s\n", cmp.Or(call.Event, "an unreadable event"), name, outcome(call), call.Why()); err != nil {
			return err
		}
	}
	if len(calls) == 0 {
		_, err := fmt.Fprintf(out, "outcome unknown: %s was not called within %s; /-/functions/%s shows its calls\n", name, outcomeTime, name)
		return err
	}
	return nil
}
