package probe_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/probe"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// TestMain deletes the program of the local cloud after the tests.
func TestMain(m *testing.M) { os.Exit(system.Main(m)) }

// A front is a proxy before the system. It breaks the calls that the test names.
type front struct {
	*httptest.Server
	mu     sync.Mutex
	match  *regexp.Regexp // method and path
	answer func(w http.ResponseWriter, r *http.Request)
}

func open(t *testing.T, s *system.System) *front {
	t.Helper()
	target := check.Got(url.Parse(s.Cloud.URL())).Must(t)
	proxy := httputil.NewSingleHostReverseProxy(target)
	f := &front{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		match, answer := f.match, f.answer
		f.mu.Unlock()
		if match != nil && match.MatchString(r.Method+" "+r.URL.Path) {
			answer(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// breaks sets what is broken; "" repairs everything.
func (f *front) breaks(match string, answer func(http.ResponseWriter, *http.Request)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.match, f.answer = nil, answer
	if match != "" {
		f.match = regexp.MustCompile(match)
	}
}

// call runs the job like its command, in an environment of its own: a new run has no memory of earlier ones.
func (f *front) call(t *testing.T, s *system.System, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	e := s.Env().With("PROBE_URL", f.URL).With("UPSTREAM_RESERVATION_URL", f.URL+"/api/v1/reservations")
	var out, errs bytes.Buffer
	job := command.Job{Name: probe.Job.Name, Run: func(ctx context.Context, _ env.Env, args []string) error { return probe.Run(ctx, e, args, &out) }}
	code = command.Run(t.Context(), job, env.Of(nil), args, &errs)
	return code, out.String(), errs.String()
}

func failing(status int, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // the client sees what is missing
	}
}

// live returns the number of reservations that keep a room.
func live(t *testing.T, s *system.System) (n int) {
	t.Helper()
	err := s.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*) FROM reservation.reservations WHERE state IN ('held', 'confirmed')`).Scan(&n)
	check.Must(t, err)
	return n
}

func TestRun(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	f := open(t, s)
	for range 2 {
		code, stdout, stderr := f.call(t, s)
		check.MustEqual(t, code, 0, "exit code: %s: %s", stderr, stdout)
		want := append(probe.StepNames(), "clean-up")
		var got []string
		for l := range strings.Lines(stdout) {
			var read struct {
				Severity string `json:"severity"`
				Message  string `json:"message"`
				Step     string `json:"step"`
			}
			check.Must(t, json.Unmarshal([]byte(l), &read), "%s", l)
			if read.Severity != "INFO" || read.Message == "" {
				t.Errorf("the line %s says %+v", l, read)
			}
			got = append(got, read.Step)
		}
		if !slices.Equal(got, want) {
			t.Errorf("lines of %v, want %v", got, want)
		}
	}
	check.Equal(t, live(t, s), 0, "reservations that keep a room")
	if _, found, err := probe.LeftBehind(t.Context(), s.Env(), demo.KabulGrand.Property.String()); found || err != nil {
		t.Errorf("the document is left: %v, %v", found, err)
	}
	var booked, cancelled int
	err := s.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE state = 'cancelled') FROM reservation.reservations`).Scan(&booked, &cancelled)
	check.Must(t, err)
	check.Equal(t, booked, 2)
	check.Equal(t, cancelled, 2)
}

// TestRun_brokenSteps breaks the route of each step in turn.
func TestRun_brokenSteps(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	f := open(t, s)
	down := failing(http.StatusInternalServerError, `{"code":"MELMASTOON.GENERAL.INTERNAL"}`)
	const reservation = `/api/v1/reservations/rsv_\w+`
	broken := map[string]bool{}
	for _, test := range []struct {
		step, match string
		answer      func(http.ResponseWriter, *http.Request)
		says        string
		kept        bool // the reservation cannot be cancelled by this run
	}{
		{step: "search", match: `POST /bff/consumer/v1/search$`, answer: down, says: "500 (MELMASTOON.GENERAL.INTERNAL), want 200"},
		{step: "search", match: `POST /bff/consumer/v1/search$`, answer: failing(http.StatusOK, `{"results":[]}`), says: "is not among the hotels of Kabul"},
		{step: "hotel", match: `GET /bff/consumer/v1/hotels/`, answer: down},
		{step: "hotel", match: `GET /bff/consumer/v1/hotels/`, answer: failing(http.StatusOK, `{}`), says: `property.propertyId is ""`},
		{step: "handoff", match: `POST /bff/consumer/v1/handoff/`, answer: down},
		{step: "consume", match: `POST .*/handoff/consume$`, answer: down},
		{step: "bootstrap", match: `GET .*/bootstrap$`, answer: down},
		{step: "availability", match: `GET .*/availability$`, answer: failing(http.StatusOK, `{"rooms":[]}`), says: "no room has a rate"},
		{step: "quote", match: `POST .*/quote$`, answer: failing(http.StatusCreated, `not JSON`), says: "another form"},
		{step: "hold", match: `POST .*/hold$`, answer: failing(http.StatusCreated, `{}`), says: "lacks reservationId"},
		{step: "guest", match: `PATCH .*/draft/`, answer: down},
		{step: "draft", match: `GET .*/draft/`, answer: failing(http.StatusOK, `{"flowState":"holding"}`), says: `flowState is "holding"`},
		{step: "payment", match: `POST .*/payment-intent$`, answer: down},
		{step: "confirm", match: `POST .*/draft/\w+/confirm$`, answer: hanging, says: "deadline exceeded"},
		{step: "confirmation", match: `GET .*/confirmation/`, answer: failing(http.StatusNotFound, ``), says: "404 (no problem document)"},
		{step: "confirmed", match: `GET ` + reservation + `$`, answer: failing(http.StatusOK, `{"state":"held"}`), says: `state is "held"`, kept: true},
		{step: "cancel", match: `POST ` + reservation + `/cancel$`, answer: down, kept: true},
		{step: "cancelled", match: `POST ` + reservation + `/cancel$`, answer: failing(http.StatusOK, `{}`), says: `state is "confirmed"`, kept: true},
	} {
		t.Run(test.step+": "+test.says, func(t *testing.T) {
			f.breaks(test.match, test.answer)
			broken[test.step] = true
			code, stdout, stderr := f.call(t, s, "-deadline=2s")
			if code != 1 {
				t.Errorf("exit code = %d, want 1\n%s", code, stdout)
			}
			check.Contains(t, stderr, "step "+test.step+": ", test.says)
			f.breaks("", nil)
			if !test.kept {
				check.Equal(t, live(t, s), 0, "reservations that keep a room")
				return
			}
			s.Advance(probe.Claimed) // the next run of the schedule
			if code, stdout, stderr := f.call(t, s); code != 0 {
				t.Errorf("the next run: exit code = %d, want 0: %s\n%s", code, stderr, stdout)
			}
			check.Equal(t, live(t, s), 0, "reservations that the next run leaves")
		})
	}
	for _, name := range probe.StepNames() {
		if !broken[name] && name != "leftovers" { // TestRun_killed breaks that one
			t.Errorf("no test breaks the step %s", name)
		}
	}
}

// hanging does not respond until the caller has left.
func hanging(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// TestRun_killed wants the next run to cancel the reservation of a run that ended without cancelling it.
func TestRun_killed(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	f := open(t, s)
	v := s.Visit(demo.KabulGrand).Book(system.Usual(), "cash_on_arrival")
	v.Must(http.StatusOK, http.MethodPost, v.Draft("/confirm"), nil)
	property := demo.KabulGrand.Property.String()
	check.Must(t, probe.LeaveBehind(t.Context(), s.Env(), property, v.ReservationID))
	if code, _, stderr := f.call(t, s); code != 1 || !strings.Contains(stderr, probe.ErrBusy.Error()) {
		t.Errorf("beside another run: exit code %d, %s", code, stderr)
	}
	if got, _, err := probe.LeftBehind(t.Context(), s.Env(), property); got != v.ReservationID {
		t.Errorf("the document of the other run names %q, %v", got, err)
	}
	s.Advance(probe.Claimed)
	f.breaks(`GET /api/v1/reservations/rsv_\w+$`, failing(http.StatusServiceUnavailable, `{}`))
	if code, _, stderr := f.call(t, s); code != 1 || !strings.Contains(stderr, "step leftovers: ") {
		t.Errorf("while the reservation service is down: exit code %d, %s", code, stderr)
	}
	f.breaks("", nil)
	s.Advance(probe.Claimed)
	if code, stdout, stderr := f.call(t, s); code != 0 {
		t.Errorf("exit code %d: %s\n%s", code, stderr, stdout)
	}
	check.Equal(t, live(t, s), 0, "reservations that keep a room")
}

func TestParse(t *testing.T) {
	t.Parallel()
	e := env.Of(map[string]string{"PROBE_URL": "https://hotels.example"})
	for _, test := range []struct {
		name string
		env  env.Env
		args []string
		code int
	}{
		{"help", e, []string{"-help"}, 0},
		{"unknown_flag", e, []string{"-fast"}, 2},
		{"argument", e, []string{"now"}, 2},
		{"past", e, []string{"-days=0"}, 2},
		{"tenant", e, []string{"-tenant=hotel"}, 2},
		{"no_deadline", e, []string{"-deadline=0s"}, 2},
		{"no_address", env.Of(nil), nil, 1},
		{"path", env.Of(map[string]string{"PROBE_URL": "https://hotels.example/"}), nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var errs bytes.Buffer
			job := command.Job{Name: probe.Job.Name, Run: func(_ context.Context, e env.Env, args []string) error { return probe.Parse(e, args) }}
			if code := command.Run(t.Context(), job, test.env, test.args, &errs); code != test.code {
				t.Errorf("exit code %d, want %d: %s", code, test.code, errs.String())
			}
		})
	}
}
