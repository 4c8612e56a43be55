package fn_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

var (
	errNobody = fault.New(fault.NotFound, "TEST.NOBODY", "Nobody is here.")
	theHotel  = id.New[id.Tenant]()
)

// visited is a function whose middleware reads the session from a header, and rejects requests with X-Closed.
func visited(s fn.Spec) fn.Function {
	s.Name, s.Route = "test-visited", "GET /visited"
	middleware := func(env.Env) (fn.Middleware[fn.Nothing], error) {
		return fn.Middleware[fn.Nothing]{Resolve: func(_ context.Context, r *http.Request, _ identity.Identity) (fn.Nothing, fn.Scope, error) {
			if r.Header.Get("X-Closed") != "" {
				return fn.Nothing{}, fn.Scope{}, errNobody
			}
			return fn.Nothing{}, fn.Scope{Tenant: theHotel, Caller: r.Header.Get("X-Session")}, nil
		}}, nil
	}
	return fn.HTTP(s, middleware, func(env.Env) (func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (fn.Nothing, error), error) {
		return func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (fn.Nothing, error) { return fn.Nothing{}, nil }, nil
	})
}

// limited puts a front door before the function, in surroundings with these limits and no others.
func limited(t *testing.T, f fn.Function, vars map[string]string) (*fntest.Front, env.Env) {
	t.Helper()
	e, issuer := fntest.Surround(t, env.Of(nil))
	for name, value := range vars {
		e = e.With(name, value)
	}
	return fntest.Behind(t, e, issuer, f), e
}

func TestLimits_retryAfter(t *testing.T) {
	t.Parallel()
	front, e := limited(t, visited(fn.Spec{}), map[string]string{"RATE_LIMIT_SESSION": "0.1/2"})
	get := func(session string) fntest.Answer { return front.Get("/visited", "X-Session", session) }
	for i, want := range []struct {
		status    int
		remaining string
	}{{204, `"session";r=1;t=10`}, {204, `"session";r=0;t=20`}, {429, `"session";r=0;t=20`}} {
		t.Run(fmt.Sprint(want.status, " ", want.remaining), func(t *testing.T) {
			a := get("one")
			switch got := a.Header.Get("RateLimit"); {
			case a.Status != want.status:
				t.Errorf("request %d: a.Status = %v, want %v", i+1, a.Status, want.status)
			case got != want.remaining:
				t.Errorf("request %d: got = %v, want %v", i+1, got, want.remaining)
			case a.Header.Get("RateLimit-Policy") != `"session";q=2;w=20`:
				t.Errorf("request %d: a.Header.Get(\"RateLimit-Policy\") = %q, want `\"session\";q=2;w=20`", i+1, a.Header.Get("RateLimit-Policy"))
			}
		})
	}
	a := get("one")
	p := a.Problem()
	switch {
	case a.Status != http.StatusTooManyRequests:
		t.Errorf("a.Status = %v, want %v", a.Status, http.StatusTooManyRequests)
	case a.Code() != "GENERAL.RATE_LIMITED":
		t.Errorf(`a.Code() = %q, want "GENERAL.RATE_LIMITED"`, a.Code())
	case a.Header.Get("Retry-After") != "10":
		t.Errorf(`a.Header.Get("Retry-After") = %q, want "10"`, a.Header.Get("Retry-After"))
	case p.RetryAfter != 10:
		t.Errorf("p.RetryAfter = %v, want 10", p.RetryAfter)
	case !p.Retriable:
		t.Errorf("p.Retriable = false, want true")
	}
	get("other").Want(t, http.StatusNoContent)
	e.Advance(10 * time.Second)
	get("one").Want(t, http.StatusNoContent)
}

func TestLimits_addressFirst(t *testing.T) {
	t.Parallel()
	front, _ := limited(t, visited(fn.Spec{}), map[string]string{"RATE_LIMIT_ADDRESS": "0.1/2", "FORWARDED_HOPS": "2"})
	from := func(address string) fntest.Answer {
		return front.Get("/visited", "X-Closed", "yes", "X-Forwarded-For", "198.51.100.1, "+address+", 10.0.0.1")
	}
	for _, test := range []struct {
		name, address string
		status        int
		remaining     string
	}{
		{"the first", "2001:db8::1", 404, `"address";r=1;t=10`},
		{"of the same network", "2001:db8::2", 404, `"address";r=0;t=20`},
		{"too many", "2001:db8::3", 429, `"address";r=0;t=20`},
		{"of another network", "2001:db8:0:1::1", 404, `"address";r=1;t=10`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if a := from(test.address); a.Status != test.status || a.Header.Get("RateLimit") != test.remaining {
				t.Errorf("%d with %q", a.Status, a.Header.Get("RateLimit"))
			}
		})
	}
}

func TestLimits_tenantLimitIsNotShown(t *testing.T) {
	t.Parallel()
	front, _ := limited(t, visited(fn.Spec{}), map[string]string{"RATE_LIMIT_TENANT": "0.1/2"})
	for i, status := range []int{204, 204, 429, 429} {
		a := front.Get("/visited", "X-Session", string(rune('a'+i)))
		if shown := a.Header.Get("RateLimit") != ""; a.Status != status || shown != (status == 429) {
			t.Errorf("request %d: %d with %q", i+1, a.Status, a.Header.Get("RateLimit"))
		}
	}
}

func TestLimits_services(t *testing.T) {
	t.Parallel()
	one := map[string]string{"RATE_LIMIT_SESSION": "0.1/1", "RATE_LIMIT_ADDRESS": "0.1/1", "RATE_LIMIT_TENANT": "0.1/1"}
	front, _ := limited(t, visited(fn.Spec{Access: fn.Internal}), one)
	for range 3 {
		if a := front.Get("/visited", "X-Session", "s"); a.Status != http.StatusNoContent || a.Header.Get("RateLimit") != "" {
			t.Errorf("got %d with %q", a.Status, a.Header.Get("RateLimit"))
		}
	}
}

// TestLimits_countsBeforeAnythingIsAsked sends requests that are rejected early: each counts for its address.
func TestLimits_countsBeforeAnythingIsAsked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		f            fn.Function
		method, path string
		status       int
	}{
		"a foreign origin":           {bookFunction, http.MethodPost, bookings, http.StatusForbidden},
		"an unknown route":           {bookFunction, http.MethodPost, "/nowhere", http.StatusNotFound},
		"an unknown route of a desk": {visited(fn.Spec{Access: fn.Desk}), http.MethodGet, "/nowhere", http.StatusNotFound},
		"a desk without a token":     {visited(fn.Spec{Access: fn.Desk}), http.MethodGet, "/visited", http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _ := fntest.Surround(t, env.Of(nil))
			h := check.Got(test.f.Handler(e.With("RATE_LIMIT_ADDRESS", "0.1/2"))).Must(t)
			for i, want := range []int{test.status, test.status, http.StatusTooManyRequests} {
				r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, nil)
				r.Header.Set("Sec-Fetch-Site", "cross-site")
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code != want {
					t.Errorf("request %d: got %d, want %d", i+1, w.Code, want)
				}
			}
		})
	}
}
