package console

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/shared/platform/env"
)

// The failures of event functions.
const (
	fails      = "fail"       // the function is not called, and 503 is answered
	late       = "late"       // the function is called after a delay
	twice      = "twice"      // the function is called twice, as after a lost acknowledgement
	answerLost = "answerlost" // the function is called, and 503 is answered
)

// lateBy is the delay of a late delivery.
const lateBy = 5 * time.Second

var functionFailures = []string{fails, late, twice, answerLost}

// failures holds the chosen failures and how often they were played.
type failures struct {
	mu         sync.Mutex
	neighbours map[string]string // scenario by service of the sandbox
	functions  map[string]string // failure by event function
	plays      []play            // the latest, oldest first
}

// A play is one call in which a failure was simulated.
type play struct {
	At                 time.Time
	Target, What, Path string
}

const maxPlays = 100

// note records a play.
func (f *failures) note(p play) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plays = bounded(append(f.plays, p), maxPlays)
}

func (f *failures) choice(of map[string]string, name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return of[name]
}

const scenarioHeader = "X-Sandbox-Scenario"

// Play wraps the functions so that the chosen failures occur: calls to a service of the sandbox carry its scenario unless the
// caller names one, and deliveries to an event function fail as chosen or as the request that caused them asked for.
func (c *Console) Play(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.remember(r); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintln(w, err)
			return
		}
		if path, ok := strings.CutPrefix(r.URL.Path, "/sandbox/"); ok {
			name, _, _ := strings.Cut(path, "/")
			if chosen := c.played.choice(c.played.neighbours, name); chosen != "" && r.Header.Get(scenarioHeader) == "" {
				c.played.note(play{At: c.Env.Now(), Target: name, What: chosen, Path: r.Method + " " + r.URL.Path})
				r.Header.Set(scenarioHeader, chosen)
			}
		}
		if name, ok := strings.CutPrefix(r.URL.Path, "/internal/events/"); ok {
			if chosen := c.failureOf(name, r.Header); chosen != "" {
				c.playEvent(w, r, next, name, chosen)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// playEvent delivers an event with a failure.
func (c *Console) playEvent(w http.ResponseWriter, r *http.Request, next http.Handler, name, chosen string) {
	attempt, _ := strconv.Atoi(r.Header.Get("X-Goog-Pubsub-Delivery-Attempt")) // 0 if it is missing
	defer c.played.note(play{At: c.Env.Now(), Target: name, What: chosen, Path: "attempt " + strconv.Itoa(attempt) + " of " + r.Header.Get("Ce-Id")})
	switch chosen {
	case late:
		if env.Wait(r.Context(), lateBy) == nil {
			next.ServeHTTP(w, r)
		}
		return
	case twice, answerLost:
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		first := r.Clone(r.Context())
		first.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(httptest.NewRecorder(), first)
		if chosen == twice {
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
			return
		}
	}
	call := Call{booking.LoggedCall{Time: c.Env.Now(), Severity: "WARNING", Function: name, Event: r.Header.Get("Ce-Id"), Attempt: attempt, Cause: "simulated by the console: " + chosen}}
	call.HTTP.Status, call.HTTP.Method, call.HTTP.Path = http.StatusServiceUnavailable, r.Method, r.URL.Path
	c.Calls.add(call)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprintf(w, `{"code":"SIMULATED","detail":%q}`, call.Cause) // fails if the bus has disconnected
}

// maxBody is Pub/Sub's limit.
const maxBody = 10 << 20

// A target is a service or function with its chosen failure.
type target struct {
	Name, Chosen string
	Scenarios    []sandbox.Scenario // of a service: those that affect it
}

// failuresView is the content of the page of failures.
type failuresView struct {
	Neighbours, Functions []target
	Failures              []string
	Plays                 []play
	Any                   bool
}

func (c *Console) failures(*http.Request) (any, error) {
	f := &c.played
	f.mu.Lock()
	defer f.mu.Unlock()
	v := failuresView{Failures: functionFailures, Plays: slices.Clone(f.plays), Any: len(f.neighbours)+len(f.functions)+len(f.plays) > 0}
	for _, name := range sandbox.Services {
		v.Neighbours = append(v.Neighbours, target{name, f.neighbours[name], sandbox.ScenariosOf(name)})
	}
	for _, one := range c.Functions {
		if one.Spec.Subject != "" {
			v.Functions = append(v.Functions, target{Name: one.Spec.Name, Chosen: f.functions[one.Spec.Name]})
		}
	}
	slices.Reverse(v.Plays)
	return v, nil
}

// choose sets or removes the failure of a service or function, or removes all.
func (c *Console) choose(r *http.Request) (string, change, error) {
	neighbour, function, chosen := r.PostFormValue("neighbour"), r.PostFormValue("function"), r.PostFormValue("failure")
	known := chosen == ""
	switch {
	case neighbour != "":
		known = (known || slices.Contains(sandbox.ScenariosOf(neighbour), sandbox.Scenario(chosen))) && slices.Contains(sandbox.Services, neighbour)
	case function != "":
		f, err := c.find(function)
		known = (known || slices.Contains(functionFailures, chosen)) && err == nil && f.Spec.Subject != ""
	}
	if !known {
		return "", nil, fmt.Errorf("%w: unknown service, function or failure", errForm)
	}
	return "Failures", func(_ context.Context, out io.Writer) error {
		f := &c.played
		f.mu.Lock()
		defer f.mu.Unlock()
		switch {
		case neighbour != "":
			put(f.neighbours, neighbour, chosen)
		case function != "":
			put(f.functions, function, chosen)
		default:
			clear(f.neighbours)
			clear(f.functions)
			c.requested.clear()
		}
		_, err := fmt.Fprintf(out, "%d services and %d functions fail.\n", len(f.neighbours), len(f.functions))
		return err
	}, nil
}

func put(chosen map[string]string, name, value string) {
	if value == "" {
		delete(chosen, name)
	} else {
		chosen[name] = value
	}
}
