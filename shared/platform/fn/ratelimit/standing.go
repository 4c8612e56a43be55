package ratelimit

import (
	"errors"
	"math"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// A Standing is a caller's token bucket after a call was counted. The zero Standing is of a call that no limit counts.
type Standing struct {
	*policy
	left  float64       // requests that could be made at once
	again time.Duration // until the next one could, where this one could not
	taken *rate.Limiter // where a token was taken; nil if none was
	at    time.Time
}

// Undo takes back that the call was counted, because nothing came of it.
func (s Standing) Undo() {
	if s.taken != nil {
		s.taken.AllowN(s.at, -1) // gives one back
	}
}

// A policy is a limit that has a name.
type policy struct {
	name string
	rate Rate
	text string // as the header RateLimit-Policy says it
}

func newPolicy(name string, r Rate) *policy {
	window := int(math.Ceil(float64(r.Burst) / r.PerSecond))
	return &policy{name: name, rate: r, text: `"` + name + `";q=` + strconv.Itoa(r.Burst) + `;w=` + strconv.Itoa(window)}
}

// Refused is nil if the call may go on, else ErrLimited with the time until the next call may.
func (s Standing) Refused() error {
	if s.again == 0 {
		return nil
	}
	return ErrLimited.After(s.again).Because(errors.New("limit: " + s.name))
}

// Policies is the value of the header RateLimit-Policy for these standings: each limit's name, burst (q) and the seconds in
// which an empty bucket fills (w). It is "" if there is no limit among them.
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

// Remaining is the value of the header RateLimit for these standings: each limit's name, the calls that are left now (r)
// and the seconds until the bucket is full (t). It is "" if there is no limit among them.
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
