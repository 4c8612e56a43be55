package locale

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// maxRanges bounds the work that a header can cause. No browser sends as many.
const maxRanges = 32

// A span is one language range of an Accept-Language header with its weight.
type span struct {
	tag    Tag // empty for "*", which covers every language
	weight float64
}

// covers is the basic filtering of RFC 4647: fa covers fa-AF, and * everything.
func (s span) covers(t Tag) bool {
	return s.tag == "" || t == s.tag || strings.HasPrefix(string(t), string(s.tag)+"-")
}

// Negotiate chooses among the languages offered by what a browser accepts (several headers are joined by commas). It looks
// up each range by its weight, shortening it from the end (RFC 4647, 3.4); where none of these is offered, another one
// of the same language is better than nothing: fa-IR reads fa-AF. What is refused by q=0 is left out if anything else is
// there. It never fails: without a match the first offered is chosen, and "" where nothing is offered.
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
			break // they come last
		}
		if t, ok := s.pick(open, spans); ok {
			return t
		}
	}
	return open[0]
}

// read returns the ranges of a header, heaviest first, as they stand where they weigh the same. A range that nobody can
// read is left out and costs the others nothing.
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
		if !ok || err != nil || !(weight >= 0 && weight <= 1) { // so, because NaN is neither
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

// closest is the longest range that covers the tag: its weight is the tag's, whatever shorter ranges say.
func closest(spans []span, t Tag) (found span, ok bool) {
	for _, s := range spans {
		if s.covers(t) && (!ok || len(s.tag) > len(found.tag)) {
			found, ok = s, true
		}
	}
	return found, ok
}

// pick is the tag that a range asks for. A "*" stands for those that no other range covers.
func (s span) pick(open []Tag, spans []span) (Tag, bool) {
	if s.tag == "" {
		return first(open, func(t Tag) bool {
			covering, _ := closest(spans, t)
			return covering.tag == ""
		})
	}
	for wanted := s.tag; wanted != ""; wanted = shortened(wanted) {
		if slices.Contains(open, wanted) {
			return wanted, true
		}
	}
	return nearest(s.tag, open)
}

func first(tags []Tag, suits func(Tag) bool) (Tag, bool) {
	i := slices.IndexFunc(tags, suits)
	if i < 0 {
		return "", false
	}
	return tags[i], true
}

func shortened(t Tag) Tag { return t[:max(0, strings.LastIndexByte(string(t), '-'))] }

// nearest is another tag of the same language: one in the same script and then of the same region where there is one, each
// the likely one where the range names none; else the first offered.
func nearest(wanted Tag, open []Tag) (Tag, bool) {
	var best Tag
	closeness := -1
	for _, t := range open {
		if t.Language() != wanted.Language() {
			continue
		}
		near := 0
		if t.script() == wanted.script() {
			near += 2
		}
		if t.region() == wanted.region() {
			near++
		}
		if near > closeness {
			best, closeness = t, near
		}
	}
	return best, closeness >= 0
}
