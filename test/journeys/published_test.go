package journeys

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/contract"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// publishedEvents are the events of one journey, of each service in its order.
type publishedEvents struct {
	t      *testing.T
	events []system.Events
}

// after leaves out events published before the journey began.
func after(t *testing.T, before, published []system.Events) publishedEvents {
	known := map[any]bool{}
	for _, e := range before {
		known[e.Envelope["eventId"]] = true
	}
	return publishedEvents{t, slices.DeleteFunc(published, func(e system.Events) bool { return known[e.Envelope["eventId"]] })}
}

// short is a subject without the platform's name and the version.
func short(subject string) string {
	return strings.TrimSuffix(strings.TrimPrefix(subject, "melmastoon."), ".v1")
}

// lines are the events: whose, what, in the story that which request began, and by which event they were caused.
func (s publishedEvents) lines() (lines []string) {
	subjects := map[any]string{nil: "the request"}
	for _, e := range s.events {
		subjects[e.Envelope["eventId"]] = short(e.Subject)
	}
	for _, e := range s.events {
		lines = append(lines, fmt.Sprintf("%s: %s, in %v, by %s", e.Service, short(e.Subject), e.Envelope["correlationId"], subjects[e.Envelope["causationId"]]))
	}
	return lines
}

// is fails the test unless exactly these events were published.
func (s publishedEvents) is(want []string) {
	s.t.Helper()
	if got := s.lines(); !slices.Equal(got, want) {
		s.t.Errorf("published\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// one is the only event of a subject.
func (s publishedEvents) one(subject string) system.Events {
	s.t.Helper()
	var found []system.Events
	for _, e := range s.events {
		if short(e.Subject) == subject {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		s.t.Fatalf("%s was published %d times", subject, len(found))
	}
	return found[0]
}

// same fails the test unless all values are equal and not empty.
func (s publishedEvents) same(what string, values ...any) {
	s.t.Helper()
	for i, v := range values {
		if v == nil || v == "" {
			s.t.Errorf("%s: value %d of %v is empty", what, i, values)
		}
		check.Equal(s.t, fmt.Sprint(v), fmt.Sprint(values[0]), "%s: value %d", what, i)
	}
}

// traced fails the test unless all events are of one trace.
func (s publishedEvents) traced(trace string) {
	s.t.Helper()
	for _, e := range s.events {
		if parts := strings.Split(fmt.Sprint(e.Envelope["traceId"]), "-"); len(parts) != 4 || parts[1] != trace {
			s.t.Errorf("%s is traced as %v", e.Subject, e.Envelope["traceId"])
		}
	}
}

// hides fails the test if a secret, or what can be made into it again, was published or logged.
func (s publishedEvents) hides(log io.Reader, secret string) {
	s.t.Helper()
	text := check.Got(json.Marshal(s.events)).Must(s.t)
	lines, err := io.ReadAll(log)
	if err != nil || len(lines) == 0 {
		s.t.Fatalf("nothing was logged, %v", err)
	}
	for _, part := range append(strings.Split(secret, ".")[1:], secret) {
		check.Lacks(s.t, string(text), part)
		check.Lacks(s.t, string(lines), part)
	}
}

// published fails the test unless every event was published as it was appended, and within its contract.
func (s publishedEvents) published(from *system.System) {
	s.t.Helper()
	appended := map[string]string{}
	for _, e := range from.Published(s.t.Context()) {
		appended[fmt.Sprint(e.Envelope["eventId"])] = e.Subject
	}
	wire := map[string]string{}
	for _, e := range receive(s.t, from, len(appended)) {
		wire[fmt.Sprint(e.attributes["id"])] = e.subject()
		check.NoError(s.t, contract.ValidateOutgoing(e.subject(), e.raw), "%s", e)
	}
	if !maps.Equal(appended, wire) {
		s.t.Errorf("appended %v, published %v", appended, wire)
	}
}
