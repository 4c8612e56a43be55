package console

import (
	"fmt"
	"testing"
	"time"

	"melmastoon.ghasi.io/jobs/timeline/booking"
)

// line returns a line of the log.
func line(function string, status, millis int, more string) []byte {
	return fmt.Appendf(nil, `{"time":"2026-11-25T10:00:00Z","severity":"INFO","function":%q%s,"httpRequest":{"status":%d,"latency":"%.6fs","requestMethod":"POST","requestUrl":"/x"}}`+"\n",
		function, more, status, float64(millis)/1000)
}

func TestCalls(t *testing.T) {
	t.Parallel()
	var calls Calls
	for n := range 100 {
		_, _ = calls.Write(line("reservation-hold", 201, n+1, ""))
	}
	_, _ = calls.Write(line("reservation-hold", 409, 1, ""))
	_, _ = calls.Write(line("reservation-hold", 503, 1, `,"cause":"first"`))
	_, _ = calls.Write(line("reservation-hold", 204, 1, `,"parked":"last"`))
	_, _ = calls.Write([]byte("no JSON\n"))
	_, _ = calls.Write([]byte(`{"severity":"INFO"}` + "\n"))
	s := calls.Of("reservation-hold")
	if got, want := [3]int{s.Calls, s.Rejected, s.Failed}, [3]int{103, 1, 2}; got != want {
		t.Errorf("calls, rejected, failed = %v, want %v", got, want)
	}
	if s.P50 != 49*time.Millisecond || s.P99 != 99*time.Millisecond {
		t.Errorf("p50, p99 = %v, %v, want 49ms, 99ms", s.P50, s.P99)
	}
	if s.Failure == nil || s.Failure.Why() != "last" {
		t.Errorf("last failure = %+v, want the dead letter", s.Failure)
	}
	if len(s.Latest) != maxOwn || s.Latest[0].Parked != "last" {
		t.Errorf("latest = %d calls, want %d with the last one first", len(s.Latest), maxOwn)
	}
	if got := calls.Of("unknown"); got.Calls != 0 || got.Failure != nil {
		t.Errorf("unknown function = %+v, want no calls", got)
	}
}

// A delivery that is still early after booking.MaxEarly attempts is a failure.
func TestCalls_early(t *testing.T) {
	t.Parallel()
	var calls Calls
	for _, attempt := range []int{1, booking.MaxEarly, booking.MaxEarly + 1} {
		_, _ = calls.Write(line("reservation-allocationcommitted", 503, 1, fmt.Sprintf(`,"eventId":"evt_1","attempt":%d,"cause":"early, retried: GENERAL.RESOURCE_NOT_FOUND"`, attempt)))
	}
	_, _ = calls.Write(line("reservation-allocationcommitted", 503, 1, `,"eventId":"evt_1","attempt":1,"cause":"no database"`))
	s := calls.Of("reservation-allocationcommitted")
	if got, want := [3]int{s.Calls, s.Early, s.Failed}, [3]int{4, 2, 2}; got != want {
		t.Errorf("calls, early, failed = %v, want %v", got, want)
	}
}

func TestCalls_bounded(t *testing.T) {
	t.Parallel()
	var calls Calls
	for range 3 * maxCalls {
		_, _ = calls.Write(line("a-b", 200, 1, ""))
	}
	if got := len(calls.about(func(Call) bool { return true })); got < maxCalls || got >= 2*maxCalls {
		t.Errorf("%d calls are kept, want %d to %d", got, maxCalls, 2*maxCalls)
	}
	if got := calls.Of("a-b").Calls; got != 3*maxCalls {
		t.Errorf("calls = %d, want %d", got, 3*maxCalls)
	}
}
