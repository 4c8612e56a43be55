package booking

import (
	"encoding/base64"
	"errors"
	"net/netip"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// openLimits returns the limits in an environment with these variables.
func openLimits(t *testing.T, vars map[string]string) HoldLimits {
	t.Helper()
	key := "test:" + base64.StdEncoding.EncodeToString(make([]byte, 32))
	l, err := OpenHoldLimits(env.Of(vars).With("PSEUDONYM_PEPPERS", key))
	check.Must(t, err)
	return l
}

func TestHoldLimits_attempts(t *testing.T) {
	t.Parallel()
	noon := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	one := func(int) session.Visitor {
		return session.Visitor{Session: session.Session{ID: id.Derive[id.TenantSession](id.Tenant{}, "one")}}
	}
	many := func(int) session.Visitor {
		return session.Visitor{Session: session.Session{ID: id.New[id.TenantSession]()}}
	}
	office := func(int) session.Trace { return session.Trace{Address: netip.MustParseAddr("192.0.2.1")} }
	roaming := func(n int) session.Trace {
		return session.Trace{Address: netip.AddrFrom4([4]byte{10, 0, byte(n / 256), byte(n)})}
	}
	off := map[string]string{"RATE_LIMIT_SESSION": "off", "RATE_LIMIT_ADDRESS": "off"}
	for _, test := range []struct {
		name    string
		vars    map[string]string
		visitor func(int) session.Visitor
		from    func(int) session.Trace
		outcome error
		want    int // attempts, of 300 at one time
	}{
		{"one session", nil, one, office, nil, 10},
		{"one session at many addresses", nil, one, roaming, nil, 10},
		{"many sessions at one address", nil, many, office, nil, 100},
		{"many sessions at unknown addresses", nil, many, func(int) session.Trace { return session.Trace{} }, nil, 100},
		{"many sessions at many addresses", nil, many, roaming, nil, 300},
		{"no rooms are left", nil, one, office, ErrHoldExpired, 10},
		{"too many rooms are held", nil, one, office, ratelimit.ErrLimited, 300},
		{"the reservation service is not available", nil, one, office, fault.ErrUpstreamUnavailable, 300},
		{"an internal error", nil, one, office, errors.New("no connection"), 300},
		{"another limit of requests", map[string]string{"RATE_LIMIT_SESSION": "1/1", "RATE_LIMIT_ADDRESS": "1/1"}, one, office, nil, 10},
		{"requests without limits", off, one, office, nil, 300},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l, held := openLimits(t, test.vars), 0
			for n := range 300 {
				_, err := l.Attempt(test.visitor(n), test.from(n), noon, func() (*Draft, error) { held++; return nil, test.outcome })
				if held <= n && !errors.Is(err, ratelimit.ErrLimited) {
					t.Fatalf("attempt %d: got error %v, want ErrLimited", n+1, err)
				}
				if held > n && !errors.Is(err, test.outcome) {
					t.Fatalf("attempt %d: got error %v, want %v", n+1, err, test.outcome)
				}
			}
			check.Equal(t, held, test.want, "holds of 300 attempts")
		})
	}
}
