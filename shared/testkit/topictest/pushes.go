package topictest

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func isWholeMessage(t *testing.T, r Setup) {
	d := r.Open()
	e := listen(t, always(http.StatusNoContent))
	s := to(e, "orders")
	s.DeadLetter, s.Attempts = "orders.dlq", 5
	subscribe(t, d, s)
	start(t, d)
	publish(t, d, topic.Message{Topic: "orders", OrderingKey: "tenant:1", Data: []byte(`{"a":1}`), Attributes: map[string]string{
		"ce-id": "evt_1", "ce-type": "orders", "content-type": "application/json"}})
	p := e.next()
	check.Equal(t, p.body, `{"a":1}`, "body")
	for name, want := range map[string]string{"Ce-Id": "evt_1", "Ce-Type": "orders", "Content-Type": "application/json",
		"X-Goog-Pubsub-Delivery-Attempt": "1"} {
		t.Run(name, func(t *testing.T) { check.Equal(t, p.header.Get(name), want, "%s", name) })
	}
	if got := p.header.Get("X-Goog-Pubsub-Ordering-Key") + p.header.Get("X-Goog-Ordering-Key"); got != "tenant:1" { // the emulator uses another header
		t.Errorf("got ordering key %q", got)
	}
	if p.header.Get("X-Goog-Pubsub-Message-Id") == "" || p.header.Get("X-Goog-Pubsub-Subscription-Name") == "" {
		t.Errorf("message id or subscription is missing: %v", p.header)
	}
	if _, err := time.Parse(time.RFC3339Nano, p.header.Get("X-Goog-Pubsub-Publish-Time")); err != nil {
		t.Errorf("publish time: %v", err)
	}
}

func carriesToken(t *testing.T, r Setup) {
	d := r.Open()
	e := listen(t, always(http.StatusOK))
	subscribe(t, d, to(e, "orders"))
	start(t, d)
	publish(t, d, text("orders", "", "1"))
	check.Equal(t, e.next().header.Get("Authorization"), "Bearer "+r.Token("https://listener"), "authorization")
}

func filters(t *testing.T, r Setup) {
	d := r.Open()
	e := listen(t, always(http.StatusOK))
	s := to(e, "orders")
	s.Filter = map[string]string{"ce-errorcode": "REPLAYED", "ce-tenant": "t"}
	subscribe(t, d, s)
	start(t, d)
	for i, attributes := range []map[string]string{
		nil, {"ce-errorcode": "REPLAYED"}, {"ce-errorcode": "OTHER", "ce-tenant": "t"},
		{"ce-errorcode": "REPLAYED", "ce-tenant": "t", "more": "x"},
	} {
		publish(t, d, topic.Message{Topic: "orders", OrderingKey: "k", Attributes: attributes, Data: fmt.Append(nil, i)})
	}
	if got := e.next().body; got != "3" {
		t.Errorf("got message %s, want only 3", got)
	}
}

// reachesNoOther publishes a message for each of two subscriptions and then one for both: each must receive only its own.
func reachesNoOther(t *testing.T, r Setup) {
	d := r.Open()
	one, other := listen(t, always(http.StatusOK)), listen(t, always(http.StatusOK))
	first, second := to(one, "orders"), to(other, "orders")
	first.Name, second.Name, second.Filter = "first", "second", map[string]string{"ce-errorcode": "REPLAYED"}
	subscribe(t, d, first, second)
	start(t, d)
	send := func(body, replayTo, code string) {
		publish(t, d, topic.Message{Topic: "orders", OrderingKey: "k", Data: []byte(body),
			Attributes: map[string]string{topic.ReplayTo: replayTo, topic.Replays: "1", "ce-errorcode": code}})
	}
	send("for the first", "first", "REPLAYED")
	send("for the second", "second", "REPLAYED")
	send("for the second, which does not want it", "second", "OTHER")
	publish(t, d, topic.Message{Topic: "orders", OrderingKey: "k", Data: []byte("for both"), Attributes: map[string]string{"ce-errorcode": "REPLAYED"}})
	for name, e := range map[string]*endpoint{"first": one, "second": other} {
		t.Run(name, func(t *testing.T) {
			p := e.next()
			check.Equal(t, p.body, "for the "+name)
			check.Equal(t, p.header.Get(topic.Replays), "1")
			if got := e.next().body; got != "for both" {
				t.Errorf("the %s got %q, want the message for both", name, got)
			}
		})
	}
}

func subscribesFromThenOn(t *testing.T, r Setup) {
	d := r.Open()
	e, other := listen(t, always(http.StatusOK)), listen(t, always(http.StatusOK))
	dropped := to(other, "other")
	subscribe(t, d, dropped)
	publish(t, d, text("orders", "", "before"), text("other", "", "owed to a subscription that is dropped"))
	subscribe(t, d, to(e, "orders"))
	publish(t, d, text("orders", "", "after"), text("other", "", "for nobody"))
	start(t, d)
	if got := e.next().body; got != "after" {
		t.Errorf("got %q, want the message published after subscribing", got)
	}
	subscribe(t, d, to(e, "orders"), dropped)
	publish(t, d, text("other", "", "again"))
	check.Equal(t, other.next().body, "again", "after a deleted subscription")
}

func acknowledges(t *testing.T, r Setup) {
	d := r.Open()
	answers := []int{200, 201, 202, 204, 206, 301, 302, 307, 400, 401, 404, 409, 410, 429, 500, 503} // without 102, which Go servers cannot send as a final status
	acks := []string{"200", "201", "202", "204"}
	var tried sync.Map
	e := listen(t, func(p push) int {
		if _, again := tried.LoadOrStore(p.body, true); again {
			return http.StatusOK
		}
		var status int
		_, _ = fmt.Sscan(p.body, &status)
		return status
	})
	subscribe(t, d, to(e, "orders"))
	start(t, d)
	for _, status := range answers { // one key: each is answered before the next is pushed
		publish(t, d, text("orders", "k", fmt.Sprint(status)))
	}
	var want []string
	for _, status := range answers {
		want = append(want, fmt.Sprint(status))
		if !slices.Contains(acks, fmt.Sprint(status)) {
			want = append(want, fmt.Sprint(status))
		}
	}
	check.Equal(t, e.take(len(want)), want, "pushes")
}

func staysWhereItWasSent(t *testing.T, r Setup) {
	d := r.Open()
	var tried atomic.Bool
	e := listen(t, func(p push) int {
		if !tried.Swap(true) {
			return http.StatusTemporaryRedirect
		}
		return http.StatusOK
	})
	s := to(e, "orders")
	s.DeadLetter, s.Attempts = "dlq", 5
	subscribe(t, d, s)
	start(t, d)
	publish(t, d, text("orders", "k", "1"), text("orders", "k", "2"))
	var got []string
	for range 3 {
		p := e.next()
		got = append(got, p.body+" attempt "+p.header.Get("X-Goog-Pubsub-Delivery-Attempt"))
	}
	check.Equal(t, got, []string{"1 attempt 1", "1 attempt 2", "2 attempt 1"}, "a redirect is a failure")
}
