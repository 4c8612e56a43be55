package garbage

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io"
	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// A schema is as much of a JSON Schema as an example needs.
type schema struct {
	Type       any                `json:"type"`
	Enum       []any              `json:"enum"`
	Const      any                `json:"const"`
	Pattern    string             `json:"pattern"`
	Format     string             `json:"format"`
	Minimum    float64            `json:"minimum"`
	Required   []string           `json:"required"`
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	Ref        string             `json:"$ref"`
	Defs       map[string]*schema `json:"$defs"`
}

// payload is an example of what a subject tells, with nothing but what it must tell.
func (x *examples) payload(t *testing.T, subject string) (*value, []string) {
	t.Helper()
	text := check.Got(eventschemas.Files.ReadFile(subject + ".json")).Must(t)
	var s schema
	check.Must(t, json.Unmarshal(text, &s))
	return x.fitting(&s, &s), s.Required
}

func (x *examples) fitting(s, root *schema) *value {
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		return x.fitting(root.Defs[name], root)
	}
	if s.Const == nil && len(s.Enum) > 0 {
		s = &schema{Const: s.Enum[0]}
	}
	if s.Const != nil {
		text, err := json.Marshal(s.Const)
		if err != nil {
			panic(err) // it was read from JSON
		}
		return scalar(string(text))
	}
	switch s.Type {
	case "object":
		v := &value{kind: '{'}
		for _, name := range s.Required {
			v.members = append(v.members, member{`"` + name + `"`, x.fitting(s.Properties[name], root)})
		}
		return v
	case "array":
		return &value{kind: '['}
	case "integer", "number":
		return scalar(fmt.Sprint(max(1, s.Minimum)))
	case "boolean":
		return scalar("true")
	}
	return quoted(x.written(s))
}

func (x *examples) written(s *schema) string {
	switch s.Format {
	case "date-time":
		return "2031-05-04T10:00:00.000Z"
	case "date":
		return "2031-05-04"
	}
	if s.Pattern != "" {
		pattern := regexp.MustCompile(s.Pattern)
		for _, text := range x.texts {
			if pattern.MatchString(text) {
				return text
			}
		}
	}
	return "abc"
}

// An eventAttempt is an event before and after its mutations.
type eventAttempt struct {
	*attempt
	envelope, payload *value
	required          []string // members of the payload
	subject, event    string
}

// data is the message as it travels.
func (s *eventAttempt) data() string {
	return `{"envelope":` + s.envelope.String() + `,"payload":` + s.payload.String() + `}`
}

func (x *examples) event(t *testing.T, f *fuzzer, function fn.Function, d *rand.Rand) *eventAttempt {
	t.Helper()
	r := &request{method: http.MethodPost, path: "/internal/events/" + function.Spec.Name}
	s := &eventAttempt{attempt: &attempt{target: &target{function: function, method: http.MethodPost}, request: r, random: d, marker: letters(d, inValues), named: letters(d, inNames)},
		subject: function.Spec.Subject, event: id.New[id.Event]().String()}
	s.payload, s.required = x.payload(t, s.subject)
	tenant := quoted(id.New[id.Tenant]().String())
	s.payload.put("tenantId", tenant)
	s.envelope = &value{kind: '{', members: []member{
		{`"eventId"`, quoted(s.event)}, {`"subject"`, quoted(s.subject)}, {`"version"`, scalar("1")}, {`"occurredAt"`, quoted("2026-01-02T03:04:05.000Z")},
		{`"tenantId"`, tenant}, {`"requestId"`, quoted("r")}, {`"correlationId"`, quoted("r")},
	}}
	r.add("Host", f.address)
	r.add("Authorization", "Bearer "+f.token)
	r.add("Content-Type", "application/json")
	r.add("Ce-Specversion", "1.0")
	r.add("Ce-Id", s.event)
	r.add("Ce-Type", s.subject)
	r.add("Ce-Source", "//melmastoon/garbage")
	for name, value := range function.Spec.Filter {
		r.add(name, value)
	}
	return s
}

func (v *value) put(name string, to *value) {
	for i, m := range v.members {
		if m.name == `"`+name+`"` {
			v.members[i].value = to
		}
	}
}

func (v *value) remove(name string) {
	v.members = slices.DeleteFunc(v.members, func(m member) bool { return m.name == `"`+name+`"` })
}

// An eventMutation spoils an event for good: no delivery of it can ever succeed.
type eventMutation struct {
	name  string
	spoil func(*eventAttempt)
}

var eventMutations = []eventMutation{
	{"truncated", func(s *eventAttempt) { text := s.data(); s.body = []byte(text[:s.random.IntN(len(text))]) }},
	{"no JSON", func(s *eventAttempt) {
		s.body = []byte(one(s.random, []string{"", "null", "[]", "1", s.marker, "{}", `{"envelope":1}`, "\x00", "\xff", `{"envelope":{},"payload":{}}`, s.data() + "{}", "\ufeff" + s.data(), strings.Repeat("[", 20000)}))
	}},
	{"a member twice", func(s *eventAttempt) {
		o := one(s.random, []*value{s.envelope, s.payload})
		o.members = append(o.members, one(s.random, o.members))
	}},
	{"invalid UTF-8", func(s *eventAttempt) { s.payload.put(one(s.random, s.required), scalar("\"\xff"+s.marker+`"`)) }},
	{"no member of the envelope", func(s *eventAttempt) {
		s.envelope.remove(one(s.random, []string{"eventId", "subject", "version", "occurredAt"}))
	}},
	{"another envelope", func(s *eventAttempt) {
		s.envelope.put(one(s.random, []string{"eventId", "subject", "version", "occurredAt", "tenantId"}), scalar(one(s.random, []string{"{}", "[]", `"` + s.marker + `"`, "-1", "1e99", "true"})))
	}},
	{"no member of the payload", func(s *eventAttempt) { s.payload.remove(one(s.random, s.required)) }},
	{"another member of the payload", func(s *eventAttempt) {
		s.payload.put(one(s.random, s.required), scalar(one(s.random, []string{`{"` + s.named + `":1}`, "null", `[[["` + s.marker + `"]]]`})))
	}},
	{"another tenant", func(s *eventAttempt) {
		s.payload.remove("tenantId") // an optional one may be absent
		s.payload.members = append(s.payload.members, member{`"tenantId"`, quoted(id.New[id.Tenant]().String())})
	}},
	{"no payload", func(s *eventAttempt) {
		s.body = []byte(`{"envelope":` + s.envelope.String() + `,"payload":` + one(s.random, []string{"null", "[]", "1", `"x"`}) + `}`)
	}},
	{"another subject", func(s *eventAttempt) {
		other := "melmastoon." + s.named + ".v1" // a reason may say which
		s.envelope.put("subject", quoted(other))
		s.set("Ce-Type", other)
	}},
	{"another id", func(s *eventAttempt) {
		s.set("Ce-Id", one(s.random, []string{s.marker, id.New[id.Event]().String(), "", "\xff"}))
	}},
	{"another version of CloudEvents", func(s *eventAttempt) { s.set("Ce-Specversion", one(s.random, []string{"0.3", "2.0", s.marker})) }},
	{"a push that is none", func(s *eventAttempt) {
		s.drop("Ce-Specversion")
		s.body = []byte(one(s.random, []string{`{"message":{"data":"` + s.marker + `"}}`, `{"message":{"data":"!!"}}`, `{"message":` + s.data() + `}`,
			`{"message":{"data":"` + base64.StdEncoding.EncodeToString([]byte(s.data())) + `","attributes":{"ce-id":"x"}}}`, `{"message":null}`}))
	}},
	{"structured, but not well", func(s *eventAttempt) {
		s.set("Content-Type", one(s.random, []string{"application/cloudevents+json", "application/cloudevents+json; charset=" + s.marker}))
		s.body = []byte(one(s.random, []string{s.data(), `{"specversion":"1.0"}`, `{"specversion":"1.0","id":"x","type":"` + s.marker + `","source":"/","data":` + s.data() + `}`, "[]", s.marker}))
	}},
	{"no token", func(s *eventAttempt) { s.drop("Authorization") }},
	{"a bad token", func(s *eventAttempt) {
		s.set("Authorization", one(s.random, []string{"Bearer " + s.marker, "Bearer a.b.c", "Basic x", ""}))
	}},
	{"another method", func(s *eventAttempt) {
		s.request.method = one(s.random, []string{"GET", "PUT", "DELETE", "PATCH", "TRACE"})
	}},
	{"shorter than it says", func(s *eventAttempt) {
		s.body = []byte(s.data())
		s.length = fmt.Sprint(len(s.body))
		s.body = s.body[:s.random.IntN(len(s.body))]
	}},
}

// TestGarbage_events pushes events that no consumer can handle. Each is rejected, or acknowledged and
// dead-lettered with a reason that repeats no part of it. No event is requested again, and no event has an effect.
func TestGarbage_events(t *testing.T) {
	t.Parallel()
	seed, n := seedrand.New(t), rounds(t)
	s := system.Open(t)
	f := newFuzzer(strings.TrimPrefix(s.Cloud.URL(), "http://"), melmastoon.Functions)
	var err error
	if f.token, err = s.Cloud.Token(); err != nil {
		t.Fatal(err)
	}
	s.Quiet()
	panics, before, threads, began := watch(t, s), count(t, s), runtime.NumGoroutine(), time.Now()
	x := newExamples(t)
	var group errgroup.Group
	group.SetLimit(workers)
	parked := map[string]*int{}
	for _, one := range melmastoon.Functions {
		if one.Spec.Subject == "" {
			continue
		}
		acknowledged := new(int)
		parked[one.Subscription("").Name] = acknowledged
		group.Go(func() error {
			for round := range n {
				if err := sendEvents(t, f, x, one, seed.Of(one.Spec.Name, round), round, acknowledged); err != nil {
					return err
				}
			}
			return nil
		})
	}
	check.Must(t, group.Wait())
	total := 0
	for name, n := range parked {
		total += *n
		if dead := countDeadLetters(t, s, name); dead != *n {
			t.Errorf("%s has acknowledged %d events that it could not handle; %d are among the dead letters", name, *n, dead)
		}
	}
	t.Logf("%d events to %d functions in %s: %d parked", n*len(parked), len(parked), time.Since(began).Round(time.Millisecond), total)
	s.Quiet()
	panics()
	for table, rows := range count(t, s) {
		if rows != before[table] && !strings.HasPrefix(table, "document.") {
			t.Errorf("%s has %d rows, before %d: garbage has had an effect", table, rows, before[table])
		}
	}
	if left := runtime.NumGoroutine(); left > threads+100 {
		t.Errorf("%d goroutines are left, %d before", left, threads)
	}
	idle(t, s)
}

// sendEvents pushes one malformed event.
func sendEvents(t *testing.T, f *fuzzer, x *examples, function fn.Function, d *rand.Rand, round int, acknowledged *int) error {
	s := x.event(t, f, function, d)
	m := one(d, eventMutations)
	m.spoil(s)
	if s.body == nil {
		s.body = []byte(s.data())
	}
	var a answer
	var err error
	for range again { // the machine may be too busy to answer in time
		if a, err = send(t.Context(), f.address, s.request); err != nil {
			return fmt.Errorf("%s %s: %w", function.Spec.Name, m.name, err)
		}
		if !late(a) {
			break
		}
	}
	if a.status == http.StatusNoContent {
		*acknowledged++
		return nil
	}
	if late(a) {
		t.Errorf("round %d: %s %s asks for it again and again: %d %s\n%s", round, function.Spec.Name, m.name, a.status, a.body, s.request)
	}
	for _, w := range faultsOf(s.attempt, a, true) {
		t.Errorf("round %d: %s %s: %s\n%s", round, function.Spec.Name, m.name, w, s.request)
	}
	return nil
}

// TestGarbage_scheduledWithoutToken calls the routes of the scheduler and of the bus without a token.
func TestGarbage_scheduledWithoutToken(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	f := newFuzzer(strings.TrimPrefix(s.Cloud.URL(), "http://"), melmastoon.Functions)
	d, doors := seedrand.New(t).Of("ticks", 0), 0
	for _, one := range melmastoon.Functions {
		path := "/internal/ticks/" + one.Spec.Name
		switch {
		case one.Spec.Subject != "":
			path = "/internal/events/" + one.Spec.Name
		case one.Spec.Schedule == "":
			continue
		}
		doors++
		for _, token := range []string{"", "Bearer", "Bearer a.b.c", "Bearer eyJhbGciOiJub25lIn0.e30.", "Basic eDp5"} {
			t.Run(fmt.Sprintf("%s with token %q", one.Spec.Name, token), func(t *testing.T) {
				r := &request{method: http.MethodPost, path: path, body: []byte("{}")}
				r.add("Host", f.address)
				r.add("Content-Type", "application/json")
				if token != "" {
					r.add("Authorization", token)
				}
				attempt := &attempt{target: &target{function: one}, request: r, random: d, marker: letters(d, inValues), named: letters(d, inNames)}
				a := check.Got(send(t.Context(), f.address, r)).Must(t)
				for _, w := range faultsOf(attempt, a, true) {
					t.Error(w)
				}
				check.Equal(t, a.status, http.StatusUnauthorized, "status")
			})
		}
	}
	if doors == 0 {
		t.Error("no event endpoint found")
	}
}

// countDeadLetters counts the dead letters of the function, and fails the test if a reason repeats what was sent.
func countDeadLetters(t *testing.T, s *system.System, function string) (dead int) {
	t.Helper()
	var repeating int
	err := s.DB.Owner(t).QueryRow(t.Context(), `
		SELECT count(*), count(*) FILTER (WHERE attributes ->> 'melmastoon-parked-reason' ~ @marker OR coalesce(attributes ->> 'melmastoon-parked-reason', '') = '')
		FROM bus.messages WHERE attributes ->> 'melmastoon-parked-by' = @function`,
		pgx.StrictNamedArgs{"function": function, "marker": inValues + "[a-z]{8}" + inValues}).Scan(&dead, &repeating)
	check.Must(t, err)
	if repeating > 0 {
		t.Errorf("%d reasons of %s repeat what was sent, or say nothing", repeating, function)
	}
	return dead
}
