package topictest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// backsOff checks that no retry is too early: a probe message, which is pushed immediately, must arrive first.
func backsOff(t *testing.T, r Setup) {
	d := r.Open()
	e := listen(t, func(p push) int {
		if p.body == "probe" {
			return http.StatusOK
		}
		return http.StatusTooManyRequests
	})
	s := to(e, "orders")
	s.MinBackoff, s.MaxBackoff = time.Minute, 3*time.Minute
	s.DeadLetter, s.Attempts = "dlq", 50
	subscribe(t, d, s)
	start(t, d)
	probe := func() string {
		publish(t, d, text("orders", "", "probe"))
		p := e.next()
		return p.body + " " + p.header.Get("X-Goog-Pubsub-Delivery-Attempt")
	}
	publish(t, d, text("orders", "k", "message"))
	e.next()
	r.Settled(t) // the backoff starts when the failure is stored
	for i, wait := range []time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute, 3 * time.Minute} {
		check.MustEqual(t, probe(), "probe 1", "before any time had passed")
		r.Advance(wait - 30*time.Second)
		check.MustEqual(t, probe(), "probe 1", "%v too early", 30*time.Second)
		r.Advance(time.Minute)
		p := e.next()
		check.MustEqual(t, p.body+" "+p.header.Get("X-Goog-Pubsub-Delivery-Attempt"), fmt.Sprint("message ", i+2), "after %v", wait)
		r.Settled(t)
	}
}

func keepsDeadline(t *testing.T, r Setup) {
	d := r.Open()
	slow := make(chan struct{})
	var tried atomic.Bool
	e := listen(t, func(p push) int {
		if !tried.Swap(true) {
			<-slow
		}
		return http.StatusOK
	})
	s := to(e, "orders")
	s.AckDeadline = 200 * time.Millisecond
	subscribe(t, d, s)
	start(t, d)
	publish(t, d, text("orders", "k", "message"))
	if got := e.next().body; got != "message" { // the second push: the first still hangs
		t.Errorf("got %q", got)
	}
	close(slow)
}

func deadLettersAfterAttempts(t *testing.T, r Setup) {
	const attempts = 5
	d := r.Open()
	e := listen(t, func(p push) int {
		if p.body == "poison" {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	dead := listen(t, always(http.StatusOK))
	s := to(e, "orders")
	s.DeadLetter, s.Attempts = "orders.dlq", attempts
	subscribe(t, d, s, to(dead, "orders.dlq"))
	start(t, d)
	publish(t, d, text("orders", "k", "poison"), text("orders", "k", "after"))
	var got, want, ids []string
	for range attempts + 1 {
		p := e.next()
		got = append(got, p.body+" "+p.header.Get("X-Goog-Pubsub-Delivery-Attempt"))
		ids = append(ids, p.header.Get("X-Goog-Pubsub-Message-Id"))
	}
	for n := range attempts {
		want = append(want, fmt.Sprint("poison ", n+1))
	}
	if want = append(want, "after 1"); !slices.Equal(got, want) {
		t.Errorf("got pushes %v, want %v", got, want)
	}
	final := dead.next()
	check.Equal(t, final.body, "poison", "dead-lettered message")
	check.Equal(t, final.header.Get("Content-Type"), "text/plain", "dead-lettered message")
	if id := final.header.Get("X-Goog-Pubsub-Message-Id"); id == "" || slices.Contains(ids, id) {
		t.Errorf("dead-lettered message: got message id %q, want a new one", id)
	}
	source := final.header.Get("CloudPubSubDeadLetterSourceSubscription")
	if count := final.header.Get("CloudPubSubDeadLetterSourceDeliveryCount"); count != fmt.Sprint(attempts) || !strings.HasSuffix(source, s.Name) {
		t.Errorf("dead-lettered message: got source %q and %q attempts", source, count)
	}
}

func survivesRestart(t *testing.T, r Setup) {
	first := r.Open()
	var up atomic.Bool
	e := listen(t, func(push) int {
		if !up.Load() {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	subscribe(t, first, to(e, "orders"))
	publish(t, first, text("orders", "k", "1"), text("orders", "k", "2"))
	stop := start(t, first)
	e.next()
	stop()
	for len(e.pushes) > 0 {
		<-e.pushes
	}
	up.Store(true)
	second := r.Open()
	publish(t, second, text("orders", "k", "3"))
	start(t, second)
	check.Equal(t, e.take(3), []string{"1", "2", "3"}, "pushes after the restart")
}
