package console

import (
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/jobs/timeline/booking"
)

// A Call is a line of the functions' log.
type Call struct{ booking.LoggedCall }

// Failed reports whether the call failed because of the function or its dependencies, or gave an event up.
func (c Call) Failed() bool {
	return (c.HTTP.Status >= 500 || c.Parked != "" || c.Stack != "") && !c.Early()
}

// Why returns the cause of a failed or rejected call.
func (c Call) Why() string {
	for _, text := range []string{c.Parked, c.Cause, c.Code} {
		if text != "" {
			return text
		}
	}
	return ""
}

// Limits of the calls in memory.
const (
	maxCalls     = 5000 // of all functions
	maxOwn       = 50   // of each function
	maxLatencies = 500  // of each function, for the percentiles
)

// Calls keeps the latest calls of all functions. The functions' log is written to it, one line per call of Write. Its zero value
// is ready.
type Calls struct {
	mu     sync.Mutex
	latest []Call // of all functions
	of     map[string]*record
}

// A record sums up the calls of one function.
type record struct {
	calls, early, rejected, failed int
	latencies                      []time.Duration // the latest ones
	latest                         []Call
	failure                        Call // the last one
}

// Write adds a line of the log. Lines that are no calls are ignored.
func (c *Calls) Write(line []byte) (int, error) {
	var call Call
	if json.Unmarshal(line, &call) == nil && call.Function != "" {
		c.add(call)
	}
	return len(line), nil
}

func (c *Calls) add(call Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]*record{}
	}
	r := c.of[call.Function]
	if r == nil {
		r = &record{}
		c.of[call.Function] = r
	}
	r.calls++
	switch {
	case call.Failed():
		r.failed++
		r.failure = call
	case call.Early():
		r.early++
	case call.HTTP.Status >= 400:
		r.rejected++
	}
	r.latencies = bounded(append(r.latencies, call.Latency()), maxLatencies)
	r.latest = bounded(append(r.latest, call), maxOwn)
	c.latest = bounded(append(c.latest, call), maxCalls)
}

// bounded drops the older half of a list that has reached twice its limit.
func bounded[T any](list []T, limit int) []T {
	if len(list) < 2*limit {
		return list
	}
	return slices.Clone(list[limit:])
}

// A Sum is the summary of the calls of one function.
type Sum struct {
	Calls, Early, Rejected, Failed int
	P50, P99                       time.Duration
	Failure                        *Call // the last failed call
	Latest                         []Call
}

// Of returns the summary of a function, its latest calls first.
func (c *Calls) Of(function string) (s Sum) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.of[function]
	if r == nil {
		return s
	}
	s = Sum{Calls: r.calls, Early: r.early, Rejected: r.rejected, Failed: r.failed, Latest: slices.Clone(r.latest)}
	slices.Reverse(s.Latest)
	s.Latest = s.Latest[:min(len(s.Latest), maxOwn)]
	if failure := r.failure; r.failed > 0 {
		s.Failure = &failure
	}
	sorted := slices.Sorted(slices.Values(r.latencies))
	s.P50, s.P99 = percentile(sorted, 50), percentile(sorted, 99)
	return s
}

// percentile returns the smallest value that at least p percent of the sorted values do not exceed.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*p+99)/100-1]
}

// about returns the calls that a condition selects, oldest first.
func (c *Calls) about(condition func(Call) bool) (found []Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range c.latest {
		if condition(call) {
			found = append(found, call)
		}
	}
	return found
}
