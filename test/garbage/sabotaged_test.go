package garbage

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/local/edge"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A note is what the twins read.
type note struct {
	Which  string `path:"which"`
	Text   string `json:"text"`
	Number int    `json:"number"`
}

// faultyFunction is a function that does its work in that way.
func faultyFunction(name string, act func(context.Context, note) error) fn.Function {
	spec := fn.Spec{Name: "twin-" + name, Route: "POST /twin/" + name + "/{which}", Timeout: 5 * time.Second}
	return fn.HTTP(spec, fn.Open, func(env.Env) (func(context.Context, fn.Nothing, fn.Call[note]) (fn.Nothing, error), error) {
		return func(ctx context.Context, _ fn.Nothing, c fn.Call[note]) (fn.Nothing, error) {
			if c.In.Which != "abc" {
				return fn.Nothing{}, fault.ErrNotFound
			}
			return fn.Nothing{}, act(ctx, c.In)
		}, nil
	})
}

// faultyHandler is a handler that does by itself what a function leaves to its room: it decodes, and says what it thinks.
func faultyHandler(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1000))
	if err != nil || !strings.HasPrefix(string(body), "{") {
		http.Error(w, "cannot read "+string(body), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// TestGarbage_sabotaged sends garbage to functions with one fault each. Every fault is found, and the function without a fault passes.
func TestGarbage_sabotaged(t *testing.T) {
	t.Parallel()
	const rounds, slow = 400, 100 * time.Millisecond
	var log strings.Builder
	functions := []fn.Function{
		faultyFunction("honest", func(_ context.Context, n note) error {
			if len(n.Text) > 100 {
				return fault.ErrValidation.Saying("The text is too long.")
			}
			return nil
		}),
		faultyFunction("trips", func(_ context.Context, n note) error { _ = "abc"[len(n.Text)-1]; return nil }),
		faultyFunction("echoes", func(_ context.Context, n note) error {
			if n.Text != "abc" {
				return fault.ErrValidation.Saying("Not a good text: " + n.Text)
			}
			return nil
		}),
		faultyFunction("fails", func(_ context.Context, n note) error {
			if n.Number != 1 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}),
		faultyFunction("slow", func(ctx context.Context, n note) error {
			if n.Number == 1 {
				return nil
			}
			timer := time.NewTimer(slow + 20*time.Millisecond)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-ctx.Done():
			}
			return nil
		}),
		faultyFunction("sloppy", nil),
	}
	e := observe.LogKey.With(env.Of(map[string]string{"RATE_LIMIT_ADDRESS": "off"}), observe.To(&log))
	mux, err := edge.New(functions, func(f fn.Function) (http.Handler, error) {
		if f.Spec.Name == "twin-sloppy" {
			return http.HandlerFunc(faultyHandler), nil
		}
		return f.Handler(e)
	})
	check.Must(t, err)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	f := newFuzzer(strings.TrimPrefix(server.URL, "http://"), functions)
	f.slowest = slow
	results := check.Got(f.runAll(t.Context(), newTargets(newExamples(t), f, functions), 1, rounds)).Must(t)
	// The seed is a fixed one: which of the faults are found in so many rounds is then no matter of luck.
	for i, want := range [][]string{nil, {"answered 500"}, {"repeats what was sent"}, {"answered 500"}, {"took 1"}, {"was understood", "text/plain", "repeats what was sent"}} {
		t.Run(functions[i].Spec.Name, func(t *testing.T) {
			problems := strings.Join(results[i].wrong, "\n")
			check.Contains(t, problems, want...)
			if want == nil && problems != "" {
				t.Errorf("problems = %.2000s, want none", problems)
			}
		})
	}
	check.Contains(t, log.String(), `"stack_trace"`)
}
