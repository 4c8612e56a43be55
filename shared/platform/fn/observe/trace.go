// Package observe writes traces and one log line per call (decisions 82, 186).
package observe

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Begin continues the caller's trace, or begins one, with a new span for this call. Work under the returned context belongs to
// that span.
func Begin(ctx context.Context, h http.Header) (context.Context, trace.SpanContext) {
	if parents := h["Traceparent"]; len(parents) == 1 { // several headers are invalid
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{
			"traceparent": parents[0], "tracestate": strings.Join(h["Tracestate"], ","), // one list, in any number of headers
		})
	}
	span := trace.SpanContextFromContext(ctx)
	var fresh [24]byte
	_, _ = rand.Read(fresh[:]) // crypto/rand never returns an error
	if !span.IsValid() {
		span = span.WithTraceID(trace.TraceID(fresh[:16]))
	}
	span = span.WithSpanID(trace.SpanID(fresh[16:])).WithRemote(false)
	return trace.ContextWithSpanContext(ctx, span), span
}

// Parent returns a span in the form of a traceparent header.
func Parent(s trace.SpanContext) string {
	header := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpanContext(context.Background(), s), header)
	return header["traceparent"]
}
