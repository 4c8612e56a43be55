package fn_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/topictest"
)

const captured = "melmastoon.payment.transaction.captured.v1"

// money is the part of the payload that the function under test reads.
type money struct {
	Intent id.Intent `json:"paymentIntentId"`
	Amount string    `json:"amountMicro"`
}

var theIntent, theTenant = id.New[id.Intent](), id.New[id.Tenant]()

func payload() map[string]any {
	return map[string]any{
		"tenantId": theTenant.String(), "paymentIntentId": theIntent.String(),
		"reservationId": id.New[id.Reservation]().String(), "method": "card", "provider": "sandbox",
		"amountMicro": "12500000", "currency": "AFN", "capturedAt": "2026-03-01T12:00:00Z",
	}
}

// happened is an event with that payload, on its way.
func happened(t *testing.T, subject string, payload any) event.Raw {
	t.Helper()
	raw, err := event.Draft{
		Subject: event.Subject{Name: subject, Version: 1, Producer: "payment-service", SchemaURI: "https://schemas.melmastoon.io/payment/transaction/captured/v1.json"},
		Tenant:  theTenant, OrderingKey: "k", Payload: payload,
	}.Seal(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), event.Origin{
		RequestID: "req-of-producer", CorrelationID: "story", Session: "ses-1", TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	})
	check.Must(t, err)
	return raw
}

// An eventFixture is an event function with its dead letters and its log.
type eventFixture struct {
	*fntest.Front
	f    fn.Function
	dead *topictest.Memory
	log  *journal
}

func consuming(t *testing.T, s fn.Spec, handle fn.Handle[money]) eventFixture {
	t.Helper()
	s.Name, s.Subject, s.DeadLetter = "test-captured", captured, "test-captured-dlq"
	f := fn.Event(s, func(env.Env) (fn.Handle[money], error) { return handle, nil })
	r := eventFixture{f: f, dead: &topictest.Memory{}, log: &journal{}}
	e, issuer := fntest.Surround(t, env.Of(nil))
	e = observe.LogKey.With(topic.PublisherKey.With(e, r.dead), observe.To(r.log))
	r.Front = fntest.Behind(t, e, issuer, f)
	return r
}

// wrapped is the event in Pub/Sub's own envelope.
func wrapped(t *testing.T, raw event.Raw) string {
	t.Helper()
	data := check.Got(raw.Data()).Must(t)
	body, err := json.Marshal(map[string]any{
		"message":         map[string]any{"data": base64.StdEncoding.EncodeToString(data), "attributes": raw.Attributes(), "messageId": "m-1", "orderingKey": "k"},
		"subscription":    "projects/p/subscriptions/s",
		"deliveryAttempt": 3,
	})
	check.Must(t, err)
	return string(body)
}

func TestEvent_allForms(t *testing.T) {
	t.Parallel()
	var received []event.Event[money]
	fixture := consuming(t, fn.Spec{}, func(_ context.Context, e event.Event[money]) error {
		received = append(received, e)
		return nil
	})
	raw := happened(t, captured, payload())
	structured := check.Got(raw.Structured()).Must(t)
	const path = "/internal/events/test-captured"
	for form, a := range map[string]fntest.Answer{
		"unwrapped":  fixture.Push(fixture.f, raw),
		"wrapped":    fixture.Post(path, wrapped(t, raw)),
		"structured": fixture.Post(path, string(structured), "Content-Type", "application/cloudevents+json"),
	} {
		t.Run(form, func(t *testing.T) { check.Equal(t, a.Status, 204, "%s", a.Body) })
	}
	check.MustEqual(t, len(received), 3, "received")
	for i, e := range received {
		switch {
		case e.Payload != (money{theIntent, "12500000"}):
			t.Errorf("%d: e.Payload = %v, want %v", i, e.Payload, (money{theIntent, "12500000"}))
		case e.Envelope.EventID != raw.Envelope.EventID:
			t.Errorf("%d: e.Envelope.EventID = %v, want %v", i, e.Envelope.EventID, raw.Envelope.EventID)
		case e.Delivery.Processor != "test-captured":
			t.Errorf(`%d: e.Delivery.Processor = %q, want "test-captured"`, i, e.Delivery.Processor)
		}
	}
	check.Equal(t, received[0].Delivery.Attempt, 1, "attempts")
	check.Equal(t, received[1].Delivery.Attempt, 3, "attempts")
}

func TestEvent_pushToken(t *testing.T) {
	t.Parallel()
	fixture := consuming(t, fn.Spec{}, func(context.Context, event.Event[money]) error {
		t.Error("received it")
		return nil
	})
	raw := happened(t, captured, payload())
	for _, token := range []string{"", "garbage"} {
		t.Run(fmt.Sprintf("%q", token), func(t *testing.T) {
			if a := fixture.As(token).Push(fixture.f, raw); a.Status != 401 {
				t.Errorf("%q: got %d", token, a.Status)
			}
		})
	}
	staff := check.Got(fixture.Issuer().Staff(identity.Audience("test"), "usr_1", id.New[id.Tenant](), nil, "manager")).Must(t)
	fixture.As(staff).Push(fixture.f, raw).Want(t, 401)
	check.Equal(t, len(fixture.dead.Messages()), 0, "dead letters")
}

func TestEvent_permanentFailure(t *testing.T) {
	t.Parallel()
	broken, extra, foreign := payload(), payload(), payload()
	broken["amountMicro"] = "-5"
	foreign["tenantId"] = id.New[id.Tenant]().String()
	extra["more"] = "than we know"
	for _, test := range []struct {
		name   string
		push   func(t *testing.T, r eventFixture) fntest.Answer
		err    error
		reason string // empty: it is not parked
	}{
		{"parked by the act", func(t *testing.T, r eventFixture) fntest.Answer { return r.Push(r.f, happened(t, captured, payload())) },
			fn.DeadLetter(fmt.Errorf("reservations: %w", fault.ErrNotFound)), "reservations: GENERAL.RESOURCE_NOT_FOUND"},
		{"a payload against its schema", func(t *testing.T, r eventFixture) fntest.Answer { return r.Push(r.f, happened(t, captured, broken)) }, nil, "/amountMicro"},
		{"a payload of another tenant", func(t *testing.T, r eventFixture) fntest.Answer { return r.Push(r.f, happened(t, captured, foreign)) }, nil, "different tenants"},
		{"another subject", func(t *testing.T, r eventFixture) fntest.Answer {
			return r.Push(r.f, happened(t, "melmastoon.payment.transaction.failed.v1", payload()))
		}, nil, "unexpected event melmastoon.payment.transaction.failed.v1"},
		{"no event at all", func(t *testing.T, r eventFixture) fntest.Answer { return r.Post("/internal/events/test-captured", "{") }, nil, "event:"},
		{"a member that is new", func(t *testing.T, r eventFixture) fntest.Answer { return r.Push(r.f, happened(t, captured, extra)) }, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fixture := consuming(t, fn.Spec{}, func(context.Context, event.Event[money]) error { return test.err })
			if a := test.push(t, fixture); a.Status != 204 {
				t.Fatalf("got %d %s", a.Status, a.Body)
			}
			fixture.expectParked(t, test.reason)
		})
	}
}

func (r eventFixture) expectParked(t *testing.T, reason string) {
	t.Helper()
	dead := r.dead.Messages()
	line, _ := r.log.only(t)
	logged, _ := line["parked"].(string)
	if reason == "" {
		check.Equal(t, len(dead), 0, "it was parked")
		check.Equal(t, logged, "", "it was parked")
		return
	}
	switch {
	case len(dead) != 1:
		t.Fatalf("dead letters: len(dead) = %v, want 1", len(dead))
	case dead[0].Topic != "test-captured-dlq":
		t.Fatalf(`dead letters: dead[0].Topic = %q, want "test-captured-dlq"`, dead[0].Topic)
	case len(dead[0].Data) == 0:
		t.Fatalf("dead letters: len(dead[0].Data) = %v, want other than 0", len(dead[0].Data))
	}
	a := dead[0].Attributes
	check.Equal(t, a["melmastoon-parked-by"], "test-captured")
	check.Contains(t, a["melmastoon-parked-reason"], reason)
	check.Contains(t, logged, reason)
	check.Equal(t, line["severity"], "ERROR")
}

func TestEvent_deadLetterReadable(t *testing.T) {
	t.Parallel()
	fixture := consuming(t, fn.Spec{}, func(context.Context, event.Event[money]) error { return fn.DeadLetter(errors.New("a\nb ü")) })
	raw := happened(t, captured, payload())
	raw.Extensions = event.Extensions{event.ReplayTo: "test-captured", event.Replays: "2"}
	fixture.Push(fixture.f, raw)
	dead := fixture.dead.Messages()
	check.MustEqual(t, len(dead), 1, "dead letters")
	data := check.Got(raw.Data()).Must(t)
	switch got := dead[0]; {
	case string(got.Data) != string(data):
		t.Errorf("string(got.Data) = %v, want %v", string(got.Data), string(data))
	case got.Attributes["ce-id"] != raw.Envelope.EventID.String():
		t.Errorf(`got.Attributes["ce-id"] = %v, want %v`, got.Attributes["ce-id"], raw.Envelope.EventID.String())
	case got.Attributes["melmastoon-parked-attempt"] != "1":
		t.Errorf(`got.Attributes["melmastoon-parked-attempt"] = %q, want "1"`, got.Attributes["melmastoon-parked-attempt"])
	case got.Attributes[topic.Replays] != "2":
		t.Errorf(`got.Attributes[topic.Replays] = %q, want "2"`, got.Attributes[topic.Replays])
	}
}

// A message that no topic accepts would be delivered for ever.
func TestEvent_deadLetterTooLarge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, body string
		size       string
		hash       bool
	}{
		{"larger than a topic accepts", strings.Repeat("a", 10_000_301), "10000301", true},
		{"larger than a function reads", strings.Repeat("a", 10<<20+1), "more than 10485760", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fixture := consuming(t, fn.Spec{}, func(context.Context, event.Event[money]) error { return nil })
			a := fixture.Post("/internal/events/test-captured", test.body, "Content-Type", "application/json", "Ce-Id", "evt_1")
			dead := fixture.dead.Messages()
			if a.Status != 204 || len(dead) != 1 {
				t.Fatalf("status = %d with %d dead letters, want 204 with one: %s", a.Status, len(dead), a.Body)
			}
			got := dead[0].Attributes
			if n := len(dead[0].Data); n != 0 {
				t.Errorf("the dead letter has %d bytes", n)
			}
			if got[fn.DeadLetterReason] == "" || got["ce-id"] != "evt_1" {
				t.Errorf("the dead letter has the attributes %v", got)
			}
			check.Equal(t, got[fn.DeadLetterSize], test.size)
			check.Equal(t, len(got[fn.DeadLetterHash]) == 64, test.hash)
		})
	}
}

func TestEvent_deadLetterFails(t *testing.T) {
	t.Parallel()
	fixture := consuming(t, fn.Spec{}, func(context.Context, event.Event[money]) error { return fn.DeadLetter(errSecret) })
	fixture.dead.Refuse = func(topic.Message) error { return errors.New("no topic") }
	fixture.Push(fixture.f, happened(t, captured, payload())).Want(t, 500)
}

func TestEvent_failure(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want int
	}{
		{err: errSecret, want: 500},
		{err: fault.ErrUnavailable, want: 503},
		{err: fault.ErrUpstreamUnavailable, want: 503},
		{err: fault.ErrVersionConflict, want: 500},
	} {
		t.Run(test.err.Error(), func(t *testing.T) {
			fixture := consuming(t, fn.Spec{}, func(context.Context, event.Event[money]) error { return test.err })
			if a := fixture.Push(fixture.f, happened(t, captured, payload())); a.Status != test.want || len(fixture.dead.Messages()) != 0 {
				t.Errorf("got %d %s and %d dead letters, want %d and 0", a.Status, a.Body, len(fixture.dead.Messages()), test.want)
			}
		})
	}
}

// The last attempt dead-letters the event with its cause and logs an error; an earlier one does not.
func TestEvent_givenUp(t *testing.T) {
	t.Parallel()
	for attempt, status := range map[int]int{1: 503, 4: 503, 5: 204, 6: 204} {
		t.Run(fmt.Sprint("attempt ", attempt), func(t *testing.T) {
			t.Parallel()
			fixture := consuming(t, fn.Spec{Attempts: 5}, func(context.Context, event.Event[money]) error {
				return fault.ErrUnavailable.Because(errors.New("canceling statement (SQLSTATE 57014)"))
			})
			raw := happened(t, captured, payload())
			raw.Delivery.Attempt = attempt
			fixture.Push(fixture.f, raw).Want(t, status)
			letters := fixture.dead.Messages()
			line, _ := fixture.log.only(t)
			if gaveUp := line["severity"] == "ERROR"; gaveUp != (status == 204) || gaveUp != (len(letters) == 1) {
				t.Fatalf("severity = %v with %d dead letters, want both exactly after the last attempt", line["severity"], len(letters))
			}
			for _, letter := range letters {
				want := fmt.Sprintf("given up after %d attempts: ", attempt)
				if reason := letter.Attributes[fn.DeadLetterReason]; !strings.HasPrefix(reason, want) || !strings.HasSuffix(reason, "(SQLSTATE 57014)") {
					t.Errorf("reason = %q, want %q with the cause", reason, want)
				}
			}
		})
	}
}

func TestEvent_outsideFilter(t *testing.T) {
	t.Parallel()
	raw := happened(t, captured, payload())
	raw.Extensions = event.Extensions{"errorcode": "MELMASTOON.X"}
	structured := check.Got(raw.Structured()).Must(t)
	for _, test := range []struct {
		name   string
		filter map[string]string
		want   bool
	}{
		{"by what the envelope says", map[string]string{"ce-partitionkey": "k", "ce-type": captured}, true},
		{"by an extension", map[string]string{"ce-errorcode": "MELMASTOON.X"}, true},
		{"by another key", map[string]string{"ce-partitionkey": "other"}, false},
		{"by another value of the extension", map[string]string{"ce-errorcode": "MELMASTOON.Y"}, false},
		{"by one of two", map[string]string{"ce-errorcode": "MELMASTOON.X", "ce-partitionkey": "other"}, false},
		{"by what it does not have", map[string]string{"ce-hint": "x"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			received := 0
			fixture := consuming(t, fn.Spec{Filter: test.filter}, func(context.Context, event.Event[money]) error { received++; return nil })
			const path = "/internal/events/test-captured"
			for form, a := range map[string]fntest.Answer{
				"unwrapped":  fixture.Push(fixture.f, raw),
				"wrapped":    fixture.Post(path, wrapped(t, raw)),
				"structured": fixture.Post(path, string(structured), "Content-Type", "application/cloudevents+json"),
			} {
				t.Run(form, func(t *testing.T) { check.Equal(t, a.Status, 204, "%s, %s", test.name, form) })
			}
			if want := map[bool]int{true: 3}[test.want]; received != want {
				t.Errorf("received %d of its three forms, want %d", received, want)
			}
		})
	}
}

func TestEvent_replayForAnother(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]int{"test-captured": 1, "test-another": 0} {
		t.Run(to, func(t *testing.T) {
			received := 0
			fixture := consuming(t, fn.Spec{}, func(context.Context, event.Event[money]) error { received++; return nil })
			raw := happened(t, captured, payload())
			raw.Extensions = event.Extensions{event.ReplayTo: to, event.Replays: "1"}
			if a := fixture.Push(fixture.f, raw); a.Status != 204 || received != want {
				t.Errorf("to %s: got %d, received %d times, want %d", to, a.Status, received, want)
			}
		})
	}
}

func TestEvent_isOriginOfAppendedEvents(t *testing.T) {
	t.Parallel()
	var got event.Origin
	fixture := consuming(t, fn.Spec{}, func(ctx context.Context, _ event.Event[money]) error {
		got = event.OriginOf(ctx)
		return nil
	})
	raw := happened(t, captured, payload())
	fixture.Push(fixture.f, raw)
	switch {
	case got.CausationID == nil:
		t.Errorf("got.CausationID = nil, want a value")
	case *got.CausationID != raw.Envelope.EventID:
		t.Errorf("*got.CausationID = %v, want %v", *got.CausationID, raw.Envelope.EventID)
	case got.CorrelationID != "story":
		t.Errorf(`got.CorrelationID = %q, want "story"`, got.CorrelationID)
	case got.Session != "ses-1":
		t.Errorf(`got.Session = %q, want "ses-1"`, got.Session)
	}
	if !strings.HasPrefix(got.TraceParent, "00-0af7651916cd43dd8448eb211c80319c-") || strings.Contains(got.TraceParent, "b7ad6b7169203331") {
		t.Errorf("trace: got %s", got.TraceParent)
	}
	line, _ := fixture.log.only(t)
	switch {
	case line["eventId"] != raw.Envelope.EventID.String():
		t.Errorf(`line["eventId"] = %v, want %v`, line["eventId"], raw.Envelope.EventID.String())
	case line["subject"] != captured:
		t.Errorf(`line["subject"] = %v, want %v`, line["subject"], captured)
	case line["tenant"] != raw.Envelope.TenantID.String():
		t.Errorf(`line["tenant"] = %v, want %v`, line["tenant"], raw.Envelope.TenantID.String())
	case line["attempt"] != float64(1):
		t.Errorf(`line["attempt"] = %v, want %v`, line["attempt"], float64(1))
	case line["logging.googleapis.com/trace"] != "0af7651916cd43dd8448eb211c80319c":
		t.Errorf(`line["logging.googleapis.com/trace"] = %q, want "0af7651916cd43dd8448eb211c80319c"`, line["logging.googleapis.com/trace"])
	}
}

func TestEvent_pushPath(t *testing.T) {
	t.Parallel()
	f := fn.Event(fn.Spec{Name: "test-captured", Subject: captured, DeadLetter: "dlq", Attempts: 5, Filter: map[string]string{"a": "b"}},
		func(env.Env) (fn.Handle[money], error) { return nil, nil })
	s := f.Subscription("http://127.0.0.1:8080")
	switch {
	case s.Name != "test-captured":
		t.Errorf(`s.Name = %q, want "test-captured"`, s.Name)
	case s.Topic != captured:
		t.Errorf("s.Topic = %v, want %v", s.Topic, captured)
	case s.Endpoint != "http://127.0.0.1:8080/internal/events/test-captured":
		t.Errorf(`s.Endpoint = %q, want "http://127.0.0.1:8080/internal/events/test-captured"`, s.Endpoint)
	case s.Audience != "https://test.melmastoon.ghasi.io":
		t.Errorf(`s.Audience = %q, want "https://test.melmastoon.ghasi.io"`, s.Audience)
	case s.DeadLetter != "dlq":
		t.Errorf(`s.DeadLetter = %q, want "dlq"`, s.DeadLetter)
	case s.Attempts != 5:
		t.Errorf("s.Attempts = %v, want 5", s.Attempts)
	case s.Filter["a"] != "b":
		t.Errorf(`s.Filter["a"] = %q, want "b"`, s.Filter["a"])
	}
}
