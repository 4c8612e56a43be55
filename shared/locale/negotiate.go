package locale

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// maxRanges bounds the work for one header. No browser sends as many.
const maxRanges = 32

// A span is one language range of an Accept-Language header with its weight.
type span struct {
	tag    Tag // empty for "*", which covers every language
	weight float64
}

// covers implements the basic filtering of RFC 4647: fa covers fa-AF, and * covers all tags.
func (s span) covers(t Tag) bool {
	return s.tag == "" || t == s.tag || strings.HasPrefix(string(t), string(s.tag)+"-")
}

// Negotiate selects one of the offered languages for an Accept-Language header (several headers are joined by commas). It looks
// up each range by descending weight, shortening it from the end (RFC 4647, 3.4). If none is offered, it accepts another tag of
// the same language: fa-AF for fa-IR. It avoids languages with q=0 if there is another one. Without a match it returns the first
// offered language, or "" if none is offered.
func Negotiate(header string, offered []Tag) Tag {
	if len(offered) == 0 {
		return ""
	}
	spans := read(header)
	open := slices.DeleteFunc(slices.Clone(offered), func(t Tag) bool {
		s, named := closest(spans, t)
		return named && s.weight == 0
	})
	if len(open) == 0 {
		return offered[0]
	}
	for _, s := range spans {
		if s.weight == 0 {
			break // sorted last
		}
		if t, ok := s.pick(open, spans); ok {
			return t
		}
	}
	return open[0]
}

// read returns the ranges of a header by descending weight; ranges of equal weight keep their order. It skips malformed ranges.
func read(header string) []span {
	var spans []span
	for member := range strings.SplitSeq(header, ",") {
		if len(spans) == maxRanges {
			break
		}
		if s, ok := readSpan(member); ok {
			spans = append(spans, s)
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(b.weight, a.weight) })
	return spans
}

func readSpan(member string) (span, bool) {
	name, parameter, weighted := strings.Cut(member, ";")
	s := span{weight: 1}
	if weighted {
		q, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		if !ok || err != nil || !(weight >= 0 && weight <= 1) { // written this way because of NaN
			return span{}, false
		}
		s.weight = weight
	}
	if name = strings.TrimSpace(name); name == "*" {
		return s, true
	}
	tag, err := Parse(name)
	s.tag = tag
	return s, err == nil
}

// closest returns the longest range that covers the tag; its weight is the tag's, regardless of shorter ranges.
func closest(spans []span, t Tag) (found span, ok bool) {
	for _, s := range spans {
		if s.covers(t) && (!ok || len(s.tag) > len(found.tag)) {
			found, ok = s, true
		}
	}
	return found, ok
}

// pick returns the tag that a range selects. "*" selects tags that no other range covers.
func (s span) pick(open []Tag, spans []span) (Tag, bool) {
	if s.tag == "" {
		i := slices.IndexFunc(open, func(t Tag) bool {
			covering, _ := closest(spans, t)
			return covering.tag == ""
		})
		return open[max(0, i)], i >= 0
	}
	for wanted := s.tag; wanted != ""; wanted = wanted[:max(0, strings.LastIndexByte(string(wanted), '-'))] {
		if slices.Contains(open, wanted) {
			return wanted, true
		}
	}
	best := slices.MaxFunc(open, func(a, b Tag) int { return cmp.Compare(s.tag.nearness(a), s.tag.nearness(b)) }) // the first of equals
	return best, s.tag.nearness(best) > 0
}

// nearness returns how near another tag of the same language is: a tag with the same script is nearer than one with the same
// region, each the likely one if a tag has none. Tags of another language are not near at all.
func (t Tag) nearness(other Tag) (near int) {
	if t.Language() != other.Language() {
		return 0
	}
	near = 1
	if t.script() == other.script() {
		near += 2
	}
	if t.region() == other.region() {
		near++
	}
	return near
}
