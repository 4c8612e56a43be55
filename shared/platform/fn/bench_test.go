package fn_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// BenchmarkTinyAnswer measures a function's cost over a bare handler. The bound is 2.5 times its CPU over a real connection;
// here without one.
func BenchmarkTinyAnswer(b *testing.B) {
	f := answering(func(context.Context) (map[string]int, error) { return map[string]int{"a": 1}, nil })
	bench(b, handler(b, f), httptest.NewRequest(http.MethodGet, "/answer", nil), "")
}

// BenchmarkLimitedAnswer is BenchmarkTinyAnswer with the rate limits of a public function; the difference is their cost.
func BenchmarkLimitedAnswer(b *testing.B) {
	f := serve(fn.Spec{Name: "test-answer", Route: "GET /answer"}, func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (map[string]int, error) {
		return map[string]int{"a": 1}, nil
	})
	e, _ := fntest.Surround(b, env.Of(nil))
	for _, name := range []string{"RATE_LIMIT_SESSION", "RATE_LIMIT_ADDRESS", "RATE_LIMIT_TENANT"} {
		e = e.With(name, "100000/1000000")
	}
	h := check.Got(f.Handler(observe.LogKey.With(e, observe.To(io.Discard)))).Must(b)
	bench(b, h, httptest.NewRequest(http.MethodGet, "/answer", nil), "")
}

func BenchmarkBareHandler(b *testing.B) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /answer", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"a":1}`) })
	bench(b, mux, httptest.NewRequest(http.MethodGet, "/answer", nil), "")
}

func BenchmarkSmallBody(b *testing.B) {
	r := httptest.NewRequest(http.MethodPost, bookings, nil)
	r.Header.Set("Content-Type", "application/json")
	bench(b, handler(b, bookFunction), r, right)
}

func BenchmarkServiceToken(b *testing.B) {
	e, issuer := fntest.Surround(b, env.Of(nil))
	h := check.Got(guarded(fn.Internal).Handler(observe.LogKey.With(e, observe.To(io.Discard)))).Must(b)
	token := check.Got(issuer.Token(b.Context(), "https://test.melmastoon.ghasi.io")).Must(b)
	r := httptest.NewRequest(http.MethodGet, "/guarded", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	bench(b, h, r, "")
}

func handler(b *testing.B, f fn.Function) http.Handler {
	e, _ := fntest.Surround(b, env.Of(nil))
	return check.Got(f.Handler(observe.LogKey.With(e, observe.To(io.Discard)))).Must(b)
}

func bench(b *testing.B, h http.Handler, r *http.Request, body string) {
	b.ReportAllocs()
	for b.Loop() {
		if body != "" {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code >= 300 {
			b.Fatal(w.Code, w.Body)
		}
	}
}
