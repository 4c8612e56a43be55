package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A wire is a transport without a network, so that time in a test is the bubble's.
type wire func(*http.Request) (*http.Response, error)

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

func answer(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// A far is a fake service that counts its requests and returns the configured answers.
type far struct {
	sent int
	say  func(*http.Request) (*http.Response, error)
}

func (f *far) client(p upstream.Policy) *upstream.Client {
	e := env.Of(map[string]string{"UPSTREAM_PRICING_URL": "http://pricing"})
	e = upstream.TransportKey.With(e, wire(func(r *http.Request) (*http.Response, error) {
		f.sent++
		return f.say(r)
	}))
	return upstream.Open(e, "pricing", p)
}

func well(*http.Request) (*http.Response, error)    { return answer(204, ""), nil }
func failing(*http.Request) (*http.Response, error) { return answer(500, ""), nil }

// hung answers when its caller gives up.
func hung(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// problem is an answer that explains itself.
func problem(status int, code string) *http.Response {
	a := answer(status, `{"code":"MELMASTOON.`+code+`"}`)
	a.Header.Set("Content-Type", "application/problem+json")
	return a
}

// as is the context of a call by that caller.
func as(ctx context.Context, caller string) context.Context {
	return event.WithOrigin(ctx, event.Origin{Caller: caller})
}

// ask asks once for something, as a caller.
func ask(t *testing.T, c *upstream.Client, caller, argument string) error {
	t.Helper()
	return c.Get(as(t.Context(), caller), "/"+argument, nil, nil)
}

// callAll makes one call for each of n callers, each with another argument.
func callAll(t *testing.T, c *upstream.Client, n int) {
	t.Helper()
	for i := range n {
		_ = ask(t, c, fmt.Sprint("caller ", i), fmt.Sprint("argument/", i))
	}
}

func TestBreaker_opens(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		callers, arguments int // callers with failing calls, and the number of arguments
		times              int // each calls
		others             int // are served meanwhile
		pause              time.Duration
		open               bool
	}{
		"several callers and arguments":            {callers: 5, arguments: 5, times: 1, open: true},
		"one caller with any argument":             {callers: 1, arguments: 1000, times: 1000},
		"few callers":                              {callers: 4, arguments: 100, times: 100},
		"any callers with one argument":            {callers: 100, arguments: 1, times: 3},
		"several callers with few arguments":       {callers: 100, arguments: 2, times: 3},
		"half of the callers":                      {callers: 50, arguments: 50, times: 1, others: 50, open: true},
		"less than half of the callers":            {callers: 50, arguments: 50, times: 10, others: 51},
		"more callers than are remembered":         {callers: 3000, arguments: 3000, times: 1, open: true},
		"failures that are older than the window":  {callers: 5, arguments: 5, times: 1, pause: 3 * time.Second},
		"failures that are within the same window": {callers: 5, arguments: 5, times: 1, pause: time.Second, open: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &far{say: well}
				c := f.client(upstream.Policy{Timeout: time.Second})
				for i := range test.others {
					_ = ask(t, c, fmt.Sprint("other ", i), "any")
				}
				f.say = failing
				for i := range max(test.callers*test.times, test.arguments) {
					time.Sleep(test.pause)
					_ = ask(t, c, fmt.Sprint("caller ", i%test.callers), fmt.Sprint("argument ", i%test.arguments))
				}
				f.say = well
				if err := ask(t, c, "another caller", "any"); (err != nil) != test.open {
					t.Errorf("another caller got %v, want the breaker open: %v", err, test.open)
				}
			})
		})
	}
}

func TestBreaker_countsNoAnswerToBadInput(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]func() *http.Response{
		"an explained refusal":      func() *http.Response { return problem(400, "GENERAL.VALIDATION_FAILED") },
		"a 404 without a problem":   func() *http.Response { return answer(404, "") },
		"a 400 of something else":   func() *http.Response { return answer(400, "<html>") },
		"a token that is not liked": func() *http.Response { return problem(401, "GENERAL.UNAUTHENTICATED") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &far{say: func(*http.Request) (*http.Response, error) { return say(), nil }}
			c := f.client(patient)
			callAll(t, c, 100)
			if f.sent != 100 {
				t.Errorf("sent %d of 100", f.sent)
			}
		})
	}
}

func TestBreaker_probes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &far{say: failing}
		c := f.client(upstream.Policy{Timeout: time.Second})
		callAll(t, c, 5)
		time.Sleep(999 * time.Millisecond)
		if err := ask(t, c, "early", "any"); !errors.Is(err, fault.ErrUpstreamUnavailable) || f.sent != 5 {
			t.Errorf("open: got %v, sent %d", err, f.sent)
		}
		time.Sleep(time.Millisecond)
		for range 50 { // a caller whose calls always fail
			_ = ask(t, c, "stranger", "bad")
		}
		if f.sent != 6 {
			t.Errorf("one caller probed %d times, want 1", f.sent-5)
		}
		callAll(t, c, 50)
		if f.sent != 8 {
			t.Errorf("sent %d probes, want 3 of different callers", f.sent-5)
		}
		time.Sleep(time.Second)
		_ = ask(t, c, "stranger", "bad")
		f.say = well
		if err := errors.Join(ask(t, c, "guest", "any"), ask(t, c, "guest", "any"), ask(t, c, "stranger", "any")); err != nil {
			t.Errorf("after a probe that succeeded: %v", err)
		}
		f.say = failing
		_ = ask(t, c, "stranger", "bad")
		f.say = well
		check.NoError(t, ask(t, c, "guest", "any"), "one failure opened it again")
	})
}

func TestBreaker_ignoresCallersWhoLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &far{say: hung}
		c := f.client(upstream.Policy{Timeout: time.Minute})
		for i := range 10 {
			ctx, cancel := context.WithCancel(as(t.Context(), fmt.Sprint("caller ", i)))
			time.AfterFunc(time.Millisecond, cancel)
			_ = c.Get(ctx, fmt.Sprint("/", i), nil, nil)
		}
		f.say = well
		check.NoError(t, c.Get(t.Context(), "/a", nil, nil))
	})
}

// A caller that has used up its time elsewhere must not open the breaker for others. A service that takes half of a call's
// timeout is failing.
func TestBreaker_ignoresCallersWithoutMuchTime(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		left time.Duration
		sent int
	}{
		"less than half of the time": {499 * time.Millisecond, 10},
		"half of it":                 {500 * time.Millisecond, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &far{say: hung}
				c := f.client(upstream.Policy{Timeout: time.Second})
				for i := range 10 {
					ctx, cancel := context.WithTimeout(as(t.Context(), fmt.Sprint("caller ", i)), test.left)
					check.Error(t, c.Get(ctx, fmt.Sprint("/", i), nil, nil), fault.ErrUpstreamUnavailable)
					cancel()
				}
				check.Equal(t, f.sent, test.sent, "sent")
			})
		})
	}
}

func TestBreaker_isSharedByTheClientsOfOneService(t *testing.T) {
	t.Parallel()
	e := env.Of(map[string]string{"UPSTREAM_PRICING_URL": "http://pricing", "UPSTREAM_INVENTORY_URL": "http://inventory"})
	sent := 0
	e = upstream.TransportKey.With(e, wire(func(*http.Request) (*http.Response, error) {
		sent++
		return answer(500, ""), nil
	}))
	for i := range 8 {
		_ = ask(t, upstream.Open(e, "pricing", patient), fmt.Sprint("caller ", i), fmt.Sprint(i))
	}
	check.Equal(t, sent, 5)
	_ = ask(t, upstream.Open(e, "inventory", patient), "caller", "any")
	check.Equal(t, sent, 6, "the breaker of another service opened too")
}

// Sweeps and events without a tenant have no caller that could provoke failures.
func TestBreaker_opensWithoutCallers(t *testing.T) {
	t.Parallel()
	f := &far{say: failing}
	c := f.client(patient)
	for i := range 20 {
		_ = ask(t, c, "", fmt.Sprint(i))
	}
	check.Equal(t, f.sent, 5, "sent")
}
