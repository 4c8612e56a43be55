package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// stored is a bus with given messages.
type stored []bus.Stored

func (s stored) Last(context.Context) (int64, error) { return int64(len(s)), nil }

func (s stored) Tail(ctx context.Context, after int64, f func(bus.Stored) error) error {
	for _, m := range s[after:] {
		if err := f(m); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

// messages returns n messages that no function can read.
func messages(n int) (s stored) {
	for i := range n {
		s = append(s, bus.Stored{Seq: int64(i + 1), Message: topic.Message{Topic: fmt.Sprintf("melmastoon.test.subject%d.v1", i%3), OrderingKey: fmt.Sprintf("key%d", i)}})
	}
	return s
}

var functions = []fn.Function{
	{Spec: fn.Spec{Name: "reservation-hold", Route: "POST /api/v1/reservations/holds"}},
	{Spec: fn.Spec{Name: "reservation-expireholds", Schedule: "* * * * *"}},
	{Spec: fn.Spec{Name: "consumer-captured", Subject: "melmastoon.test.subject0.v1"}},
}

func open(t *testing.T, m Messages, tick func(context.Context, string) error) *Console {
	t.Helper()
	c := New(t.Context(), Config{Env: env.Of(nil), Functions: functions, Messages: m, Calls: &Calls{}, Tick: tick})
	t.Cleanup(c.Wait)
	return c
}

// get returns the answer to a GET of this machine.
func get(h http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+path, nil))
	return w
}

// post returns the answer to a form of the console.
func post(h http.Handler, path string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPages(t *testing.T) {
	t.Parallel()
	c := open(t, messages(250), nil)
	_, _ = c.Calls.Write(line("reservation-hold", 500, 7, `,"cause":"<b>disk full</b>"`))
	for _, test := range []struct {
		path   string
		status int
		want   string
		not    string
	}{
		{"/", 200, `href="/site/kabul-grand-hotel"`, ""},
		{"/-/", 200, `<a class="bad" href="/-/functions?failed=1">1</a>`, ""},
		{"/-/functions", 200, "&lt;b&gt;disk full&lt;/b&gt;", "<b>disk"},
		{"/-/functions?service=consumer", 200, "consumer-captured", "/-/functions/reservation-hold"},
		{"/-/functions?kind=schedule", 200, "reservation-expireholds", "/-/functions/consumer-captured"},
		{"/-/functions?failed=1", 200, "reservation-hold", "reservation-expireholds"},
		{"/-/functions/reservation-hold", 200, "7.0 ms", "Tick now"},
		{"/-/functions/reservation-expireholds", 200, "Tick now", ""},
		{"/-/functions/none", 404, "there is no function", ""},
		{"/-/events", 200, `<a href="/-/events/250">`, `<a href="/-/events/100">`},
		{"/-/events?from=0", 200, `href="/-/events?from=100">Next`, `<a href="/-/events/101">`},
		{"/-/events?from=200", 200, `<a href="/-/events/201">`, "Next events"},
		{"/-/events?subject=subject1", 200, "test.subject1", "<th scope=\"row\">test.subject2"},
		{"/-/events?key=key249", 200, `<a href="/-/events/250">`, `<a href="/-/events/249">`},
		{"/-/events?tenant=tnt_x", 200, "No event matches", ""},
		{"/-/events?from=x", 404, "is no position", ""},
		{"/-/events/1", 200, "consumer-captured", ""},
		{"/-/events/2", 200, "No function consumes", ""},
		{"/-/events/251", 404, "no longer has", ""},
		{"/-/runs/none", 404, "keeps the last", ""},
		{"/-/console.css", 200, "body", ""},
		{"/-/console.js", 200, "EventSource", ""},
		{"/-/docs/reservation.yaml", 200, "openapi: 3.1", ""},
		{"/-/docs/none.yaml", 404, "", ""},
		{"/-/nowhere", 404, "no such page", ""},
	} {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			w := get(c, test.path)
			if w.Code != test.status {
				t.Errorf("status = %d, want %d", w.Code, test.status)
			}
			if !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("%q is not in %s", test.want, w.Body)
			}
			if test.not != "" && strings.Contains(w.Body.String(), test.not) {
				t.Errorf("%q is in %s", test.not, w.Body)
			}
		})
	}
}

func TestLocal(t *testing.T) {
	t.Parallel()
	h := Local(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for _, test := range []struct {
		host, remote string
		status       int
	}{
		{"127.0.0.1:8080", "127.0.0.1:999", 204},
		{"localhost:8080", "[::1]:999", 204},
		{"[::1]:8080", "[::1]:999", 204},
		{"rebound.example.com:8080", "127.0.0.1:999", 403},
		{"127.0.0.1:8080", "10.0.0.2:999", 403},
		{"", "127.0.0.1:999", 403},
	} {
		t.Run(test.host+" "+test.remote, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/-/", nil)
			r.Host, r.RemoteAddr = test.host, test.remote
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != test.status {
				t.Errorf("status = %d, want %d", w.Code, test.status)
			}
		})
	}
}

// A change runs once for each valid form, and not for a form of another origin or without the token.
func TestAct(t *testing.T) {
	t.Parallel()
	ticks := make(chan string, 9)
	c := open(t, messages(0), func(_ context.Context, name string) error { ticks <- name; return nil })
	const path = "/-/functions/reservation-expireholds/tick"
	good := url.Values{"token": {c.token}, "back": {"/-/functions?kind=schedule"}}
	for _, test := range []struct {
		name    string
		path    string
		form    url.Values
		headers []string
		status  int
	}{
		{"no token", path, nil, nil, 403},
		{"wrong token", path, url.Values{"token": {"x"}}, nil, 403},
		{"other site", path, good, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"other origin", path, good, []string{"Origin", "http://localhost:5173"}, 403},
		{"no schedule", "/-/functions/reservation-hold/tick", good, nil, 400},
		{"no function", "/-/functions/none/tick", good, nil, 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			if w := post(c, test.path, test.form, test.headers...); w.Code != test.status {
				t.Errorf("status = %d, want %d: %s", w.Code, test.status, w.Body)
			}
		})
	}
	if len(ticks) > 0 {
		t.Errorf("a rejected form ticked %s", <-ticks)
	}
	w := post(c, path, good, "Origin", "http://127.0.0.1:8080")
	if w.Code != http.StatusSeeOther || <-ticks != "reservation-expireholds" {
		t.Fatalf("status = %d, want a redirect: %s", w.Code, w.Body)
	}
	page := get(c, w.Header().Get("Location")).Body.String()
	for _, want := range []string{"Done.", "answered after", `href="/-/functions?kind=schedule"`} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(page, want) {
				t.Errorf("%q is not in %s", want, page)
			}
		})
	}
}

// A form that never ends does not hold its connection.
func TestAct_unfinished(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(open(t, messages(0), nil))
	defer server.Close()
	body, never := io.Pipe()
	defer never.Close()
	began := time.Now()
	res, err := http.Post(server.URL+"/-/clock", "application/x-www-form-urlencoded", body)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if spent := time.Since(began); res.StatusCode != http.StatusBadRequest || spent > 3*formTime {
		t.Errorf("status = %d after %s, want 400 within %s", res.StatusCode, spent, 3*formTime)
	}
}

func TestRun_failureAndProgress(t *testing.T) {
	t.Parallel()
	c := open(t, messages(0), nil)
	halt := make(chan struct{})
	r := c.runs.start("Long work", "/-/", func(_ context.Context, out io.Writer) error {
		fmt.Fprintln(out, "half")
		<-halt
		return errors.New("the disk is full")
	})
	for !strings.Contains(r.progress().Output, "half") {
		r.await(t.Context(), quick/100)
	}
	if page := get(c, "/-/runs/"+r.ID).Body.String(); !strings.Contains(page, "data-running>Look again") || !strings.Contains(page, "half") {
		t.Errorf("a running change shows %s", page)
	}
	close(halt)
	r.await(t.Context(), quick)
	if page := get(c, "/-/runs/"+r.ID).Body.String(); !strings.Contains(page, "the disk is full") || strings.Contains(page, "data-running>Look again") {
		t.Errorf("a failed change shows %s", page)
	}
}

func TestBack(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{"/-/events?key=a": "/-/events?key=a", "//example.com/-/": "/-/", "https://example.com/-/x": "/-/", "javascript:1": "/-/", "": "/-/"} {
		t.Run(fmt.Sprintf("%q", from), func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(url.Values{"back": {from}}.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if got := back(r); got != want {
				t.Errorf("back(%q) = %q, want %q", from, got, want)
			}
		})
	}
}
