package console

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"sync"

	"melmastoon.ghasi.io/shared/platform/fn/observe"
)

// A request with "X-Sandbox-Scenario: fail; function=NAME" lets the deliveries that it causes fail at that event function. Events carry
// the trace of the request that caused them, directly or through other events, so the console remembers the function by the trace.

// maxTraces bounds the remembered traces; the oldest is forgotten first.
const maxTraces = 1000

// traces holds the event functions that fail, by the id of the trace. The zero value is empty.
type traces struct {
	mu      sync.Mutex
	failing map[string][]string
	order   []string
}

// add lets the function fail for the deliveries of the trace.
func (s *traces) add(id string, function string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing == nil {
		s.failing = map[string][]string{}
	}
	if s.failing[id] == nil {
		s.order = append(s.order, id)
	}
	if !slices.Contains(s.failing[id], function) {
		s.failing[id] = append(s.failing[id], function)
	}
	if len(s.order) > maxTraces {
		delete(s.failing, s.order[0])
		s.order = s.order[1:]
	}
}

// fails reports whether the function fails for the deliveries of the trace.
func (s *traces) fails(id string, function string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.failing[id], function)
}

// clear forgets all traces.
func (s *traces) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing, s.order = nil, nil
}

// failingFunction returns the event function that a request's scenario lets fail. ok is false for another scenario, which the sandbox
// checks, and for a malformed one.
func failingFunction(h http.Header) (name string, ok bool) {
	scenario, parameters, err := mime.ParseMediaType(h.Get(scenarioHeader))
	name, ok = parameters["function"]
	return name, err == nil && scenario == fails && ok && len(parameters) == 1
}

// remember remembers the event function that the request lets fail, and begins a trace if the request has none. It returns an error if
// no event function has that name.
func (c *Console) remember(r *http.Request) error {
	name, ok := failingFunction(r.Header)
	if !ok {
		return nil
	}
	if f, err := c.find(name); err != nil || f.Spec.Subject == "" {
		return fmt.Errorf("%s: no event function is called %q", scenarioHeader, name)
	}
	_, span := observe.Begin(context.Background(), r.Header)
	r.Header.Set("Traceparent", observe.Parent(span))
	c.requested.add(span.TraceID().String(), name)
	return nil
}

// failureOf returns the failure of a delivery to an event function, or "": the chosen one, or the one that its request asked for.
func (c *Console) failureOf(name string, h http.Header) string {
	if chosen := c.played.choice(c.played.functions, name); chosen != "" {
		return chosen
	}
	_, span := observe.Begin(context.Background(), http.Header{"Traceparent": h["Ce-Traceparent"]})
	if c.requested.fails(span.TraceID().String(), name) {
		return fails
	}
	return ""
}
