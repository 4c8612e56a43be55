package booking

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// A LoggedCall is the line of a call in the functions' log.
type LoggedCall struct {
	Time      time.Time `json:"time"`
	Severity  string    `json:"severity"`
	Function  string    `json:"function"`
	RequestID string    `json:"requestId"`
	Tenant    string    `json:"tenant"`
	Event     string    `json:"eventId"`
	Attempt   int       `json:"attempt"`
	Replayed  bool      `json:"replayed"`
	Parked    string    `json:"parked"`
	Code      string    `json:"code"`
	Cause     string    `json:"cause"`
	Stack     string    `json:"stack_trace"`
	Trace     string    `json:"logging.googleapis.com/trace"`
	HTTP      struct {
		Status  int    `json:"status"`
		Latency string `json:"latency"`
		Method  string `json:"requestMethod"`
		Path    string `json:"requestUrl"`
	} `json:"httpRequest"`
}

// Latency returns the duration of the call.
func (c LoggedCall) Latency() time.Duration {
	seconds, _ := strconv.ParseFloat(strings.TrimSuffix(c.HTTP.Latency, "s"), 64) // 0 if it is missing
	return time.Duration(seconds * float64(time.Second))
}

// EarlyRetried begins the cause of an early delivery, as functions/reservation/allocationcommitted logs it. Its test compares the words.
const EarlyRetried = "early, retried"

// MaxEarly is the number of attempts after which a delivery without its row is a failure: the row should exist by then.
const MaxEarly = 4

// Early reports whether the call was a delivery of an event that came before the row that it needs. The bus retries it.
func (c LoggedCall) Early() bool {
	return c.Event != "" && c.HTTP.Status == http.StatusServiceUnavailable && c.Attempt <= MaxEarly && c.Parked == "" &&
		strings.HasPrefix(c.Cause, EarlyRetried)
}

// maxLineLength is the maximum length of a line of the log. Causes and stacks are truncated long before.
const maxLineLength = 1 << 20

// readLog reads the calls in the log. It ignores an incomplete last line.
func readLog(log io.Reader) (calls []LoggedCall, err error) {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, maxLineLength)
	for lines.Scan() {
		var c LoggedCall
		if json.Unmarshal(lines.Bytes(), &c) == nil && c.Function != "" {
			calls = append(calls, c)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("timeline: log: %w", err)
	}
	return calls, nil
}

// trace returns the id of the call's trace, without the project.
func (c LoggedCall) trace() string { return c.Trace[strings.LastIndexByte(c.Trace, '/')+1:] }

// margin is the time before the first moment in which calls of the booking may have begun.
const margin = time.Hour

// called collects the calls that published or consumed the events or name the booking in their path, and the calls that
// those made.
func (t *collector) called(ctx context.Context) error {
	first, chain := Search{Paths: t.texts()}, trail{}
	for _, m := range t.moments {
		chain.events, chain.requests, chain.traces = append(chain.events, m.event), append(chain.requests, m.request), append(chain.traces, m.trace)
		if first.Since.IsZero() || m.At.Before(first.Since) {
			first.Since = m.At
		}
	}
	first.Since = first.Since.Add(-margin)
	chain = chain.compact()
	first.Events = chain.events
	if err := t.search(ctx, first); err != nil {
		return err
	}
	for _, c := range t.calls {
		if t.knows(mention.FindAllString(c.HTTP.Path, -1)) {
			chain.requests, chain.traces = append(chain.requests, c.RequestID), append(chain.traces, c.trace())
		}
	}
	chain = chain.compact()
	if err := t.search(ctx, Search{Since: first.Since, Requests: chain.requests, Traces: chain.traces}); err != nil {
		return err
	}
	for _, c := range t.calls {
		if t.all && !c.idle() || t.concerns(c, chain) {
			t.moments = append(t.moments, c.moment())
		}
	}
	return nil
}

func (t *collector) concerns(c LoggedCall, chain trail) bool {
	has := func(list []string, s string) bool { _, found := slices.BinarySearch(list, s); return s != "" && found }
	if t.strange(mention.FindAllString(c.HTTP.Path, -1)) {
		return false
	}
	return has(chain.events, c.Event) || has(chain.requests, c.RequestID) || has(chain.traces, c.trace())
}

// idle reports whether the call was a successful scheduled call, of which most do nothing.
func (c LoggedCall) idle() bool {
	return strings.HasPrefix(c.HTTP.Path, "/internal/ticks/") && c.HTTP.Status < 300
}

func (c LoggedCall) moment() Moment {
	owner, verb, _ := strings.Cut(c.Function, "-")
	took := c.Latency()
	what := []string{fmt.Sprintf("%s %d in %d ms", verb, c.HTTP.Status, took.Milliseconds())}
	if named := brief(mention.FindAllString(c.HTTP.Path, -1)); named != "" {
		what = append(what, named)
	}
	if c.Event != "" {
		what = append(what, short(c.Event))
	}
	return Moment{At: c.Time, Service: owner, Kind: Call, What: strings.Join(append(what, c.remarks()...), "  "),
		clues: clues{event: c.Event, request: c.RequestID, function: c.Function, trace: c.trace(), ended: c.Time.Add(took)}}
}

// remarks returns the unusual properties of the call.
func (c LoggedCall) remarks() (all []string) {
	if c.Attempt > 1 {
		all = append(all, fmt.Sprintf("attempt %d", c.Attempt))
	}
	if c.Replayed {
		all = append(all, "replayed")
	}
	if c.Code != "" {
		all = append(all, c.Code)
	}
	if c.Early() {
		return append(all, EarlyRetried)
	}
	for _, words := range []string{c.Parked, c.Cause} {
		if words != "" {
			all = append(all, "because "+veil(words))
		}
	}
	if c.Stack != "" {
		all = append(all, "PANIC")
	}
	return all
}
