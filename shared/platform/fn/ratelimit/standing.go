package ratelimit

import (
	"errors"
	"math"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// A Standing is the state of a caller's token bucket after a call was counted. The zero Standing belongs to a call without a
// limit.
type Standing struct {
	*policy
	left  float64       // calls that are allowed right now
	again time.Duration // time until the next call is allowed, if this one was rejected
	taken *rate.Limiter // where a token was taken; nil if no token was taken
	at    time.Time
}

// Undo returns the token of a call that had no effect.
func (s Standing) Undo() {
	if s.taken != nil {
		s.taken.AllowN(s.at, -1) // returns one token
	}
}

// A policy is a named limit.
type policy struct {
	name string
	rate Rate
	text string // its element of the RateLimit-Policy header
}

func newPolicy(name string, r Rate) *policy {
	window := int(math.Ceil(float64(r.Burst) / r.PerSecond))
	return &policy{name: name, rate: r, text: `"` + name + `";q=` + strconv.Itoa(r.Burst) + `;w=` + strconv.Itoa(window)}
}

// Refused returns nil if the call is allowed, or else ErrLimited with the time until the next call is.
func (s Standing) Refused() error {
	if s.again == 0 {
		return nil
	}
	return ErrLimited.After(s.again).Because(errors.New("limit: " + s.name))
}

// Policies returns the value of the header RateLimit-Policy for these standings: each limit's name, burst (q) and the seconds in
// which an empty bucket fills (w). It returns "" if there is no limit among them.
func Policies(standings ...Standing) string {
	var text string
	for _, s := range standings {
		switch {
		case s.policy == nil:
		case text == "":
			text = s.text
		default:
			text += ", " + s.text
		}
	}
	return text
}

// Remaining returns the value of the header RateLimit for these standings: each limit's name, the calls that are left now (r)
// and the seconds until the bucket is full (t). It returns "" if there is no limit among them.
func Remaining(standings ...Standing) string {
	var space [64]byte
	text := space[:0]
	for _, s := range standings {
		if s.policy == nil {
			continue
		}
		if len(text) > 0 {
			text = append(text, ", "...)
		}
		text = append(append(append(text, '"'), s.name...), `";r=`...)
		text = strconv.AppendInt(text, int64(max(0, s.left)), 10)
		text = append(text, ";t="...)
		text = strconv.AppendInt(text, int64(math.Ceil((float64(s.rate.Burst)-s.left)/s.rate.PerSecond)), 10)
	}
	return string(text)
}
