package deployment

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
)

// A Function is one deployed function.
type Function struct {
	Service string `json:"service"`
	Kind    string `json:"kind"` // http, event or scheduled
	Access  string `json:"access"`
	Archive string `json:"archive"` // its name in bundles.json; the entry point is called the same
	Account string `json:"account"` // the service account that it runs as

	Path     string `json:"path"`     // where it is called
	Answers  string `json:"answers"`  // the upstream it is part of
	Event    *Event `json:"event"`    // what is pushed to it
	Schedule string `json:"schedule"` // a cron line, UTC

	Postgres  bool     `json:"postgres"`
	Documents bool     `json:"documents"`
	Upstreams []string `json:"upstreams"`
	Emits     []string `json:"emits"`
	Publishes []string `json:"publishes"` // what it needs the right to publish
	Secrets   []string `json:"secrets"`   // the variables without which it does not start

	TimeoutSeconds int `json:"timeoutSeconds"` // after which it has answered by itself
	Concurrency    int `json:"concurrency"`
	MinInstances   int `json:"minInstances"`
	MaxInstances   int `json:"maxInstances"`
}

// An Event is a function's subscription.
type Event struct {
	Subject            string `json:"subject"`
	Filter             string `json:"filter"` // in Pub/Sub's language
	DeadLetter         string `json:"deadLetter"`
	Attempts           int    `json:"attempts"`
	AckDeadlineSeconds int    `json:"ackDeadlineSeconds"`
	MinBackoffSeconds  int    `json:"minBackoffSeconds"`
	MaxBackoffSeconds  int    `json:"maxBackoffSeconds"`
}

const upstreamPrefix = "upstream:"

// functionOf is the function as it is deployed, in a service that tells these subjects.
func functionOf(f fn.Function, told []string) (d Function, err error) {
	s := f.Spec
	d = Function{
		Service: s.Service(), Kind: "http", Access: s.Access.String(), Archive: s.Name, Path: route(s).Path, Answers: answers(s), Schedule: s.Schedule,
		Postgres: slices.Contains(s.Uses, fn.Postgres), Documents: slices.Contains(s.Uses, fn.Documents), Upstreams: upstreams(s), Emits: emits(s),
		TimeoutSeconds: seconds(s.Timeout), Concurrency: s.Concurrency, MinInstances: s.MinInstances, MaxInstances: s.MaxInstances,
	}
	if s.Subject != "" {
		d.Kind, d.Event = "event", eventOf(f)
	}
	if s.Schedule != "" {
		d.Kind = "scheduled"
	}
	// Right after its commit a function publishes what lies in the outbox lanes of its own rows: that may be a sibling's.
	if d.Publishes = []string{}; len(d.Emits) > 0 {
		d.Publishes = told
	}
	if d.Postgres && services[d.Service].Schema == "" {
		return d, errors.New("uses Postgres, and its service has no schema")
	}
	d.Account = account(s.Name, d)
	d.Secrets, err = secrets(f)
	return d, err
}

func eventOf(f fn.Function) *Event {
	s := f.Subscription("")
	return &Event{
		Subject:            s.Topic,
		Filter:             pubsub.Filter(s),
		DeadLetter:         s.DeadLetter,
		Attempts:           s.Attempts,
		AckDeadlineSeconds: seconds(s.AckDeadline),
		MinBackoffSeconds:  seconds(s.MinBackoff),
		MaxBackoffSeconds:  seconds(s.MaxBackoff),
	}
}

// seconds rounds up: the infrastructure counts whole ones.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

func upstreams(s fn.Spec) []string {
	names := []string{}
	for _, u := range s.Uses {
		if name, ok := strings.CutPrefix(string(u), upstreamPrefix); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// answers names the upstream that a neighbour knows the function by: the sandbox speaks for several, in the second part of its paths.
func answers(s fn.Spec) string {
	parts := strings.Split(route(s).Path, "/")
	switch {
	case s.Route == "" || s.Access == fn.Public:
		return ""
	case s.Service() == sandboxes && len(parts) > 2:
		return parts[2]
	}
	return s.Service()
}

func emits(s fn.Spec) []string {
	names := []string{}
	for _, subject := range s.Publishes {
		names = append(names, subject.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// told are the subjects that a service tells, whichever of its functions does.
func told(functions []fn.Function, service string) (names []string) {
	for _, f := range functions {
		if f.Spec.Service() == service {
			names = append(names, emits(f.Spec)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func subjectsOf(functions []fn.Function) (names []string) {
	for _, f := range functions {
		names = append(names, emits(f.Spec)...)
		if f.Spec.Subject != "" {
			names = append(names, f.Spec.Subject)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
