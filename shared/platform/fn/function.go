package fn

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// A Function is one deployable unit. It is inert: nothing is opened before Handler is called.
type Function struct {
	Spec    Spec
	In, Out reflect.Type // the decoded request and the response; Out is nil for events and schedules

	build func(env.Env, Spec) (endpoint, error)
}

// Handler opens the function's dependencies and returns its handler with its own routes: another path gets a 404 problem,
// another method a 405 with Allow.
func (f Function) Handler(e env.Env) (http.Handler, error) {
	r, err := f.open(e)
	if err != nil {
		return nil, fmt.Errorf("fn: %s: %w", f.Spec.Name, err)
	}
	return r, nil
}

func (f Function) open(e env.Env) (*router, error) {
	if err := f.Spec.validate(); err != nil {
		return nil, err
	}
	spec := f.Spec
	spec.Timeout = e.Timeout(spec.Timeout)
	end, err := f.build(e, spec)
	if err != nil {
		return nil, err
	}
	frame, err := newFrame(e, spec)
	if err != nil {
		return nil, err
	}
	return newRouter(spec, frame, end)
}

func (s Spec) validate() error {
	kinds := 0
	for _, given := range []string{s.Route, s.Subject, s.Schedule} {
		if given != "" {
			kinds++
		}
	}
	switch {
	case s.Name == "":
		return errors.New("has no name")
	case kinds != 1:
		return errors.New("needs exactly one of Route, Subject and Schedule")
	case s.Idempotent && s.Route == "":
		return errors.New("only a route can need an idempotency key")
	}
	return nil
}

// Subscription returns the push subscription of the function, for a bus that reaches it below base.
func (f Function) Subscription(base string) topic.Subscription {
	s := f.Spec
	return topic.Subscription{
		Name: s.subscription(), Topic: s.Subject, Filter: s.Filter,
		Endpoint: base + "/internal/events/" + s.Name, Audience: identity.Audience(s.Service()),
		DeadLetter: s.DeadLetter, Attempts: s.Attempts,
		MinBackoff: time.Second, MaxBackoff: 600 * time.Second, AckDeadline: 30 * time.Second,
	}
}
