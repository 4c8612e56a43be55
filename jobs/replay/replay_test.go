package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

// Two functions of one service consume two subjects. A third consumes the first subject too and has its own dead-letter
// topic.
var subscriptions = []topic.Subscription{
	{Name: "hotel-paid", Topic: "paid.v1", DeadLetter: "hotel.paid.dlq"},
	{Name: "hotel-held", Topic: "held.v1", DeadLetter: "hotel.held.dlq"},
	{Name: "site-paid", Topic: "paid.v1", DeadLetter: "site.paid.dlq"},
}

// A runner runs the job on fake topics.
type runner struct {
	t         testing.TB
	ctx       context.Context // of the job
	topics    *topictest.Backlog
	published topictest.Memory
	env       env.Env
}

func newRunner(t testing.TB) *runner {
	e := env.Of(map[string]string{"DEAD_LETTERS": Listeners(subscriptions)})
	return &runner{t: t, ctx: t.Context(), env: e, topics: topictest.NewBacklog(e.Now, "hotel.paid.dlq", "hotel.held.dlq", "site.paid.dlq")}
}

// call runs the job like its command and returns the exit code, its output and its error output.
func (d *runner) call(args ...string) (code int, stdout, stderr string) {
	d.t.Helper()
	var out, errs bytes.Buffer
	job := command.Job{Name: Job.Name, Run: func(ctx context.Context, e env.Env, args []string) error { return Run(ctx, e, args, &out) }}
	e := topic.PullerKey.With(topic.PublisherKey.With(d.env, &d.published), d.topics)
	code = command.Run(d.ctx, job, e, args, &errs)
	return code, out.String(), errs.String()
}

// want runs the job and fails the test unless it succeeds and prints all of says.
func (d *runner) want(says []string, args ...string) string {
	d.t.Helper()
	code, stdout, stderr := d.call(args...)
	check.Equal(d.t, code, 0, "exit code of %v: %s", args, stderr)
	check.Contains(d.t, stdout, says...)
	return stdout
}

// born is the time of the first event. The others happen minutes later.
var born = time.Date(2031, 3, 21, 12, 0, 0, 0, time.UTC)

// dead returns a message that a function has dead-lettered.
func dead(t testing.TB, shelf, subject, by, reason, key string, version, minute int) topic.Message {
	t.Helper()
	user := "usr_secret"
	raw, err := event.Draft{Subject: event.Subject{Name: subject, Version: 1, Producer: "payment-service"}, Tenant: id.New[id.Tenant](), OrderingKey: key,
		AggregateVersion: version, Payload: map[string]string{"guest": "Zarghuna"}}.Seal(born.Add(time.Duration(minute)*time.Minute), event.Origin{})
	check.Must(t, err)
	raw.Envelope.UserID = &user
	data := check.Got(raw.Data()).Must(t)
	a := raw.Attributes()
	a["melmastoon-parked-by"], a["melmastoon-parked-reason"], a["x-guest"] = by, reason, "Zarghuna"
	return topic.Message{Topic: shelf, Attributes: a, Data: data}
}

func paid(t testing.TB, key string, version, minute int) topic.Message {
	t.Helper()
	return dead(t, "hotel.paid.dlq", "paid.v1", "hotel-paid", "reservation: "+id.New[id.Reservation]().String()+" not found", key, version, minute)
}

// refused returns a message that the bus has dead-lettered, whose event is malformed.
func refused(shelf, by string) topic.Message {
	return topic.Message{Topic: shelf, OrderingKey: "k9", Data: []byte("not json"), Attributes: map[string]string{
		"CloudPubSubDeadLetterSourceSubscription": by, "CloudPubSubDeadLetterSourceDeliveryCount": "20"}}
}

func eventIDs(messages []topic.Message) (all []string) {
	for _, m := range messages {
		all = append(all, m.Attributes["ce-id"])
	}
	return all
}

func TestList_byCause(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	repeated := paid(t, "k3", 1, 3)
	repeated.Attributes[topic.Replays] = "2"
	d.topics.Put(paid(t, "k1", 1, 2), paid(t, "k2", 1, 1), repeated, refused("hotel.paid.dlq", "hotel-paid"),
		dead(t, "hotel.held.dlq", "held.v1", "hotel-held", "contract: /units", "k1", 1, 5))
	before := slices.Concat(d.topics.Left("hotel.paid.dlq"), d.topics.Left("hotel.held.dlq"))
	stdout := d.want([]string{
		"hotel.paid.dlq: 3 of paid.v1 to hotel-paid, the oldest of 2031-03-21T12:01:00Z, 1 already replayed twice: reservation: rsv_… not found\n",
		"hotel.paid.dlq: 1 of unreadable to hotel-paid", ": rejected 20 times; see the log of the function\n",
		"hotel.held.dlq: 1 of held.v1 to hotel-held, the oldest of 2031-03-21T12:05:00Z: contract: /units\n",
	})
	check.Lacks(t, stdout, "site.paid.dlq", "Zarghuna")
	d.want([]string{"hotel.held.dlq: 1 of"}, "hotel.held.dlq")
	check.Equal(t, d.want(nil), stdout, "second run")
	if after := slices.Concat(d.topics.Left("hotel.paid.dlq"), d.topics.Left("hotel.held.dlq")); len(after) != len(before) || len(d.published.Messages()) > 0 {
		t.Errorf("%d of %d messages are left, %d published; want all left", len(after), len(before), len(d.published.Messages()))
	}
}

func TestList_empty(t *testing.T) {
	t.Parallel()
	newRunner(t).want([]string{"no messages in 3 dead-letter topics\n"})
}

func TestList_unreadableTopic(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	d.topics = topictest.NewBacklog(d.env.Now, "hotel.paid.dlq")
	d.topics.Put(paid(t, "k1", 1, 1))
	code, stdout, stderr := d.call()
	switch {
	case code != 1:
		t.Errorf("code = %v, want 1", code)
	case !strings.Contains(stdout, "hotel.paid.dlq: 1 of"):
		t.Errorf("stdout = %q, want one containing %q", stdout, "hotel.paid.dlq: 1 of")
	case !strings.Contains(stderr, "hotel.held.dlq"):
		t.Errorf("complained = %q, want one containing %q", stderr, "hotel.held.dlq")
	case !strings.Contains(stderr, "site.paid.dlq"):
		t.Errorf("complained = %q, want one containing %q", stderr, "site.paid.dlq")
	}
}

// A topic has more messages or bytes than a run reads.
func TestGather_limits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bytes, messages, seen int
	}{
		"by number": {0, maxMessages + 1, maxMessages},
		"by size":   {maxBytes / pullSize, 2*pullSize + 1, pullSize},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newRunner(t)
			m := refused("hotel.paid.dlq", "hotel-paid")
			m.Data = make([]byte, test.bytes+1)
			d.topics.Put(slices.Repeat([]topic.Message{m}, test.messages)...)
			d.want([]string{fmt.Sprintf("only %d messages were read", test.seen)}, "hotel.paid.dlq")
		})
	}
}

// A hesitant puller returns an empty result before each other one, as Pub/Sub may.
type hesitant struct {
	topic.Puller
	mu    sync.Mutex
	calls map[string]int // by subscription
}

// Pull pulls in every second call.
func (h *hesitant) Pull(ctx context.Context, subscription string, limit int, lease time.Duration) ([]topic.Pulled, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.calls[subscription]++; h.calls[subscription]%2 == 1 {
		return nil, nil
	}
	return h.Puller.Pull(ctx, subscription, min(limit, 1), lease)
}

func TestGather_emptyResults(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	d.topics.Put(paid(t, "k1", 1, 1), paid(t, "k2", 1, 2))
	e := topic.PullerKey.With(topic.PublisherKey.With(d.env, &d.published), topic.Puller(&hesitant{Puller: d.topics, calls: map[string]int{}}))
	groups, err := List(t.Context(), e)
	if err != nil || len(groups) != 1 {
		t.Fatalf("List() = %+v, %v, want one group", groups, err)
	}
	check.Equal(t, groups[0].Count, 2, "listed messages")
}

// A topic has more messages than are read at a time. Remove finds those of the guest among them and leaves no lease.
func TestRemove_manyMessages(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	guest := id.New[id.Reservation]().String()
	m := refused("hotel.paid.dlq", "hotel-paid")
	named := m
	named.Data = []byte(`{"reservationId":"` + guest + `"}`)
	d.topics.Put(named)
	d.topics.Put(slices.Repeat([]topic.Message{m}, maxMessages)...)
	d.topics.Put(named)
	e := topic.PullerKey.With(topic.PublisherKey.With(d.env, &d.published), topic.Puller(d.topics))
	for _, test := range []struct {
		name   string
		remove bool
		left   int
	}{{"dry_run", false, maxMessages + 2}, {"removal", true, maxMessages}} {
		t.Run(test.name, func(t *testing.T) {
			counts, err := Remove(t.Context(), e, []string{guest}, test.remove)
			check.Must(t, err)
			check.Equal(t, counts[guest], 2)
			check.Equal(t, len(d.topics.Left("hotel.paid.dlq")), test.left, "remaining messages")
		})
	}
	if again, err := Remove(t.Context(), e, []string{guest}, true); err != nil || len(again) != 0 {
		t.Errorf("Remove() again = %v, %v, want none", again, err)
	}
	if pulled, err := d.topics.Pull(t.Context(), "hotel.paid.dlq", 1, lease); err != nil || len(pulled) != 1 {
		t.Errorf("Pull() = %d messages, %v, want one: the leases were released", len(pulled), err)
	}
}

func TestShow_noGuestData(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	first, second := paid(t, "k1", 1, 1), paid(t, "k1", 2, 2)
	d.topics.Put(second, first)
	stdout := d.want([]string{first.Attributes["ce-id"], `"melmastoon-parked-by":"hotel-paid"`, `"occurredAt":"2031-03-21T12:01:00`, "bytes, not shown"}, "-show=1", "hotel.paid.dlq")
	switch {
	case strings.Contains(stdout, "Zarghuna"):
		t.Errorf("stdout = %q, want one without %q", stdout, "Zarghuna")
	case strings.Contains(stdout, "usr_secret"):
		t.Errorf("stdout = %q, want one without %q", stdout, "usr_secret")
	case strings.Contains(stdout, second.Attributes["ce-id"]):
		t.Errorf("stdout = %q, want one without %q", stdout, second.Attributes["ce-id"])
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	repeated := paid(t, "k2", 1, 1)
	repeated.Attributes[topic.Replays] = "2"
	d.topics.Put(paid(t, "k1", 1, 1), repeated)
	d.want([]string{"would replay evt_", `to hotel-paid, key "k1", replayed 0 times before`, "would skip " + repeated.Attributes["ce-id"] + ": already replayed 2 times", "would replay 1 of 2 messages\n"}, "-dry", "hotel.paid.dlq")
	if n := len(d.published.Messages()); n > 0 || len(d.topics.Left("hotel.paid.dlq")) != 2 {
		t.Errorf("%d published", n)
	}
	d.want([]string{"replayed 1 of 2 messages\n"}, "-go", "hotel.paid.dlq")
}

func TestSend_originalToOneSubscription(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	original := paid(t, "tenant:k1", 7, 1)
	strange := refused("site.paid.dlq", "site-paid")
	strange.Attributes["content-type"] = "text/plain"
	d.topics.Put(original, strange)
	d.want([]string{"hotel.paid.dlq: replayed 1 of 1", "site.paid.dlq: replayed 1 of 1"}, "-go", "hotel.paid.dlq", "site.paid.dlq", "hotel.paid.dlq")
	got := d.published.Messages()
	want := maps.Clone(original.Attributes)
	for _, name := range []string{"melmastoon-parked-by", "melmastoon-parked-reason", "x-guest"} {
		delete(want, name)
	}
	want["ce-replayto"], want["ce-replays"] = "hotel-paid", "1"
	switch {
	case len(got) != 2:
		t.Errorf("len(got) = %v, want 2", len(got))
	case !maps.Equal(got[0].Attributes, want):
		t.Errorf("got[0].Attributes = %v, want %v", got[0].Attributes, want)
	case !bytes.Equal(got[0].Data, original.Data):
		t.Errorf("got[0].Data = %s, want %s", got[0].Data, original.Data)
	case got[0].Topic != "paid.v1":
		t.Errorf(`got[0].Topic = %q, want "paid.v1"`, got[0].Topic)
	case got[0].OrderingKey != "tenant:k1":
		t.Errorf(`got[0].OrderingKey = %q, want "tenant:k1"`, got[0].OrderingKey)
	}
	switch a := (map[string]string{"content-type": "text/plain", "ce-replayto": "site-paid", "ce-replays": "1"}); {
	case !maps.Equal(got[1].Attributes, a):
		t.Errorf("got[1].Attributes = %v, want %v", got[1].Attributes, a)
	case got[1].OrderingKey != "k9":
		t.Errorf(`got[1].OrderingKey = %q, want "k9"`, got[1].OrderingKey)
	case got[1].Topic != "paid.v1":
		t.Errorf(`got[1].Topic = %q, want "paid.v1"`, got[1].Topic)
	}
	check.Equal(t, len(d.topics.Left("hotel.paid.dlq"))+len(d.topics.Left("site.paid.dlq")), 0, "remaining messages")
	d.want([]string{"replayed 0 of 0"}, "-go", "hotel.paid.dlq")
}

// A thousand messages of twenty keys arrive in the worst order. Within a key the version decides, because producers'
// clocks differ.
func TestSend_orderPerKey(t *testing.T) {
	t.Parallel()
	const keys, each = 20, 50
	d := newRunner(t)
	for version := each; version > 0; version-- {
		for key := range keys {
			d.topics.Put(paid(t, fmt.Sprint("k", key), version, -version%7))
		}
	}
	d.want([]string{"replayed 1000 of 1000"}, "-go", "hotel.paid.dlq")
	last := map[string]string{}
	for _, m := range d.published.Messages() {
		if sequence := m.Attributes["ce-sequence"]; sequence <= last[m.OrderingKey] {
			t.Fatalf("key %s: %s after %s", m.OrderingKey, sequence, last[m.OrderingKey])
		}
		last[m.OrderingKey] = m.Attributes["ce-sequence"]
	}
	check.Equal(t, len(last), keys, "keys")
}

func TestSend_failureStopsItsKey(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	var all []topic.Message
	for n := range 2 * batchSize { // the failure is in the first batch, later messages of its key in both
		all = append(all, paid(t, fmt.Sprint("k", n%2), n+1, n))
	}
	bad := all[51] // of k1
	d.topics.Put(all...)
	d.published.Refuse = func(m topic.Message) error {
		if m.Attributes["ce-id"] == bad.Attributes["ce-id"] {
			return topic.ErrRefused
		}
		return nil
	}
	code, stdout, stderr := d.call("-go", "hotel.paid.dlq")
	switch {
	case code != 1:
		t.Errorf("code = %v, want 1", code)
	case !strings.Contains(stderr, bad.Attributes["ce-id"]+" and the messages behind it stay"):
		t.Errorf("complained = %q, want one containing %q", stderr, bad.Attributes["ce-id"]+" and the messages behind it stay")
	case !strings.Contains(stdout, "replayed 125 of 200"):
		t.Errorf("stdout = %q, want one containing %q", stdout, "replayed 125 of 200")
	}
	var left []string
	for n := 51; n < len(all); n += 2 {
		left = append(left, all[n].Attributes["ce-id"])
	}
	if got := eventIDs(d.topics.Left("hotel.paid.dlq")); !slices.Equal(got, left) {
		t.Errorf("%d messages are left, want %d", len(got), len(left))
	}
	d.published.Refuse = nil
	d.want([]string{"replayed 75 of 75"}, "-go", "hotel.paid.dlq")
}

func TestPick(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		sent int
	}{
		"all":                     {nil, 4},
		"a cause":                 {[]string{"-cause=not found"}, 3},
		"a cause as it is listed": {[]string{"-cause=rsv_… not"}, 3},
		"a subject":               {[]string{"-subject=held.v1"}, 1},
		"the oldest":              {[]string{"-limit=2"}, 2},
		"the oldest of a cause":   {[]string{"-limit=2", "-cause=/units"}, 1},
		"no match":                {[]string{"-cause=something else"}, 0},
		"also replayed twice":     {[]string{"-again"}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newRunner(t)
			repeated := paid(t, "k7", 1, 0)
			repeated.Attributes[topic.Replays] = "2"
			if strings.Contains(fmt.Sprint(test.args), "limit") {
				repeated = paid(t, "k7", 1, 9)
			}
			d.topics.Put(paid(t, "k3", 1, 3), paid(t, "k1", 1, 1), repeated, paid(t, "k2", 1, 2), dead(t, "hotel.paid.dlq", "held.v1", "hotel-paid", "contract: /units", "k4", 1, 4))
			d.want([]string{fmt.Sprintf("replayed %d of 5", test.sent)}, append([]string{"-go", "hotel.paid.dlq"}, test.args...)...)
			check.Equal(t, len(d.published.Messages()), test.sent, "published")
			if test.sent == 2 && d.published.Messages()[0].OrderingKey != "k1" {
				t.Errorf("first published key %s, want k1", d.published.Messages()[0].OrderingKey)
			}
		})
	}
}

func TestSend_maxReplays(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	m := paid(t, "k1", 1, 1)
	for replay := 1; replay <= 4; replay++ {
		d.topics.Put(m)
		if replay == 3 {
			d.want([]string{"skipped " + m.Attributes["ce-id"] + ": already replayed 2 times", "replayed 0 of 1"}, "-go", "hotel.paid.dlq")
		}
		args := []string{"-go", "hotel.paid.dlq"}
		if replay > maxReplays {
			args = append(args, "-again")
		}
		d.want([]string{"replayed 1 of 1"}, args...)
		sent := d.published.Messages()
		m = sent[len(sent)-1] // it fails and is dead-lettered again
		m.Topic, m.Attributes = "hotel.paid.dlq", maps.Clone(m.Attributes)
		m.Attributes["melmastoon-parked-by"] = "hotel-paid"
		if got := m.Attributes[topic.Replays]; got != fmt.Sprint(replay) || len(sent) != replay {
			t.Errorf("replay %d is counted as %s, %d published", replay, got, len(sent))
		}
	}
}

func TestSend_unknownSubscription(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	d.topics.Put(dead(t, "hotel.paid.dlq", "paid.v1", "hotel-gone", "x", "k", 1, 1))
	d.want([]string{`: no subscription "hotel-gone" uses this dead-letter topic`, "replayed 0 of 1"}, "-go", "hotel.paid.dlq")
	check.Equal(t, len(d.topics.Left("hotel.paid.dlq")), 1, "remaining messages")
	d.topics.Put(topic.Message{Topic: "site.paid.dlq", Data: []byte("laid down by hand")})
	d.want([]string{": no reason recorded\n"}, "site.paid.dlq")
	d.want([]string{"replayed 1 of 1"}, "-go", "site.paid.dlq")
	if m := d.published.Messages(); len(m) != 1 || m[0].Attributes[topic.ReplayTo] != "site-paid" {
		t.Errorf("published %v, want one message to site-paid", m)
	}
}

// A dead letter that was kept without its data would be delivered as an event without data.
func TestSend_withoutData(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	m := paid(t, "k1", 1, 1)
	m.Data, m.Attributes = nil, maps.Clone(m.Attributes)
	m.Attributes[fn.DeadLetterSize] = "10000301"
	d.topics.Put(m)
	d.want([]string{"kept without its data of 10000301 bytes", "replayed 0 of 1"}, "-go", "-again", "hotel.paid.dlq")
	check.Equal(t, len(d.published.Messages()), 0, "messages published")
}

// A run is killed between publishing and acknowledging and releases nothing.
func TestSend_killed(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	d.topics.Put(paid(t, "k1", 1, 1), paid(t, "k1", 2, 2))
	d.topics.Refuse = func(verb string) error {
		if verb != "pull" {
			return errors.New("killed")
		}
		return nil
	}
	switch code, _, stderr := d.call("-go", "hotel.paid.dlq"); {
	case code != 1:
		t.Errorf("code = %v, want 1", code)
	case !strings.Contains(stderr, "could not be removed"):
		t.Errorf("complained = %q, want one containing %q", stderr, "could not be removed")
	case !strings.Contains(stderr, "are redelivered in 5m"):
		t.Errorf("complained = %q, want one containing %q", stderr, "are redelivered in 5m")
	}
	d.topics.Refuse = nil
	d.want([]string{"replayed 0 of 0"}, "-go", "hotel.paid.dlq") // still leased
	d.env.Advance(lease)
	d.want([]string{"replayed 2 of 2"}, "-go", "hotel.paid.dlq")
	if got := eventIDs(d.published.Messages()); len(got) != 4 || !slices.Equal(got[:2], got[2:]) {
		t.Errorf("published %v", got)
	}
}

func TestSend_releasesOnFailure(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	for n := range 2 * batchSize {
		d.topics.Put(paid(t, fmt.Sprint("k", n), 1, n))
	}
	asked := 0
	d.published.Refuse = func(topic.Message) error { asked++; return fault.ErrUnavailable }
	switch code, stdout, stderr := d.call("-go", "hotel.paid.dlq"); {
	case code != 1:
		t.Errorf("code = %v, want 1", code)
	case !strings.Contains(stdout, "replayed 0 of 200"):
		t.Errorf("stdout = %q, want one containing %q", stdout, "replayed 0 of 200")
	case stderr == "":
		t.Errorf(`complained = %q, want other than ""`, stderr)
	}
	check.Equal(t, asked, batchSize, "messages sent to an unavailable bus")
	d.published.Refuse = nil
	d.topics.Refuse = func(verb string) error {
		if verb == "release" {
			return errors.New("nothing to release")
		}
		return nil
	}
	d.want([]string{"replayed 200 of 200"}, "-go", "hotel.paid.dlq") // at once
}

// A run is canceled in the middle: published messages are acknowledged, and the others are released at once.
func TestSend_canceled(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	d.topics.Put(paid(t, "k1", 1, 1), paid(t, "k2", 1, 2))
	ctx, stop := context.WithCancel(t.Context())
	d.ctx = ctx
	d.published.Refuse = func(topic.Message) error { stop(); return nil }
	if code, stdout, _ := d.call("-go", "hotel.paid.dlq"); code != 1 || !strings.Contains(stdout, "replayed 1 of 2") {
		t.Errorf("exit %d, printed %s", code, stdout)
	}
	d.ctx = t.Context()
	d.want([]string{"replayed 1 of 1"}, "-go", "hotel.paid.dlq")
	switch got := d.published.Messages(); {
	case len(got) != 2:
		t.Errorf("len(got) = %v, want 2", len(got))
	case got[0].OrderingKey != "k1":
		t.Errorf(`got[0].OrderingKey = %q, want "k1"`, got[0].OrderingKey)
	case got[1].OrderingKey != "k2":
		t.Errorf(`got[1].OrderingKey = %q, want "k2"`, got[1].OrderingKey)
	}
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	d := newRunner(t)
	unwanted, kept := paid(t, "k1", 1, 1), paid(t, "k2", 1, 2)
	kept.Attributes["melmastoon-parked-reason"] = "contract: /amount: missing"
	d.topics.Put(unwanted, kept)
	selected := []string{"hotel.paid.dlq", "-limit=1"}
	d.want([]string{"would discard " + unwanted.Attributes["ce-id"], "would discard 1 of 2 messages\n"}, append(selected, "-discard")...)
	check.Equal(t, len(d.topics.Left("hotel.paid.dlq")), 2, "messages that a report leaves")
	by := append(selected, "-discard", "-go", "-by=K. Amiri", "-why=the hotel has left")
	d.want([]string{"discarded " + unwanted.Attributes["ce-id"], `by "K. Amiri", because "the hotel has left"`, "discarded 1 of 2 messages\n"}, by...)
	check.Equal(t, len(d.topics.Left("hotel.paid.dlq")), 1, "remaining messages")
	check.Equal(t, len(d.published.Messages()), 0, "messages published")
	d.topics.Refuse = func(verb string) error {
		if verb == "acknowledge" {
			return errors.New("the bus is away")
		}
		return nil
	}
	if code, stdout, _ := d.call(by...); code != 1 || strings.Contains(stdout, "discarded "+kept.Attributes["ce-id"]) {
		t.Errorf("without the bus: exit %d, %s, want 1 and no message discarded", code, stdout)
	}
}

func TestParse_invalid(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		says string
	}{
		{"a replay of everything", []string{"-go"}, "require the names"},
		{"a dry run of everything", []string{"-dry"}, "require the names"},
		{"two things at once", []string{"-dry", "-go", "hotel.paid.dlq"}, "one of"},
		{"a topic that is not there", []string{"-go", "hotel.gone.dlq"}, "hotel.gone.dlq"},
		{"a removal without a name", []string{"-discard", "-go", "-why=x", "hotel.paid.dlq"}, "-by"},
		{"a removal without a reason", []string{"-discard", "-go", "-by=x", "-why= ", "hotel.paid.dlq"}, "-why"},
		{"a removal of everything", []string{"-discard"}, "require the names"},
		{"a removal that is shown", []string{"-discard", "-show=1", "hotel.paid.dlq"}, "neither"},
		{"a negative limit", []string{"-go", "hotel.paid.dlq", "-limit=-1"}, "-limit"},
		{"a flag that does not exist", []string{"-sideways"}, "sideways"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newRunner(t)
			d.topics.Refuse = func(verb string) error { return errors.New("it was asked to " + verb) }
			if code, _, stderr := d.call(test.args...); code != 2 || !strings.Contains(stderr, test.says) {
				t.Errorf("exit %d, %q, want 2 and %q", code, stderr, test.says)
			}
		})
	}
	d := newRunner(t)
	d.topics.Refuse = func(string) error { return errors.New("the bus is away") }
	if code, _, stderr := d.call(); code != 1 || !strings.Contains(stderr, "away") {
		t.Errorf("exit %d, %q", code, stderr)
	}
	d.env = d.env.With("DEAD_LETTERS", "half:an entry")
	if code, _, stderr := d.call(); code != 1 || !strings.Contains(stderr, "DEAD_LETTERS") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}
