package limit

import (
	"errors"
	"math"
	"strconv"
	"time"
)

// A Standing is where somebody stands with a limit after a request. The zero Standing is with none.
type Standing struct {
	*policy
	left  float64       // requests that could be made at once
	again time.Duration // until the next one could, where this one could not
}

// A policy is a limit that has a name.
type policy struct {
	name string
	rate Rate
	text string // as the header RateLimit-Policy says it
}

func newPolicy(name string, r Rate) *policy {
	window := int(math.Ceil(float64(r.Burst) / r.PerSecond))
	return &policy{name, r, `"` + name + `";q=` + strconv.Itoa(r.Burst) + `;w=` + strconv.Itoa(window)}
}

// Refused is nil, or what the caller is told.
func (s Standing) Refused() error {
	if s.again == 0 {
		return nil
	}
	return ErrLimited.After(s.again).Because(errors.New("limit: " + s.name))
}

// Policies is the header RateLimit-Policy for these standings, "" if there is no limit among them.
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

// Remaining is the header RateLimit for these standings: how much is left now, and in how many seconds it will be all.
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
