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

// A Function is the configuration of one deployed function.
type Function struct {
	Service string `json:"service"`
	Kind    string `json:"kind"` // http, event or scheduled
	Access  string `json:"access"`
	Archive string `json:"archive"` // its name in bundles.json, and of the entry point
	Account string `json:"account"` // the function's service account

	Path     string `json:"path"`     // the path of its endpoint
	Answers  string `json:"answers"`  // the upstream to which it belongs
	Event    *Event `json:"event"`    // its subscription
	Schedule string `json:"schedule"` // a cron line, UTC

	Postgres  bool     `json:"postgres"`
	Documents bool     `json:"documents"`
	Upstreams []string `json:"upstreams"`
	Emits     []string `json:"emits"`   // subjects; it may publish all of its service, because it publishes the outbox lanes of its own rows
	Secrets   []string `json:"secrets"` // variables without which it does not start

	TimeoutSeconds int `json:"timeoutSeconds"` // after which the function itself has responded
	MaxInstances   int `json:"maxInstances"`
}

// An Event is a function's subscription.
type Event struct {
	Subscription       string `json:"subscription"`
	Subject            string `json:"subject"`
	Filter             string `json:"filter"` // in Pub/Sub's filter language
	DeadLetter         string `json:"deadLetter"`
	Attempts           int    `json:"attempts"`
	AckDeadlineSeconds int    `json:"ackDeadlineSeconds"`
	MinBackoffSeconds  int    `json:"minBackoffSeconds"`
	MaxBackoffSeconds  int    `json:"maxBackoffSeconds"`
}

const upstreamPrefix = "upstream:"

func functionOf(f fn.Function) (d Function, err error) {
	s := f.Spec
	d = Function{
		Service: s.Service(), Kind: "http", Access: s.Access.String(), Archive: s.Name, Path: route(s).Path, Answers: answers(s), Schedule: s.Schedule,
		Postgres: slices.Contains(s.Uses, fn.Postgres), Documents: slices.Contains(s.Uses, fn.Documents), Upstreams: upstreams(s), Emits: emits(s),
		TimeoutSeconds: seconds(s.Timeout), MaxInstances: s.MaxInstances,
	}
	if s.Subject != "" {
		d.Kind, d.Event = "event", eventOf(f)
	}
	if s.Schedule != "" {
		d.Kind = "scheduled"
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
		Subscription:       s.Name,
		Subject:            s.Topic,
		Filter:             pubsub.Filter(s),
		DeadLetter:         s.DeadLetter,
		Attempts:           s.Attempts,
		AckDeadlineSeconds: seconds(s.AckDeadline),
		MinBackoffSeconds:  seconds(s.MinBackoff),
		MaxBackoffSeconds:  seconds(s.MaxBackoff),
	}
}

// seconds rounds up, because the infrastructure uses whole seconds.
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

// answers returns the name of the upstream to which the function belongs. The sandbox serves several upstreams, which
// the second part of its paths names.
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
