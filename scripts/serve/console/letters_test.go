package console

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// readable returns a message with an event, and the id of the event. With a subscription, the message is a replay to it.
func readable(t *testing.T, seq int64, subscription string) (bus.Stored, string) {
	t.Helper()
	raw, err := event.Draft{
		Subject: event.Subject{Name: "melmastoon.test.captured.v1", Version: 1, Producer: "test-service", SchemaURI: "https://schemas.melmastoon.io/test.json"},
		Tenant:  id.New[id.Tenant](), OrderingKey: "k", Payload: map[string]any{},
	}.Seal(time.Now(), event.Origin{RequestID: "req"})
	if err != nil {
		t.Fatal(err)
	}
	data, err := raw.Data()
	if err != nil {
		t.Fatal(err)
	}
	attributes := raw.Attributes()
	if subscription != "" {
		attributes[topic.ReplayTo] = subscription
	}
	return bus.Stored{Seq: seq, Message: topic.Message{Topic: raw.Envelope.Subject, Attributes: attributes, Data: data}}, raw.Envelope.EventID.String()
}

// growing is a bus whose messages grow.
type growing struct{ stored }

// A replay shows what became of the replayed events, and no other calls of their function.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	f := fn.Function{Spec: fn.Spec{Name: "test-captured", Subject: "melmastoon.test.captured.v1", DeadLetter: "dead"}}
	subscription := f.Subscription("").Name
	earlier, earlierID := readable(t, 1, subscription)
	good, goodID := readable(t, 2, subscription)
	bad, badID := readable(t, 3, subscription)
	other, otherID := readable(t, 4, "")
	lost, lostID := readable(t, 5, subscription)
	unreadable := bus.Stored{Seq: 6, Message: topic.Message{Topic: "melmastoon.test.captured.v1", Attributes: map[string]string{topic.ReplayTo: subscription}}}
	messages := &growing{stored{earlier}}
	calls := &Calls{}
	call := func(event string, status int) {
		c := Call{booking.LoggedCall{Time: time.Now().Add(time.Minute), Function: f.Spec.Name, Event: event}}
		c.HTTP.Status = status
		calls.add(c)
	}
	c := New(t.Context(), Config{Env: env.Of(nil), Functions: []fn.Function{f}, Messages: messages, Calls: calls, Jobs: Jobs{
		Listeners: func([]topic.Subscription) string { return "" },
		Replay: func(context.Context, env.Env, []string, io.Writer) error {
			messages.stored = append(messages.stored, good, bad, other, lost, unreadable)
			for event, status := range map[string]int{goodID: 204, badID: 500, otherID: 204, earlierID: 204, "": 204} {
				call(event, status)
			}
			return nil
		},
	}})
	t.Cleanup(c.Wait)
	var out strings.Builder
	run := func(act string) string {
		_, do, err := c.actOnDeadLetters(&http.Request{Method: http.MethodPost, PostForm: url.Values{"act": {act}, "topic": {"dead"}}})
		if err != nil {
			t.Fatal(err)
		}
		out.Reset()
		if err := do(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	got := run("replay")
	for _, want := range []string{
		"outcome of " + goodID + " at test-captured: consumed",
		"outcome of " + badID + " at test-captured: failed with 500",
		"outcome of " + lostID + " unknown",
		"outcome of an unreadable event at test-captured: consumed",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("got %s, want %q in it once", got, want)
		}
	}
	for _, foreign := range []string{earlierID, otherID} {
		if strings.Contains(got, foreign) {
			t.Errorf("got %s, want nothing about %s, which was not replayed", got, foreign)
		}
	}
	if got := run("dry"); got != "" {
		t.Errorf("a dry run printed outcomes: %s", got)
	}
}
