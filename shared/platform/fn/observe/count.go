package observe

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// An Incident is something that needs a person although its call may succeed. It is a number with a fixed name, so that no text
// of a guest can get into a line.
type Incident int

// The incidents.
const (
	ManualKeys              Incident = iota // check-ins and changes of keys without an electronic key
	StuckSteps                              // saga steps that have had more than five attempts
	RoomsWithoutAlternative                 // guests whose room is out of order while no other is free
	StuckDrafts                             // drafts whose payment has had no outcome for two hours
	incidents
)

// incidentNames are the members of jsonPayload.counts, which metrics read.
var incidentNames = [incidents]string{ManualKeys: "manualKeys", StuckSteps: "stuckSteps", RoomsWithoutAlternative: "roomsWithoutAlternative", StuckDrafts: "stuckDrafts"}

// Counts is how often each incident occurred in one call. Its zero value is ready, and it may be used concurrently.
type Counts [incidents]atomic.Int64

type countsKey struct{}

// WithCounts returns a context whose incidents are counted in c.
func WithCounts(ctx context.Context, c *Counts) context.Context {
	return context.WithValue(ctx, countsKey{}, c)
}

// Count adds an incident to the log line of the call of ctx. Outside a call it does nothing.
func Count(ctx context.Context, i Incident) {
	if c, ok := ctx.Value(countsKey{}).(*Counts); ok {
		c[i].Add(1)
	}
}

// attr returns the incidents that occurred. The handler leaves out an empty group.
func (c *Counts) attr() slog.Attr {
	var attrs []any
	for i := range incidents {
		if n := c.of(i); n > 0 {
			attrs = append(attrs, slog.Int64(incidentNames[i], n))
		}
	}
	return slog.Group("counts", attrs...)
}

func (c *Counts) of(i Incident) int64 {
	if c == nil {
		return 0
	}
	return c[i].Load()
}
