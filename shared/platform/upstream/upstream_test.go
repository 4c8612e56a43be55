package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/forward"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// serving is a client of a server on the loopback.
func serving(t *testing.T, p upstream.Policy, h http.HandlerFunc) *upstream.Client {
	t.Helper()
	server := httptest.NewServer(h)
	e := env.Of(map[string]string{"UPSTREAM_PRICING_URL": server.URL + "/base/"})
	t.Cleanup(func() {
		check.NoError(t, e.Close(context.Background()))
		server.Close()
	})
	return upstream.Open(identity.SourceKey.With(e, token("tok-")), "pricing", p)
}

// A token is a source whose tokens contain their audience.
type token string

func (s token) Token(_ context.Context, audience string) (string, error) {
	return string(s) + audience, nil
}

var patient = upstream.Policy{Timeout: 5 * time.Second}

func TestCall_headers(t *testing.T) {
	t.Parallel()
	tenant := id.New[id.Tenant]()
	var got *http.Request
	var body string
	c := serving(t, patient, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, body = r, string(text)
		_, _ = io.WriteString(w, `{"total":3,"new":"ignored"}`)
	})
	ctx := event.WithOrigin(t.Context(), event.Origin{RequestID: "req-1"})
	var out struct {
		Total int `json:"total"`
	}
	err := c.Post(ctx, "/quotes", map[string]int{"rooms": 2}, &out, upstream.Key("k-1"), upstream.Tenant(tenant))
	if err != nil || out.Total != 3 {
		t.Fatalf("got %v, %+v", err, out)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer tok-https://pricing.melmastoon.ghasi.io", "X-Request-Id": "req-1", "Idempotency-Key": "k-1",
		"X-Tenant-Id": tenant.String(), "Content-Type": "application/json",
	} {
		t.Run(name, func(t *testing.T) { check.Equal(t, got.Header.Get(name), want, "%s", name) })
	}
	switch {
	case got.Method != http.MethodPost:
		t.Errorf("got.Method = %v, want %v", got.Method, http.MethodPost)
	case got.URL.Path != "/base/quotes":
		t.Errorf(`got.URL.Path = %q, want "/base/quotes"`, got.URL.Path)
	case body != `{"rooms":2}`:
		t.Errorf("body = %q, want `{\"rooms\":2}`", body)
	}
}

func TestTraceparent_eachRequest(t *testing.T) {
	t.Parallel()
	var spans []trace.SpanContext
	c := serving(t, upstream.Policy{Timeout: 5 * time.Second, Retries: 1}, func(w http.ResponseWriter, r *http.Request) {
		if spans = append(spans, received(r)); len(spans) == 1 {
			w.WriteHeader(http.StatusInternalServerError) // the first request is sent again
		}
	})
	ctx, own := observe.Begin(t.Context(), http.Header{"Tracestate": {"a=1"},
		"Traceparent": {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}})
	for range 3 {
		check.Must(t, c.Get(ctx, "/a", nil, nil))
	}
	ids := map[trace.SpanID]bool{own.SpanID(): true}
	for _, s := range spans {
		ids[s.SpanID()] = true
		switch {
		case s.TraceID() != own.TraceID():
			t.Errorf("s.TraceID() = %v, want %v", s.TraceID(), own.TraceID())
		case s.TraceFlags() != own.TraceFlags():
			t.Errorf("s.TraceFlags() = %v, want %v", s.TraceFlags(), own.TraceFlags())
		case s.TraceState().String() != "a=1":
			t.Errorf(`s.TraceState().String() = %q, want "a=1"`, s.TraceState().String())
		}
	}
	if len(spans) != 4 || len(ids) != 5 {
		t.Errorf("%d requests with %d ids, want 4 and each with its own", len(spans), len(ids)-1)
	}
}

func received(r *http.Request) trace.SpanContext {
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
}

func TestForwardedHeader_isSent(t *testing.T) {
	t.Parallel()
	var got []string
	c := serving(t, patient, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("X-Sandbox-Scenario"))
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	playing := forward.With(t.Context(), forward.Header{Name: "X-Sandbox-Scenario", Value: "upstream_down"})
	for range 7 { // nor does a service that plays dead open the breaker
		check.Error(t, c.Get(playing, "/a", nil, nil), fault.ErrUpstreamUnavailable)
	}
	_ = c.Get(t.Context(), "/a", nil, nil)
	switch {
	case len(got) != 8:
		t.Errorf("len(got) = %v, want 8", len(got))
	case got[0] != "upstream_down":
		t.Errorf(`got[0] = %q, want "upstream_down"`, got[0])
	case got[6] != "upstream_down":
		t.Errorf(`got[6] = %q, want "upstream_down"`, got[6])
	case got[7] != "":
		t.Errorf(`got[7] = %q, want ""`, got[7])
	}
}

func TestRequest_query(t *testing.T) {
	t.Parallel()
	var got string
	c := serving(t, patient, func(w http.ResponseWriter, r *http.Request) {
		got = r.URL.RawQuery
		w.WriteHeader(http.StatusNoContent)
	})
	if err := c.Get(t.Context(), "/a", url.Values{"q": {"a b&c"}}, nil); err != nil || got != "q=a+b%26c" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRequest_problem(t *testing.T) {
	t.Parallel()
	c := serving(t, patient, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `{"status":409,"code":"MELMASTOON.RESERVATION.OVERBOOKING_BLOCKED","detail":"Taken.","retryAfter":3}`)
	})
	for range 10 { // nor do refusals open the breaker
		err := c.Get(t.Context(), "/a", nil, nil)
		f, ok := errors.AsType[*fault.Fault](err)
		switch {
		case !ok:
			t.Fatalf("ok = false, want true")
		case f.Kind != fault.Conflict:
			t.Fatalf("f.Kind = %v, want %v", f.Kind, fault.Conflict)
		case f.Code != "RESERVATION.OVERBOOKING_BLOCKED":
			t.Fatalf(`f.Code = %q, want "RESERVATION.OVERBOOKING_BLOCKED"`, f.Code)
		case f.Detail != "Taken.":
			t.Fatalf(`f.Detail = %q, want "Taken."`, f.Detail)
		case f.RetryAfter != 3*time.Second:
			t.Fatalf("f.RetryAfter = %v, want %v", f.RetryAfter, 3*time.Second)
		}
	}
}

func TestPointing(t *testing.T) {
	t.Parallel()
	c := serving(t, patient, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"status":400,"code":"MELMASTOON.GENERAL.VALIDATION_FAILED","detail":"No.","violations":[
			{"pointer":"/promo","rule":"known","message":"No such code."},{"pointer":"/tenantId","rule":"form","message":"No."},
			{"pointer":"/X-Sandbox-Scenario","rule":"known","message":"No such scenario."}]}`)
	})
	ours := upstream.Pointing(func(theirs string) (string, bool) { return "/wish" + theirs, theirs == "/promo" })
	for _, test := range []struct {
		name string
		opts []upstream.Option
		want []fault.Violation
	}{
		{"with pointers of the caller", []upstream.Option{ours}, []fault.Violation{
			{Pointer: "/wish/promo", Rule: "known", Message: "No such code."}, {Pointer: "/X-Sandbox-Scenario", Rule: "known", Message: "No such scenario."}}},
		{"without pointers of the caller", nil, []fault.Violation{{Pointer: "/X-Sandbox-Scenario", Rule: "known", Message: "No such scenario."}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx := forward.With(t.Context(), forward.Header{Name: "X-Sandbox-Scenario", Value: "unknown"})
			err := c.Post(ctx, "/quotes", struct{}{}, nil, test.opts...)
			if f := fault.From(err); !errors.Is(err, fault.ErrValidation) || !slices.Equal(f.Violations, test.want) {
				t.Errorf("%s: got %+v, want %+v", test.name, f.Violations, test.want)
			}
		})
	}
}

func TestCall_unreadableResponses(t *testing.T) {
	t.Parallel()
	problem := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"code":"`+code+`"}`)
		}
	}
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, h := range map[string]http.HandlerFunc{
		"a 500":                   status(500, `{}`),
		"a 503 that says why":     problem(503, "MELMASTOON.TENANT.SUSPENDED"),
		"a 404 without a problem": status(404, "404 page not found"),
		"a 409 without our code":  problem(409, "THEIRS"),
		"a 401: our own token":    problem(401, "MELMASTOON.GENERAL.UNAUTHENTICATED"),
		"a 403: our own identity": problem(403, "MELMASTOON.GENERAL.FORBIDDEN"),
		"a page":                  status(200, `<html>`),
		"nothing":                 status(200, ``),
		"half an answer":          status(200, `{"total":`),
		"a wrong type":            status(200, `{"total":"many"}`),
		"10 MB":                   status(200, `{"total":1}`+strings.Repeat(" ", 10<<20)),
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/other") {
				t.Error("followed it")
			}
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		},
		"a broken connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a shorter body than its Content-Length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"total":1}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out struct {
				Total int `json:"total"`
			}
			err := serving(t, patient, h).Get(t.Context(), "/a", nil, &out)
			switch f := fault.From(err); {
			case !errors.Is(err, fault.ErrUpstreamUnavailable):
				t.Errorf("err = %v, want %v", err, fault.ErrUpstreamUnavailable)
			case f.Kind != fault.Unavailable:
				t.Errorf("f.Kind = %v, want %v", f.Kind, fault.Unavailable)
			case f.RetryAfter == 0:
				t.Errorf("f.RetryAfter = %v, want other than 0", f.RetryAfter)
			}
		})
	}
}

func TestRequest_timeout(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() } // until the caller hangs up
	for name, test := range map[string]struct{ policy, budget time.Duration }{
		"after the policy's time-out":  {50 * time.Millisecond, time.Minute},
		"at the end of the own budget": {time.Minute, 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serving(t, upstream.Policy{Timeout: test.policy}, hang)
			ctx, cancel := context.WithTimeout(t.Context(), test.budget)
			defer cancel()
			began := time.Now()
			err := c.Get(ctx, "/a", nil, nil)
			if took := time.Since(began); !errors.Is(err, fault.ErrUpstreamUnavailable) || took > 5*time.Second {
				t.Errorf("got %v after %v", err, took)
			}
		})
	}
}

func TestRequest_notConfigured(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "pricing.internal", "ftp://pricing"} {
		t.Run(fmt.Sprintf("%q", address), func(t *testing.T) {
			c := upstream.Open(env.Of(map[string]string{"UPSTREAM_PRICING_URL": address}), "pricing", patient)
			if err := c.Get(t.Context(), "/a", nil, nil); !errors.Is(err, fault.ErrUpstreamUnavailable) || !strings.Contains(err.Error(), "UPSTREAM_PRICING_URL") {
				t.Errorf("%q: got %v", address, err)
			}
		})
	}
}

func TestRequest_audience(t *testing.T) {
	t.Parallel()
	var got string
	e := env.Of(map[string]string{"UPSTREAM_PRICING_URL": "http://pricing", "UPSTREAM_PRICING_AUDIENCE": "https://sandbox.melmastoon.ghasi.io"})
	e = identity.SourceKey.With(e, token(""))
	e = upstream.TransportKey.With(e, wire(func(r *http.Request) (*http.Response, error) {
		got = r.Header.Get("Authorization")
		return answer(204, ""), nil
	}))
	if err := upstream.Open(e, "pricing", patient).Get(t.Context(), "/a", nil, nil); err != nil || got != "Bearer https://sandbox.melmastoon.ghasi.io" {
		t.Errorf("got %q, %v", got, err)
	}
}
