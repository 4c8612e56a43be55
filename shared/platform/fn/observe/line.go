package observe

import (
	"encoding/hex"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/otel/trace"

	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A Line is what is told of one call, in the form that Cloud Logging understands. It has no place for a body, a query
// string or a header: what may hold a token or a guest's data cannot be logged by accident.
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
	Subject string // of an event
	EventID string
	Attempt int

	Outbox outbox.Waits // of what this call published

	Replayed bool   // answered from the idempotency ledger
	Parked   string // why an event was given up
	Code     string // of the problem that was answered
	Cause    error  // what lay behind it; never shown to the caller
	Stack    []byte // where it panicked
}

const (
	longest   = 2048 // of a cause
	pathLimit = 256
)

func (l *Line) severity() string {
	switch {
	case l.Status >= 500 && l.Status != 503, l.Stack != nil, l.Parked != "", l.Outbox.Stuck.Domain > 0:
		return "ERROR"
	case l.Outbox.Stuck.Telemetry > 0, l.Status == 503, l.Status == 429, l.Status == 401, l.Status == 403:
		return "WARNING"
	}
	return "INFO"
}

func (l *Line) append(b []byte, project string) []byte {
	b = append(b, `{"severity":"`...)
	b = append(b, l.severity()...)
	b = append(b, `","time":"`...)
	b = l.Time.AppendFormat(b, time.RFC3339Nano)
	b = append(b, '"')
	b = member(b, "message", l.Function+" "+strconv.Itoa(l.Status))
	b = member(b, "function", l.Function)
	b = member(b, "requestId", l.RequestID)
	b = member(b, "tenant", l.Tenant)
	b = member(b, "caller", l.Caller)
	b = member(b, "userAgentClass", string(l.Class))
	b = member(b, "userAgentHash", string(l.Agent))
	b = member(b, "subject", l.Subject)
	b = member(b, "eventId", l.EventID)
	b = number(b, "attempt", int64(l.Attempt))
	b = l.appendOutbox(b)
	if l.Replayed {
		b = append(b, `,"replayed":true`...)
	}
	b = member(b, "parked", cut(l.Parked, longest))
	b = member(b, "code", l.Code)
	if l.Cause != nil {
		b = member(b, "cause", cut(l.Cause.Error(), longest))
	}
	b = member(b, "stack_trace", string(l.Stack))
	b = l.appendTrace(b, project)
	return append(l.appendHTTP(b), '}', '\n')
}

func (l *Line) appendTrace(b []byte, project string) []byte {
	if !l.Trace.IsValid() {
		return b
	}
	b = append(b, `,"logging.googleapis.com/trace":"`...)
	if project != "" {
		b = append(append(append(b, "projects/"...), project...), "/traces/"...)
	}
	traceID, spanID := l.Trace.TraceID(), l.Trace.SpanID()
	b = hex.AppendEncode(b, traceID[:])
	b = append(b, `","logging.googleapis.com/spanId":"`...)
	b = hex.AppendEncode(b, spanID[:])
	b = append(b, `","logging.googleapis.com/trace_sampled":`...)
	return strconv.AppendBool(b, l.Trace.IsSampled())
}

// appendOutbox tells how long events had waited, in one member for all that the call published: a relay publishes too many
// for a line each. Nobody late is told too, for what is counted from the lines is how many of all were. A relay that found events in
// need of a person counts them here.
func (l *Line) appendOutbox(b []byte) []byte {
	if l.Outbox == (outbox.Waits{}) {
		return b
	}
	b = append(b, `,"outbox":{"published":`...)
	b = strconv.AppendInt(b, int64(l.Outbox.Published), 10)
	b = append(b, `,"late":`...)
	b = strconv.AppendInt(b, int64(l.Outbox.Late), 10)
	b = append(b, `,"slowestSeconds":`...)
	b = strconv.AppendFloat(b, l.Outbox.Slowest.Seconds(), 'f', 3, 64)
	b = number(b, "stuck", int64(l.Outbox.Stuck.Domain))
	b = number(b, "stuckTelemetry", int64(l.Outbox.Stuck.Telemetry))
	return append(b, '}')
}

func (l *Line) appendHTTP(b []byte) []byte {
	b = append(b, `,"httpRequest":{"status":`...)
	b = strconv.AppendInt(b, int64(l.Status), 10)
	b = append(b, `,"latency":"`...)
	b = strconv.AppendFloat(b, l.Latency.Seconds(), 'f', 6, 64)
	b = append(b, `s"`...)
	b = member(b, "requestMethod", l.Method)
	b = member(b, "requestUrl", cut(l.Path, pathLimit))
	b = member(b, "protocol", l.Protocol)
	b = size(b, "requestSize", l.Received)
	b = size(b, "responseSize", l.Sent)
	return append(b, '}')
}

// member appends a string where there is one.
func member(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(append(append(b, ',', '"'), name...), '"', ':')
	if !utf8.ValidString(value) {
		value = string([]rune(value))
	}
	b, _ = jsontext.AppendQuote(b, value) // it fails on invalid UTF-8 only
	return b
}

func number(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	b = append(append(append(b, ',', '"'), name...), '"', ':')
	return strconv.AppendInt(b, n, 10)
}

// size appends an int64 as Cloud Logging reads it: a string.
func size(b []byte, name string, n int64) []byte {
	if n <= 0 {
		return b
	}
	b = append(append(append(b, ',', '"'), name...), '"', ':', '"')
	return append(strconv.AppendInt(b, n, 10), '"')
}

// cut keeps the beginning of a text, without half a character at its end.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
