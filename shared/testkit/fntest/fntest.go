// Package fntest calls functions as services, browsers, the bus and the scheduler do, without a network.
package fntest

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// A Front is the front door before some functions. Its callers are the platform's own services unless As says otherwise.
type Front struct {
	t      testing.TB
	issuer *identity.Issuer
	door   http.Handler
	token  string
}

// Surround gives an Env what functions expect of their surroundings: an issuer that they trust, which is also their own
// source of tokens, keys for the idempotency ledger, a log that goes to the test, and no limits: tests come in crowds.
func Surround(t testing.TB, e env.Env) (env.Env, *identity.Issuer) {
	t.Helper()
	issuer := identity.NewIssuer(e, make([]byte, 32))
	e = e.
		With("IDENTITY_ISSUER", issuer.Name()).
		With("IDENTITY_KEYS", string(issuer.JWKS())).
		With("IDENTITY_CALLERS", issuer.Email()).
		With("STAFF_ISSUER", issuer.Name()).
		With("STAFF_KEYS", string(issuer.JWKS())).
		With("RATE_LIMIT_SESSION", "off").With("RATE_LIMIT_ADDRESS", "off").With("RATE_LIMIT_TENANT", "off").
		With("IDEMPOTENCY_KEYS", "test:"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	e = env.Give(e, observe.To(t.Output()))
	return env.Give[identity.Source](e, issuer), issuer
}

// Open surrounds e and puts a front door before the functions.
func Open(t testing.TB, e env.Env, fs ...fn.Function) *Front {
	t.Helper()
	e, issuer := Surround(t, e)
	return Behind(t, e, issuer, fs...)
}

// Behind puts a front door before the functions, in surroundings that Surround made.
func Behind(t testing.TB, e env.Env, issuer *identity.Issuer, fs ...fn.Function) *Front {
	t.Helper()
	door, err := fn.Mux(fs, func(f fn.Function) (http.Handler, error) {
		h, err := f.Handler(e)
		return described(t, f.Spec, h), err
	})
	if err != nil {
		t.Fatal(err)
	}
	var audiences []string
	for _, f := range fs {
		audiences = append(audiences, identity.Audience(f.Spec.Service()))
	}
	token, err := issuer.Sign(issuer.Email(), e.Now().Add(24*365*time.Hour), audiences...)
	if err != nil {
		t.Fatal(err)
	}
	return &Front{t: t, issuer: issuer, door: door, token: token}
}

// described is the function, but that each of its answers is compared with what is published of it.
func described(t testing.TB, s fn.Spec, h http.Handler) http.Handler {
	method, _, _ := strings.Cut(s.Route, " ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		answered, ok := w.(*httptest.ResponseRecorder)
		if !ok || r.Method != method { // a HEAD or a preflight
			return
		}
		a := openapitest.Answer{Status: answered.Code, Header: answered.Header(), Body: answered.Body.Bytes()}
		if err := openapitest.Check(s.Service(), s.Route, a); err != nil {
			t.Errorf("%s: schemas/http/%s.yaml: %v", s.Name, s.Service(), err)
		}
	})
}

// Issuer signs for whoever a test wants to be.
func (f *Front) Issuer() *identity.Issuer { return f.issuer }

// As is the same front door with callers that have another token; the empty one is none.
func (f *Front) As(token string) *Front {
	other := *f
	other.token = token
	return &other
}

// Get asks for what is at path. Headers are names and values in turn.
func (f *Front) Get(path string, headers ...string) Answer {
	f.t.Helper()
	return f.Send(http.MethodGet, path, nil, headers...)
}

// Post sends a body: a string as it is, anything else encoded as JSON.
func (f *Front) Post(path string, body any, headers ...string) Answer {
	f.t.Helper()
	return f.Send(http.MethodPost, path, body, headers...)
}

// Send makes any request.
func (f *Front) Send(method, path string, body any, headers ...string) Answer {
	f.t.Helper()
	return f.Serve(f.Request(f.t, method, path, body, headers...))
}

// Request is the request that Send sends, for a test that wants to change it.
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
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Serve hands in a request as it is.
func (f *Front) Serve(r *http.Request) Answer {
	w := httptest.NewRecorder()
	f.door.ServeHTTP(w, r)
	return Answer{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}
}

// Push delivers an event to a function as the bus does: unwrapped, in binary mode.
func (f *Front) Push(to fn.Function, raw event.Raw) Answer {
	f.t.Helper()
	data, err := raw.Data()
	if err != nil {
		f.t.Fatal(err)
	}
	var headers []string
	for name, value := range raw.Attributes() {
		headers = append(headers, name, value)
	}
	headers = append(headers, "X-Goog-Pubsub-Delivery-Attempt", "1", "X-Goog-Pubsub-Message-Id", "m-"+raw.Envelope.EventID.String())
	return f.Post("/internal/events/"+to.Spec.Name, string(data), headers...)
}

// Tick calls a scheduled function as the scheduler does.
func (f *Front) Tick(to fn.Function) Answer {
	f.t.Helper()
	return f.Post("/internal/ticks/"+to.Spec.Name, nil)
}

// An Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Into decodes the body.
func (a Answer) Into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		t.Fatalf("%v in %s", err, a.Body)
	}
}

// Problem is the body of an answer that is one, else the zero Problem.
func (a Answer) Problem() (p fn.Problem) {
	if strings.HasPrefix(a.Header.Get("Content-Type"), "application/problem+json") {
		_ = json.Unmarshal(a.Body, &p) // what does not decode is no problem either
	}
	return p
}

// Code is the problem's code without the platform's name, "" for any other answer.
func (a Answer) Code() string {
	return strings.TrimPrefix(a.Problem().Code, "MELMASTOON.")
}
