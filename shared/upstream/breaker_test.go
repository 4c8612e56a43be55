package upstream_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/upstream"
)

// A wire is a transport without a network, so that time in a test is the bubble's.
type wire func(*http.Request) (*http.Response, error)

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

func answer(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// A far side counts what it was sent and answers what it is told to.
type far struct {
	sent int
	say  func(*http.Request) (*http.Response, error)
}

func (f *far) client(p upstream.Policy) *upstream.Client {
	e := env.Of(map[string]string{"UPSTREAM_PRICING_URL": "http://pricing"})
	e = env.Give[http.RoundTripper](e, wire(func(r *http.Request) (*http.Response, error) {
		f.sent++
		return f.say(r)
	}))
	return upstream.Open(e, "pricing", p)
}

func well(*http.Request) (*http.Response, error) { return answer(204, ""), nil }
func ill(*http.Request) (*http.Response, error)  { return answer(500, ""), nil }

// hung answers when its caller gives up.
func hung(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestFiveFailuresInARowOpenTheBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &far{say: ill}
		c := f.client(upstream.Policy{Timeout: time.Second})
		call := func() error { return c.Get(t.Context(), "/a", nil, nil) }
		for range 4 {
			_ = call()
		}
		f.say = well
		if err := call(); err != nil { // four do not
			t.Fatal(err)
		}
		f.say = ill
		for range 8 {
			_ = call()
		}
		if f.sent != 10 {
			t.Errorf("sent %d, want 10: five failures in a row, and nothing after them", f.sent)
		}
		if err := call(); !errors.Is(err, fault.ErrUpstreamUnavailable) {
			t.Errorf("open: got %v", err)
		}
	})
}

func TestAnOpenBreakerProbesWithOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &far{say: ill}
		c := f.client(upstream.Policy{Timeout: time.Second})
		call := func() error { return c.Get(t.Context(), "/a", nil, nil) }
		for range 5 {
			_ = call()
		}
		time.Sleep(3999 * time.Millisecond)
		_ = call()
		if f.sent != 5 {
			t.Errorf("probed too early: sent %d", f.sent)
		}
		time.Sleep(2 * time.Millisecond)
		f.say = hung
		probe := make(chan error)
		go func() { probe <- call() }()
		synctest.Wait()
		if err := call(); err == nil || f.sent != 6 {
			t.Errorf("while one probes, another went through: %v, sent %d", err, f.sent)
		}
		if err := <-probe; err == nil {
			t.Error("the probe hung, yet succeeded")
		}
		time.Sleep(4001 * time.Millisecond)
		f.say = well
		if err := errors.Join(call(), call()); err != nil || f.sent != 8 {
			t.Errorf("recovered: got %v, sent %d", err, f.sent)
		}
	})
}

func TestACallerWhoLeavesSaysNothingOfTheService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &far{say: hung}
		c := f.client(upstream.Policy{Timeout: time.Minute})
		for range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)
			_ = c.Get(ctx, "/a", nil, nil)
		}
		f.say = well
		if err := c.Get(t.Context(), "/a", nil, nil); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

// Whoever has spent their time elsewhere must not close a service to all others. One that takes half of what calls are given is ill.
func TestACallerWithoutMuchTimeSaysNothingOfTheService(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		left time.Duration
		sent int
	}{
		"with less than half of the time": {499 * time.Millisecond, 10},
		"with half of it":                 {500 * time.Millisecond, 5},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &far{say: hung}
			c := f.client(upstream.Policy{Timeout: time.Second})
			for range 10 {
				ctx, cancel := context.WithTimeout(t.Context(), test.left)
				if err := c.Get(ctx, "/a", nil, nil); !errors.Is(err, fault.ErrUpstreamUnavailable) {
					t.Errorf("%s: got %v", name, err)
				}
				cancel()
			}
			if f.sent != test.sent {
				t.Errorf("%s: sent %d, want %d", name, f.sent, test.sent)
			}
		})
	}
}

func TestClientsOfOneServiceShareItsBreaker(t *testing.T) {
	t.Parallel()
	e := env.Of(map[string]string{"UPSTREAM_PRICING_URL": "http://pricing", "UPSTREAM_INVENTORY_URL": "http://inventory"})
	sent := 0
	e = env.Give[http.RoundTripper](e, wire(func(*http.Request) (*http.Response, error) {
		sent++
		return answer(500, ""), nil
	}))
	for range 8 {
		_ = upstream.Open(e, "pricing", patient).Get(t.Context(), "/a", nil, nil)
	}
	if sent != 5 {
		t.Errorf("sent %d, want 5", sent)
	}
	_ = upstream.Open(e, "inventory", patient).Get(t.Context(), "/a", nil, nil)
	if sent != 6 {
		t.Error("another service suffers with it")
	}
}
