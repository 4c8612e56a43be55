package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A leg is how the service answers one request: after a time, with a status and a body.
type leg struct {
	after  time.Duration
	status int
	body   string
}

// A runner answers one request after the other, which may be under way at the same time.
type runner struct {
	legs      []leg
	sent      atomic.Int32
	cancelled atomic.Int32
}

func (r *runner) RoundTrip(req *http.Request) (*http.Response, error) {
	own := r.legs[min(int(r.sent.Add(1)), len(r.legs))-1]
	timer := time.NewTimer(own.after)
	defer timer.Stop()
	select {
	case <-timer.C:
		res := answer(own.status, own.body)
		if own.status >= 400 {
			res.Header.Set("Content-Type", "application/problem+json")
		}
		return res, nil
	case <-req.Context().Done():
		if errors.Is(req.Context().Err(), context.Canceled) {
			r.cancelled.Add(1)
		}
		return nil, req.Context().Err()
	}
}

func (r *runner) client(p upstream.Policy) *upstream.Client {
	e := env.Of(map[string]string{"UPSTREAM_SEARCH_URL": "http://search"})
	return upstream.Open(upstream.TransportKey.With(e, r), "search", p)
}

type found struct {
	Hotels []string `json:"hotels"`
	Total  int      `json:"total"`
}

const second = time.Second

var hedging = upstream.Policy{Timeout: 1500 * time.Millisecond, Retries: 1, HedgeAfter: 800 * time.Millisecond}

func TestHedge_slowRead(t *testing.T) {
	t.Parallel()
	const one, two = `{"hotels":["one"],"total":1}`, `{"hotels":["two"]}`
	for _, test := range []struct {
		name      string
		legs      []leg
		want      found
		err       error
		took      time.Duration
		sent      int32
		cancelled int32
	}{
		{"quick enough", []leg{{799 * time.Millisecond, 200, one}}, found{[]string{"one"}, 1}, nil, 799 * time.Millisecond, 1, 0},
		{"the second is first", []leg{{time.Minute, 200, one}, {100 * time.Millisecond, 200, two}}, found{[]string{"two"}, 0}, nil, 900 * time.Millisecond, 2, 1},
		{"the first is first after all", []leg{{second, 200, one}, {time.Minute, 200, two}}, found{[]string{"one"}, 1}, nil, second, 2, 1},
		{"the first fails late", []leg{{second, 500, ""}, {400 * time.Millisecond, 200, two}}, found{[]string{"two"}, 0}, nil, 1200 * time.Millisecond, 2, 0},
		{"the second fails", []leg{{1400 * time.Millisecond, 200, one}, {0, 500, ""}}, found{[]string{"one"}, 1}, nil, 1400 * time.Millisecond, 2, 0},
		{"the second is garbage", []leg{{1400 * time.Millisecond, 200, one}, {0, 200, `{"total":7,"hotels":3}`}}, found{[]string{"one"}, 1}, nil, 1400 * time.Millisecond, 2, 0},
		{"a refusal is an answer", []leg{{time.Minute, 200, one}, {0, 404, `{"code":"MELMASTOON.GENERAL.RESOURCE_NOT_FOUND"}`}}, found{}, fault.ErrNotFound, 800 * time.Millisecond, 2, 1},
		{"both fail, and there is no third", []leg{{second, 500, ""}, {300 * time.Millisecond, 500, ""}}, found{}, fault.ErrUpstreamUnavailable, 1100 * time.Millisecond, 2, 0},
		{"both hang", []leg{{time.Minute, 200, one}}, found{}, fault.ErrUpstreamUnavailable, 1500 * time.Millisecond, 2, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := &runner{legs: test.legs}
				c := r.client(hedging)
				began := time.Now()
				var got found
				err := c.Get(t.Context(), "/hotels", nil, &got)
				took := time.Since(began)
				switch {
				case !errors.Is(err, test.err):
					t.Errorf("err = %v, want %v", err, test.err)
				case test.err == nil && err != nil:
					t.Errorf("err = %v, want nil", err)
				case took != test.took:
					t.Errorf("took = %v, want %v", took, test.took)
				}
				switch {
				case got.Total != test.want.Total:
					t.Errorf("got.Total = %v, want %v", got.Total, test.want.Total)
				case len(got.Hotels) != len(test.want.Hotels):
					t.Errorf("len(got.Hotels) = %v, want %v", len(got.Hotels), len(test.want.Hotels))
				case len(got.Hotels) > 0 && got.Hotels[0] != test.want.Hotels[0]:
					t.Errorf("got.Hotels[0] = %v, want %v", got.Hotels[0], test.want.Hotels[0])
				}
				check.Equal(t, r.sent.Load(), test.sent)
				check.Equal(t, r.cancelled.Load(), test.cancelled)
			})
		})
	}
}

func TestHedge_quickFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &runner{legs: []leg{{0, 500, ""}, {0, 200, `{"total":2}`}}}
		var got found
		switch err := r.client(hedging).Get(t.Context(), "/hotels", nil, &got); {
		case err != nil:
			t.Errorf("err = %v, want nil", err)
		case got.Total != 2:
			t.Errorf("got.Total = %v, want 2", got.Total)
		case r.sent.Load() != 2:
			t.Errorf("r.sent.Load() = %v, want 2", r.sent.Load())
		}
	})
}

func TestHedge_readsOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &runner{legs: []leg{{second, 200, `{"total":2}`}}}
		c := r.client(hedging)
		if err := c.Post(t.Context(), "/holds", 1, nil, upstream.Key("k")); err != nil || r.sent.Load() != 1 {
			t.Errorf("a write with a key: %v, sent %d", err, r.sent.Load())
		}
		if err := c.Put(t.Context(), "/guest", 1, nil); err != nil || r.sent.Load() != 2 {
			t.Errorf("a put: %v, sent %d", err, r.sent.Load())
		}
		if err := c.Post(t.Context(), "/searches", 1, nil, upstream.Read()); err != nil || r.sent.Load() != 4 {
			t.Errorf("a question in a body: %v, sent %d", err, r.sent.Load())
		}
	})
}

func TestHedge_budget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const calls = 400
		r := &runner{legs: []leg{{second, 200, `{}`}}}
		c := r.client(hedging)
		for range calls {
			check.Must(t, c.Get(t.Context(), "/hotels", nil, &found{}))
		}
		check.Equal(t, r.sent.Load()-calls, calls/10, "hedges of %d calls", calls)
	})
}

func TestHedge_canceledLoser(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &runner{legs: []leg{{second, 200, `{}`}, {time.Minute, 200, `{}`}}}
		c := r.client(hedging)
		for range 100 { // ten losers in a row, were each a failure
			check.Must(t, c.Get(t.Context(), "/hotels", nil, nil))
			r.sent.Store(0)
		}
		if r.cancelled.Load() < 5 {
			t.Errorf("%d cancelled requests, want at least 5", r.cancelled.Load())
		}
	})
}
