// Package limit keeps one caller from using up what all share.
//
// A caller may ask a function so often a second, and save up a burst while quiet. Each instance counts for itself and in
// memory: what the edge in front counts for all of them is coarser. Nobody is counted for ever, so memory is bounded
// whatever comes.
package limit

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
)

// ErrLimited is what a caller is told who asks too often. It says when to come again.
var ErrLimited = fault.New(fault.TooMany, "GENERAL.RATE_LIMITED", "These are too many requests in a short time.")

// A Rate is how often somebody may ask: so many times a second for ever, so many at once. The zero Rate is none, and
// stands for the usual one where there is one.
type Rate struct {
	PerSecond float64
	Burst     int
	off       bool
}

// Off is no limit.
func Off() Rate { return Rate{off: true} }

var errRate = errors.New(`a rate is a number a second and a burst, such as "20/60", or "off"`)

// UnmarshalText reads "20/60" or "off".
func (r *Rate) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*r = Off()
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

// or is the rate, or the usual one where it says nothing.
func (r Rate) or(usual Rate) Rate {
	if r == (Rate{}) || usual.off { // surroundings that have no limits overrule what a function says
		return usual
	}
	return r
}

// Rates are how often a function may be asked: in one session, from one address, for one tenant.
type Rates struct{ Session, Address, Tenant Rate }

// A Limiter holds callers of one function to its rates.
type Limiter struct {
	session *buckets[string]
	address *buckets[netip.Prefix]
	tenant  *buckets[id.Tenant]
}

// Open returns a limiter with a function's own rates, and the usual ones where it has none. Here or there they are none:
// where all callers have one address, say.
func Open(e env.Env, own Rates) (*Limiter, error) {
	var usual struct {
		Session Rate `env:"RATE_LIMIT_SESSION,default=20/60"`
		Address Rate `env:"RATE_LIMIT_ADDRESS,default=50/200"` // a whole office, perhaps
		Tenant  Rate `env:"RATE_LIMIT_TENANT,default=500/2000"`
	}
	if err := e.Load(&usual); err != nil {
		return nil, fmt.Errorf("limit: %w", err)
	}
	return &Limiter{
		session: newBuckets[string]("session", own.Session.or(usual.Session)),
		address: newBuckets[netip.Prefix]("address", own.Address.or(usual.Address)),
		tenant:  newBuckets[id.Tenant]("tenant", own.Tenant.or(usual.Tenant)),
	}, nil
}

// Address counts a request from a client's address, or from all whose address is not known. Of IPv6 whoever has one
// address has all of its /64.
func (l *Limiter) Address(a netip.Addr, now time.Time) Standing {
	bits := 32
	if a = a.Unmap(); a.Is6() {
		bits = 64
	}
	network, _ := a.Prefix(bits) // the zero Prefix for the zero Addr
	return l.address.take(network, now)
}

// Session counts a request in a session. Whoever has none is not counted.
func (l *Limiter) Session(session string, now time.Time) Standing {
	if session == "" {
		return Standing{}
	}
	return l.session.take(session, now)
}

// Tenant counts a request for a tenant, if it is for one.
func (l *Limiter) Tenant(t id.Tenant, now time.Time) Standing {
	if t.IsZero() {
		return Standing{}
	}
	return l.tenant.take(t, now)
}
