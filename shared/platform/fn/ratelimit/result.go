package ratelimit

import (
	"errors"
	"math"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// A Result is the state of a caller's token bucket after a call was counted. The zero Result belongs to a call without a
// limit.
type Result struct {
	*policy
	left  float64       // calls that are allowed right now
	again time.Duration // time until the next call is allowed, if this one was rejected
	taken *rate.Limiter // where a token was taken; nil if no token was taken
	at    time.Time
}

// Undo returns the token of a call that had no effect.
func (r Result) Undo() {
	if r.taken != nil {
		r.taken.AllowN(r.at, -1) // returns one token
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
func (r Result) Refused() error {
	if r.again == 0 {
		return nil
	}
	return ErrLimited.After(r.again).Because(errors.New("limit: " + r.name))
}

// Policies returns the value of the header RateLimit-Policy for these results: each limit's name, burst (q) and the seconds in
// which an empty bucket fills (w). It returns "" if there is no limit among them.
func Policies(results ...Result) string {
	var text string
	for _, r := range results {
		switch {
		case r.policy == nil:
		case text == "":
			text = r.text
		default:
			text += ", " + r.text
		}
	}
	return text
}

// Remaining returns the value of the header RateLimit for these results: each limit's name, the calls that are left now (r)
// and the seconds until the bucket is full (t). It returns "" if there is no limit among them.
func Remaining(results ...Result) string {
	var space [64]byte
	text := space[:0]
	for _, r := range results {
		if r.policy == nil {
			continue
		}
		if len(text) > 0 {
			text = append(text, ", "...)
		}
		text = append(append(append(text, '"'), r.name...), `";r=`...)
		text = strconv.AppendInt(text, int64(max(0, r.left)), 10)
		text = append(text, ";t="...)
		text = strconv.AppendInt(text, int64(math.Ceil((float64(r.rate.Burst)-r.left)/r.rate.PerSecond)), 10)
	}
	return string(text)
}
