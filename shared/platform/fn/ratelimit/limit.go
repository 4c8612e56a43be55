// Package ratelimit limits how often one caller may call a function, so that no caller uses up shared capacity.
//
// It has a token bucket per session, per client address and per tenant. Each instance counts for itself, in memory (decision 74);
// the edge in front counts more coarsely for all of them. Idle callers are forgotten, so memory is bounded.
package ratelimit

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// ErrLimited is the error for a caller over its limit. It says when to retry.
var ErrLimited = fault.New(fault.TooMany, "GENERAL.RATE_LIMITED", "Too many requests. Wait before you try again.")

// A Rate is the size of a token bucket: PerSecond tokens are added each second, up to Burst, and a call takes one. The zero Rate
// does not limit.
type Rate struct {
	PerSecond float64
	Burst     int
}

var errRate = errors.New(`a rate is a number a second and a burst, such as "20/60", or "off"`)

// UnmarshalText reads "20/60" or "off".
func (r *Rate) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*r = Rate{}
		return nil
	}
	second, burst, _ := strings.Cut(string(text), "/")
	rate, err := strconv.ParseFloat(second, 64)
	most, wrong := strconv.Atoi(burst)
	if errors.Join(err, wrong) != nil || !(rate > 0 && rate < 1e6) || most < 1 || most > 1e6 {
		return errRate
	}
	*r = Rate{PerSecond: rate, Burst: most}
	return nil
}

// Rates are the limits for one session, for one client address and for one tenant. The tags are the default limits of requests.
type Rates struct {
	Session Rate `env:"RATE_LIMIT_SESSION,default=20/60"`
	Address Rate `env:"RATE_LIMIT_ADDRESS,default=50/200"` // may be a whole office
	Tenant  Rate `env:"RATE_LIMIT_TENANT,default=500/2000"`
}

// A Limiter applies rates to the callers of one function.
type Limiter struct {
	session *buckets[string]
	address *buckets[netip.Prefix]
	tenant  *buckets[id.Tenant]
}

// Open returns a limiter of requests, with the configured rates.
func Open(e env.Env) (*Limiter, error) {
	var r Rates
	if err := e.Load(&r); err != nil {
		return nil, fmt.Errorf("limit: %w", err)
	}
	return New(r), nil
}

// New returns a limiter with these rates.
func New(r Rates) *Limiter {
	return &Limiter{
		session: newBuckets[string]("session", r.Session),
		address: newBuckets[netip.Prefix]("address", r.Address),
		tenant:  newBuckets[id.Tenant]("tenant", r.Tenant),
	}
}

// Address counts a request from a client's address. All unknown addresses share one bucket, and so do all addresses of an IPv6
// /64, because a client usually has all of it.
func (l *Limiter) Address(a netip.Addr, now time.Time) Result {
	bits := 32
	if a = a.Unmap(); a.Is6() {
		bits = 64
	}
	network, _ := a.Prefix(bits) // the zero Prefix for the zero Addr
	return l.address.take(network, now)
}

// Session counts a request of a session. Requests without a session are not counted.
func (l *Limiter) Session(session string, now time.Time) Result {
	if session == "" {
		return Result{}
	}
	return l.session.take(session, now)
}

// Tenant counts a request for a tenant. Requests without a tenant are not counted.
func (l *Limiter) Tenant(t id.Tenant, now time.Time) Result {
	if t.IsZero() {
		return Result{}
	}
	return l.tenant.take(t, now)
}
