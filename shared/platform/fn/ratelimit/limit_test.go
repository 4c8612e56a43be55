package ratelimit

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

var noon = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

func open(t testing.TB, vars map[string]string, own Rates) *Limiter {
	t.Helper()
	if own != (Rates{}) {
		return New(own)
	}
	return check.Got(Open(env.Of(vars))).Must(t)
}

// allowed is how many requests in a row are let through at that time, before the first that is not.
func allowed(ask func(time.Time) Result, now time.Time) (n int, refused Result) {
	for n = 0; n < 100_000; n++ { //nolint:intrange // n is a result
		if refused = ask(now); refused.Refused() != nil {
			return n, refused
		}
	}
	return n, refused
}

func TestLimit_burstThenRate(t *testing.T) {
	t.Parallel()
	l := open(t, nil, Rates{Session: Rate{PerSecond: 20, Burst: 60}})
	ask := func(now time.Time) Result { return l.Session("s", now) }
	n, refused := allowed(ask, noon)
	if n != 60 {
		t.Errorf("a burst of %d, want 60", n)
	}
	err := refused.Refused()
	switch f := fault.From(err); {
	case !errors.Is(err, ErrLimited):
		t.Errorf("err = %v, want %v", err, ErrLimited)
	case f.RetryAfter != 50*time.Millisecond:
		t.Errorf("f.RetryAfter = %v, want %v", f.RetryAfter, 50*time.Millisecond)
	case !strings.Contains(err.Error(), "session"):
		t.Errorf("err.Error() = %q, want one containing %q", err.Error(), "session")
	}
	for second := 1; second <= 5; second++ {
		if n, _ := allowed(ask, noon.Add(time.Duration(second)*time.Second)); n != 20 {
			t.Errorf("second %d: %d, want 20", second, n)
		}
	}
	if n, _ := allowed(ask, noon.Add(time.Hour)); n != 60 {
		t.Errorf("after an hour: %d, want the burst and no more", n)
	}
	if n, _ := allowed(ask, noon.Add(time.Minute)); n != 0 {
		t.Errorf("a clock that was put back gives %d away", n)
	}
}

func TestLimiter_afterRetryAfter(t *testing.T) {
	t.Parallel()
	l := open(t, nil, Rates{Session: Rate{PerSecond: 0.7, Burst: 1}})
	now := noon
	for range 20 {
		if s := l.Session("s", now); s.Refused() != nil {
			t.Fatalf("refused at %v", now.Sub(noon))
		}
		s := l.Session("s", now)
		if s.Refused() == nil {
			t.Fatal("let through twice")
		}
		now = now.Add(fault.From(s.Refused()).RetryAfter.Round(time.Microsecond) + time.Microsecond)
	}
}

func TestLimit_perClient(t *testing.T) {
	t.Parallel()
	l := open(t, map[string]string{"RATE_LIMIT_SESSION": "1/1", "RATE_LIMIT_ADDRESS": "1/1", "RATE_LIMIT_TENANT": "1/1"}, Rates{})
	tenants := [2]id.Tenant{id.New[id.Tenant](), id.New[id.Tenant]()}
	address := func(text string) func() Result {
		return func() Result { return l.Address(netip.MustParseAddr(text), noon) }
	}
	for _, test := range []struct {
		name          string
		first, second func() Result
		refused       bool
	}{
		{"the same session", func() Result { return l.Session("a", noon) }, func() Result { return l.Session("a", noon) }, true},
		{"another session", func() Result { return l.Session("b", noon) }, func() Result { return l.Session("c", noon) }, false},
		{"no session", func() Result { return l.Session("", noon) }, func() Result { return l.Session("", noon) }, false},
		{"the same tenant", func() Result { return l.Tenant(tenants[0], noon) }, func() Result { return l.Tenant(tenants[0], noon) }, true},
		{"another tenant", func() Result { return l.Tenant(tenants[1], noon) }, func() Result { return l.Tenant(id.New[id.Tenant](), noon) }, false},
		{"no tenant", func() Result { return l.Tenant(id.Tenant{}, noon) }, func() Result { return l.Tenant(id.Tenant{}, noon) }, false},
		{"the same address", address("192.0.2.1"), address("192.0.2.1"), true},
		{"the same address, mapped", address("192.0.2.2"), address("::ffff:192.0.2.2"), true},
		{"the next address", address("192.0.2.3"), address("192.0.2.4"), false},
		{"another address of the same network", address("2001:db8:0:1::1"), address("2001:db8:0:1:ffff::2"), true},
		{"the same one by another interface", address("fe80::1%eth0"), address("fe80::1%eth1"), true},
		{"another network", address("2001:db8:0:2::1"), address("2001:db8:0:3::1"), false},
		{"unknown addresses", func() Result { return l.Address(netip.Addr{}, noon) }, func() Result { return l.Address(netip.Addr{}, noon) }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.NoError(t, test.first().Refused(), "%s: the first was refused", test.name)
			if err := test.second().Refused(); (err != nil) != test.refused {
				t.Errorf("%s: got %v, want refused to be %v", test.name, err, test.refused)
			}
		})
	}
}

func TestLimit_rateSource(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		vars map[string]string
		own  Rate
		want int
	}{
		{"as usual", nil, Rate{}, 60},
		{"as the surroundings say", map[string]string{"RATE_LIMIT_SESSION": "1.5/7"}, Rate{}, 7},
		{"as the function says", nil, Rate{PerSecond: 1, Burst: 3}, 3},
		{"off by the surroundings", map[string]string{"RATE_LIMIT_SESSION": "off"}, Rate{}, 100_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := open(t, test.vars, Rates{Session: test.own})
			if n, _ := allowed(func(now time.Time) Result { return l.Session("s", now) }, noon); n != test.want {
				t.Errorf("%s: %d at once, want %d", test.name, n, test.want)
			}
		})
	}
	for _, wrong := range []string{"20", "20/", "/60", "0/60", "-1/60", "20/0", "20/-1", "many/60", "NaN/60", "Inf/60", "on", "20/60/3"} {
		t.Run(wrong, func(t *testing.T) {
			check.Got(Open(env.Of(map[string]string{"RATE_LIMIT_TENANT": wrong}))).Fails(t, "%q is taken for a rate", wrong)
		})
	}
}

func TestLimit_headers(t *testing.T) {
	t.Parallel()
	l := open(t, map[string]string{"RATE_LIMIT_SESSION": "20/60", "RATE_LIMIT_ADDRESS": "50/200", "RATE_LIMIT_TENANT": "off"}, Rates{})
	address := l.Address(netip.MustParseAddr("192.0.2.1"), noon)
	var session Result
	for range 41 {
		session = l.Session("s", noon)
	}
	none := l.Tenant(id.New[id.Tenant](), noon)
	headers := func(results ...Result) (policy, remaining string) {
		h := http.Header{}
		SetHeaders(h, results...)
		return h.Get("RateLimit-Policy"), h.Get("RateLimit")
	}
	policy, remaining := headers(address, none, session)
	check.Equal(t, policy, `"address";q=200;w=4, "session";q=60;w=3`, "RateLimit-Policy")
	check.Equal(t, remaining, `"address";r=199;t=1, "session";r=19;t=3`, "RateLimit")
	for range 20 {
		session = l.Session("s", noon)
	}
	if _, got := headers(session); got != `"session";r=0;t=3` || session.Refused() == nil {
		t.Errorf("refused with %s, want r=0 and t=3", got)
	}
	if policy, remaining := headers(none, Result{}); policy != "" || remaining != "" {
		t.Errorf("without a limit: got %q and %q, want no header", policy, remaining)
	}
}

func TestBuckets_bounded(t *testing.T) {
	t.Parallel()
	l := open(t, nil, Rates{Session: Rate{PerSecond: 0.001, Burst: 1}})
	if l.Session("regular", noon).Refused() != nil {
		t.Fatal("refused at first")
	}
	for i := range 5 * maxBuckets {
		l.Session(fmt.Sprint("passer-by ", i), noon)
		if i%(maxBuckets/2) == 0 && l.Session("regular", noon).Refused() == nil {
			t.Fatalf("forgotten after %d others", i)
		}
	}
	check.Equal(t, l.session.byCaller.Len(), maxBuckets, "remembered callers")
	if l.Session("passer-by 0", noon).Refused() != nil {
		t.Error("a caller that was not seen for long still has a bucket")
	}
}

func TestLimit_concurrent(t *testing.T) {
	t.Parallel()
	l := open(t, nil, Rates{Session: Rate{PerSecond: 0.001, Burst: 100}})
	var through atomic.Int32
	var crowd sync.WaitGroup
	for range 32 {
		crowd.Go(func() {
			for range 50 {
				if l.Session("s", noon).Refused() == nil {
					through.Add(1)
				}
			}
		})
	}
	crowd.Wait()
	check.Equal(t, through.Load(), 100, "admitted calls")
}

func BenchmarkLimits(b *testing.B) {
	l := open(b, map[string]string{"RATE_LIMIT_SESSION": "1000/1000000", "RATE_LIMIT_ADDRESS": "1000/1000000", "RATE_LIMIT_TENANT": "1000/1000000"}, Rates{})
	from, tenant := netip.MustParseAddr("2001:db8::1"), id.New[id.Tenant]()
	b.ReportAllocs()
	now := noon
	for b.Loop() {
		now = now.Add(time.Millisecond)
		switch a, s, t := l.Address(from, now), l.Session("s", now), l.Tenant(tenant, now); {
		case a.Refused() != nil:
			b.Fatalf("a.Refused() = %v, want nil", a.Refused())
		case s.Refused() != nil:
			b.Fatalf("s.Refused() = %v, want nil", s.Refused())
		case t.Refused() != nil:
			b.Fatalf("t.Refused() = %v, want nil", t.Refused())
		}
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	l := open(t, nil, Rates{Session: Rate{PerSecond: 0.001, Burst: 2}})
	ask := func(now time.Time) Result { return l.Session("s", now) }
	for range 5 { // as often as nothing comes of it
		ask(noon).Undo()
	}
	if n, refused := allowed(ask, noon); n != 2 || refused.Refused() == nil {
		t.Errorf("%d allowed after calls that were taken back, want 2", n)
	}
	ask(noon).Undo() // a rejected call took no token
	if n, _ := allowed(ask, noon); n != 0 {
		t.Errorf("%d allowed after a refusal that was taken back, want 0", n)
	}
}
