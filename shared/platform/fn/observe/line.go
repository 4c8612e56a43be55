package observe

import (
	"fmt"
	"log/slog"
	"strconv"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/otel/trace"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/freetext"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A Line describes one call. It has no field for a body, a query string or a header, so that tokens and guests' data cannot be
// logged by accident.
type Line struct {
	Time      time.Time
	Latency   time.Duration
	Function  string
	RequestID string
	Trace     trace.SpanContext

	Method, Path, Protocol string
	Status                 int
	Received, Sent         int64

	Class attribution.Device // of the client
	Agent pseudonym.Hash     // of the client's user agent: never the text, which can name a person

	Tenant  string
	Caller  string // the e-mail of a service; never a person
	Subject string // of the consumed event
	EventID string
	Attempt int

	Outbox outbox.Report // delays of the events that this call published
	Counts *Counts       // of incidents; may be nil

	Replayed bool   // answered from the idempotency ledger
	Parked   string // why an event was dead-lettered
	Code     string // of the problem
	Cause    error  // the internal cause; never shown to the caller
	Stack    []byte // of a panic
}

const (
	maxCause = 2048
	maxPath  = 256
)

// level returns ERROR for failures, and for incidents by which a guest may lose money or rooms, such as a stuck step or draft. It
// returns WARNING for incidents that the desk has time for: a manual key, and a room out of order without an alternative.
func (l *Line) level() slog.Level {
	switch {
	case l.Status >= 500 && l.Status != 503, l.Stack != nil, l.Parked != "", l.Outbox.Stuck.Evidence > 0, l.Counts.of(StuckSteps) > 0, l.Counts.of(StuckDrafts) > 0:
		return slog.LevelError
	case l.Outbox.Stuck.Operational > 0, l.Counts.of(ManualKeys) > 0, l.Counts.of(RoomsWithoutAlternative) > 0, l.Status == 503, l.Status == 429, l.Status == 401, l.Status == 403:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// record returns the line with the fields of Cloud Logging's LogEntry. The handler leaves out empty texts.
func (l *Line) record(project string) slog.Record {
	r := slog.NewRecord(l.Time, l.level(), l.Function+" "+strconv.Itoa(l.Status), 0)
	cause := ""
	if l.Cause != nil {
		cause = l.Cause.Error()
	}
	r.AddAttrs(
		slog.String("function", l.Function),
		slog.String("requestId", l.RequestID),
		slog.String("tenant", l.Tenant),
		slog.String("caller", l.Caller),
		slog.String("userAgentClass", string(l.Class)),
		slog.String("userAgentHash", string(l.Agent)),
		slog.String("subject", l.Subject),
		slog.String("eventId", l.EventID),
		number("attempt", l.Attempt),
		l.outbox(),
		l.Counts.attr(),
		slog.String("parked", cut(l.Parked, maxCause)),
		slog.String("code", l.Code),
		slog.String("cause", cut(cause, maxCause)),
		slog.String("stack_trace", string(l.Stack)),
		slog.Group("httpRequest",
			slog.Int("status", l.Status),
			slog.String("latency", fmt.Sprintf("%.6fs", l.Latency.Seconds())),
			slog.String("requestMethod", l.Method),
			slog.String("requestUrl", Shown(l.Path)),
			slog.String("protocol", l.Protocol),
			slog.String("requestSize", size(l.Received)),
			slog.String("responseSize", size(l.Sent)),
		),
	)
	if l.Replayed {
		r.AddAttrs(slog.Bool("replayed", true))
	}
	r.AddAttrs(l.trace(project)...)
	return r
}

func (l *Line) trace(project string) []slog.Attr {
	if !l.Trace.IsValid() {
		return nil
	}
	id := l.Trace.TraceID().String()
	if project != "" {
		id = "projects/" + project + "/traces/" + id
	}
	return []slog.Attr{
		slog.String("logging.googleapis.com/trace", id),
		slog.String("logging.googleapis.com/spanId", l.Trace.SpanID().String()),
		slog.Bool("logging.googleapis.com/trace_sampled", l.Trace.IsSampled()),
	}
}

// outbox says how long the published events had waited: one field for all of them, because a relay publishes too many for a
// line each. It also says so if no event was late, because a metric divides the late events by all.
func (l *Line) outbox() slog.Attr {
	if l.Outbox.Published == 0 && l.Outbox.Stuck == (outbox.Stuck{}) {
		return slog.Attr{}
	}
	return slog.Group("outbox",
		slog.Int("published", l.Outbox.Published),
		slog.Int("late", l.Outbox.Late),
		slog.Float64("slowestSeconds", float64(l.Outbox.Slowest.Milliseconds())/1000),
		number("stuck", l.Outbox.Stuck.Evidence),
		number("stuckOperational", l.Outbox.Stuck.Operational),
		number("rows", l.Outbox.Stuck.Rows),
	)
}

func number(name string, n int) slog.Attr {
	if n == 0 {
		return slog.Attr{}
	}
	return slog.Int(name, n)
}

// size returns a number of bytes as Cloud Logging reads it, or "" if there are none.
func size(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// Shown returns a path as logs and answers show it: its beginning, without contact data. It cuts the path before it scrubs it, because
// scrubbing costs 0.6 ms per kilobyte.
func Shown(path string) string { return cut(freetext.Scrub(cut(path, 2*maxPath)), maxPath) }

// cut returns the beginning of a text, without a partial character at its end.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
