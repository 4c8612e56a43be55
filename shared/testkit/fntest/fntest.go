// Package fntest calls functions in tests as services, browsers, the bus and the scheduler do, without a network.
package fntest

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/local/edge"
	"melmastoon.ghasi.io/shared/local/signing"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// A Front routes requests to functions. Requests carry a token of a platform service unless As changes it.
type Front struct {
	t      testing.TB
	issuer *signing.Issuer
	mux    http.Handler
	token  string
}

// Surround adds to an Env what functions require: a trusted issuer, which is also their source of tokens, keys for the
// idempotency ledger, and a log that writes to the test. It disables rate limits.
func Surround(t testing.TB, e env.Env) (env.Env, *signing.Issuer) {
	t.Helper()
	issuer := signing.NewIssuer(e, make([]byte, 32))
	e = e.
		With("IDENTITY_ISSUER", issuer.Name()).
		With("IDENTITY_KEYS", string(issuer.JWKS())).
		With("IDENTITY_CALLERS", issuer.Email()).
		With("STAFF_ISSUER", issuer.Name()).
		With("STAFF_KEYS", string(issuer.JWKS())).
		With("RATE_LIMIT_SESSION", "off").With("RATE_LIMIT_ADDRESS", "off").With("RATE_LIMIT_TENANT", "off").
		With("IDEMPOTENCY_KEYS", "test:"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	e = observe.LogKey.With(e, observe.To(t.Output()))
	return identity.SourceKey.With(e, issuer), issuer
}

// Open calls Surround and returns a Front for the functions.
func Open(t testing.TB, e env.Env, fs ...fn.Function) *Front {
	t.Helper()
	e, issuer := Surround(t, e)
	return Behind(t, e, issuer, fs...)
}

// Behind returns a Front for the functions in an environment from Surround.
func Behind(t testing.TB, e env.Env, issuer *signing.Issuer, fs ...fn.Function) *Front {
	t.Helper()
	handler, err := edge.New(fs, func(f fn.Function) (http.Handler, error) {
		h, err := f.Handler(e)
		return described(t, f.Spec, h), err
	})
	check.Must(t, err)
	var audiences []string
	for _, f := range fs {
		audiences = append(audiences, identity.Audience(f.Spec.Service()))
	}
	token := check.Got(issuer.Sign(issuer.Email(), e.Now().Add(24*365*time.Hour), audiences...)).Must(t)
	return &Front{t: t, issuer: issuer, mux: handler, token: token}
}

// described wraps a function and validates each of its answers against the published OpenAPI document.
func described(t testing.TB, s fn.Spec, h http.Handler) http.Handler {
	method, _, _ := strings.Cut(s.Route, " ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		answered, ok := w.(*httptest.ResponseRecorder)
		if !ok || r.Method != method { // a HEAD or a preflight
			return
		}
		a := openapitest.Answer{Status: answered.Code, Header: answered.Header(), Body: answered.Body.Bytes()}
		check.NoError(t, openapitest.Check(s.Service(), s.Route, a), "%s: schemas/http/%s.yaml", s.Name, s.Service())
	})
}

// Issuer returns the issuer, to sign tokens of other callers.
func (f *Front) Issuer() *signing.Issuer { return f.issuer }

// As returns a Front whose requests carry another token, or no token if it is empty.
func (f *Front) As(token string) *Front {
	other := *f
	other.token = token
	return &other
}

// Get sends a GET request. Headers are alternating names and values.
func (f *Front) Get(path string, headers ...string) Answer {
	f.t.Helper()
	return f.Send(http.MethodGet, path, nil, headers...)
}

// Post sends a POST request. A string is sent unchanged, any other body as JSON.
func (f *Front) Post(path string, body any, headers ...string) Answer {
	f.t.Helper()
	return f.Send(http.MethodPost, path, body, headers...)
}

// Send sends a request.
func (f *Front) Send(method, path string, body any, headers ...string) Answer {
	f.t.Helper()
	return f.Serve(f.Request(f.t, method, path, body, headers...))
}

// Request returns the request that Send would send, for tests that change it.
func (f *Front) Request(t testing.TB, method, path string, body any, headers ...string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, bytes.NewReader(encode(t, body)))
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if f.token != "" {
		r.Header.Set("Authorization", "Bearer "+f.token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func encode(t testing.TB, body any) []byte {
	t.Helper()
	switch v := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(v)
	}
	return check.Got(json.Marshal(body)).Must(t)
}

// Serve serves a request unchanged.
func (f *Front) Serve(r *http.Request) Answer {
	w := httptest.NewRecorder()
	f.mux.ServeHTTP(w, r)
	return Answer{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}
}

// Push delivers an event to a function as the bus does: unwrapped, in binary mode.
func (f *Front) Push(to fn.Function, raw event.Raw) Answer {
	f.t.Helper()
	data := check.Got(raw.Data()).Must(f.t)
	var headers []string
	for name, value := range raw.Attributes() {
		headers = append(headers, name, value)
	}
	headers = append(headers, "X-Goog-Pubsub-Delivery-Attempt", strconv.Itoa(max(raw.Delivery.Attempt, 1)), "X-Goog-Pubsub-Message-Id", "m-"+raw.Envelope.EventID.String())
	return f.Post("/internal/events/"+to.Spec.Name, string(data), headers...)
}

// Tick calls a scheduled function as the scheduler does.
func (f *Front) Tick(to fn.Function) Answer {
	f.t.Helper()
	return f.Post("/internal/ticks/"+to.Spec.Name, nil)
}

// An Answer is an HTTP answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Into decodes the body.
func (a Answer) Into(t testing.TB, v any) {
	t.Helper()
	check.Must(t, json.Unmarshal(a.Body, v), "in %s", a.Body)
}

// Problem returns the decoded problem of an error answer, or the zero Problem.
func (a Answer) Problem() (p fn.Problem) {
	if strings.HasPrefix(a.Header.Get("Content-Type"), "application/problem+json") {
		_ = json.Unmarshal(a.Body, &p) // the zero Problem if it does not decode
	}
	return p
}

// Code returns the problem's code without the platform's prefix, or "" for other answers.
func (a Answer) Code() string { return strings.TrimPrefix(a.Problem().Code, "MELMASTOON.") }
