package observe_test

import (
	"net/http"
	"testing"

	"melmastoon.ghasi.io/shared/platform/fn/observe"
)

func TestBegin_headersInSeveralLines(t *testing.T) {
	t.Parallel()
	const one, other = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4737-00f067aa0ba902b7-01"
	_, span := observe.Begin(t.Context(), http.Header{"Traceparent": {one}, "Tracestate": {"a=1", "b=2,c=3"}})
	if got := span.TraceState().String(); span.TraceID().String() != one[3:35] || got != "a=1,b=2,c=3" {
		t.Errorf("trace %s with state %q", span.TraceID(), got)
	}
	_, span = observe.Begin(t.Context(), http.Header{"Traceparent": {one, other}, "Tracestate": {"a=1"}})
	switch id := span.TraceID().String(); {
	case id == one[3:35]:
		t.Errorf("two parents: id = %v, want other than %v", id, one[3:35])
	case id == other[3:35]:
		t.Errorf("two parents: id = %v, want other than %v", id, other[3:35])
	case span.TraceState().Len() != 0:
		t.Errorf("two parents: span.TraceState().Len() = %v, want 0", span.TraceState().Len())
	}
}
