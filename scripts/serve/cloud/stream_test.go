package cloud

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// stored is a bus with given messages. Its streams end after the last one.
type stored struct {
	Messages
	all []bus.Stored
}

func (s stored) Last(context.Context) (int64, error) { return int64(len(s.all)), nil }

func (s stored) Tail(_ context.Context, after int64, f func(bus.Stored) error) error {
	for _, m := range s.all[after:] {
		if err := f(m); err != nil {
			return err
		}
	}
	return nil
}

// message returns an event of a subject as the bus stores it.
func message(t *testing.T, seq int64, subject string) bus.Stored {
	t.Helper()
	raw, err := event.Draft{
		Subject: event.Subject{Name: subject, Version: 1, Producer: "test-service", SchemaURI: "https://schemas.melmastoon.io/test.json"},
		Tenant:  id.New[id.Tenant](), OrderingKey: "k", Payload: map[string]any{},
	}.Seal(time.Now(), event.Origin{RequestID: "req"})
	if err != nil {
		t.Fatal(err)
	}
	data, err := raw.Data()
	if err != nil {
		t.Fatal(err)
	}
	return bus.Stored{Seq: seq, Message: topic.Message{Topic: subject, Attributes: raw.Attributes(), Data: data}}
}

func TestStream(t *testing.T) {
	t.Parallel()
	const held, confirmed = "melmastoon.reservation.held.v1", "melmastoon.reservation.confirmed.v1"
	c := &Cloud{life: t.Context(), functions: []fn.Function{{Spec: fn.Spec{Publishes: fn.Subjects{{Name: held}, {Name: confirmed}}}}}}
	var messages stored
	for i, subject := range []string{held, confirmed, held, confirmed} {
		messages.all = append(messages.all, message(t, int64(i+1), subject))
	}
	c.bus = messages
	for _, test := range []struct {
		query, last string
		status      int
		want        []string
	}{
		{"", "", 200, nil},
		{"?replay=1", "", 200, []string{"2", "3", "4"}}, // the run began after the first event
		{"?replay=1", "3", 200, []string{"4"}},
		{"", "0", 200, []string{"1", "2", "3", "4"}},
		{"?type=" + held, "1", 200, []string{"3"}},
		{"?type=" + held + "&type=" + confirmed, "2", 200, []string{"3", "4"}},
		{"", "4", 200, nil},
		{"", "5", 200, []string{"1", "2", "3", "4"}}, // of another database, which --fresh has replaced
		{"?type=melmastoon.reservation.unheard.v1", "", 400, nil},
		{"?type=", "", 400, nil},
		{"", "x", 400, nil},
		{"", "-1", 400, nil},
	} {
		t.Run(fmt.Sprintf("%s after %q", test.query, test.last), func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/-/events"+test.query, nil)
			r.Header.Set("Last-Event-ID", test.last)
			w := httptest.NewRecorder()
			c.stream(w, r, 1)
			if w.Code != test.status {
				t.Errorf("status = %d, want %d: %s", w.Code, test.status, w.Body)
			}
			var got []string
			for _, found := range regexp.MustCompile(`(?m)^id: (.*)$`).FindAllStringSubmatch(w.Body.String(), -1) {
				got = append(got, found[1])
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("ids = %v, want %v", got, test.want)
			}
		})
	}
}

// outage is a bus that fails.
type outage struct{ Messages }

func (outage) Last(context.Context) (int64, error) { return 0, errors.New("dial tcp 10.0.0.7") }

func TestStream_outage(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"", "3"} {
		t.Run(fmt.Sprintf("after %q", last), func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/-/events", nil)
			r.Header.Set("Last-Event-ID", last)
			w := httptest.NewRecorder()
			(&Cloud{life: t.Context(), bus: outage{}}).stream(w, r, 0)
			if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "dial") {
				t.Errorf("got %d %s, want 503 without the cause", w.Code, w.Body)
			}
		})
	}
}

// crossOrigin returns the problem of a function that a page of another origin calls.
func crossOrigin(t *testing.T) string {
	t.Helper()
	f := fn.HTTP(fn.Spec{Name: "test-write", Route: "POST /bff", Access: fn.Public}, fn.Open, func(env.Env) (func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (fn.Nothing, error), error) {
		return func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (out fn.Nothing, err error) { return out, nil }, nil
	})
	e, _ := fntest.Surround(t, env.Of(nil))
	h, err := f.Handler(e)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/bff", nil)
	r.Header.Set("Origin", "http://localhost:5173")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Fatalf("got %d %s, want 403", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestAdvised(t *testing.T) {
	t.Parallel()
	problem := crossOrigin(t)
	for _, test := range []struct {
		name, origin, kind string
		status             int
		advice             bool
	}{
		{"page_of_another_origin", "http://localhost:5173", "application/problem+json", 403, true},
		{"own_page", "http://127.0.0.1:8080", "application/problem+json", 403, false},
		{"no_page", "", "application/problem+json", 403, false},
		{"another_problem", "http://localhost:5173", "application/problem+json", 409, false},
		{"a_page_as_answer", "http://localhost:5173", "text/html", 403, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := advised(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.kind)
				w.Header().Set("Content-Length", fmt.Sprint(len(problem)))
				w.WriteHeader(test.status)
				if n, err := w.Write([]byte(problem)); n != len(problem) || err != nil {
					t.Errorf("Write() = %d, %v, want %d", n, err, len(problem))
				}
			}))
			r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/bff", nil)
			r.Header.Set("Origin", test.origin)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := strings.Contains(w.Body.String(), "schemas/http/README.md"); got != test.advice {
				t.Errorf("advice = %t, want %t: %s", got, test.advice, w.Body)
			}
			if length := w.Header().Get("Content-Length"); test.advice && length != "" {
				t.Errorf("Content-Length = %s of a longer body", length)
			}
		})
	}
}
