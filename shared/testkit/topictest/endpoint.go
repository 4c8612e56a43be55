package topictest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// timeout is the time limit for expected events.
const timeout = 20 * time.Second

// A push is a request received by an endpoint.
type push struct {
	header http.Header
	body   string
}

// An endpoint answers pushes and records them in the order of its answers.
type endpoint struct {
	t      testing.TB
	url    string
	pushes chan push
}

// listen starts an endpoint. Answer returns the status for a push.
func listen(t testing.TB, answer func(push) int) *endpoint {
	t.Helper()
	e := &endpoint{t: t, pushes: make(chan push, 10_000)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p := push{r.Header, string(body)}
		status := answer(p)
		e.pushes <- p
		if status/100 == 3 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	e.url = server.URL
	return e
}

func always(status int) func(push) int { return func(push) int { return status } }

// next waits for a push.
func (e *endpoint) next() push {
	e.t.Helper()
	select {
	case p := <-e.pushes:
		return p
	case <-time.After(timeout):
		e.t.Fatalf("no push within %v", timeout)
		return push{}
	}
}

// take waits for n pushes and returns their bodies.
func (e *endpoint) take(n int) []string {
	e.t.Helper()
	var bodies []string
	for range n {
		bodies = append(bodies, e.next().body)
	}
	return bodies
}

// start runs a driver. The returned function stops it and waits for its end.
func start(t testing.TB, d Driver) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	var stopped bool
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-ended:
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("run: %v", err)
			}
		case <-time.After(timeout):
			t.Errorf("run has not ended within %v", timeout)
		}
	}
	t.Cleanup(stop)
	return stop
}

func subscribe(t testing.TB, d Driver, subscriptions ...topic.Subscription) {
	t.Helper()
	check.Must(t, d.Subscribe(t.Context(), subscriptions))
}

func publish(t testing.TB, p topic.Publisher, messages ...topic.Message) {
	t.Helper()
	check.Must(t, errors.Join(p.Publish(t.Context(), messages)...))
}

// to returns a subscription without backoff, for tests that do not depend on time.
func to(e *endpoint, topicName string) topic.Subscription {
	return topic.Subscription{Name: "to-" + topicName, Topic: topicName, Endpoint: e.url + "/push", Audience: "https://listener",
		MinBackoff: time.Millisecond, MaxBackoff: time.Millisecond, AckDeadline: timeout}
}

func text(topicName, key, body string) topic.Message {
	return topic.Message{Topic: topicName, OrderingKey: key, Attributes: map[string]string{"content-type": "text/plain"}, Data: []byte(body)}
}
