package booking

import (
	"cmp"
	"slices"
	"time"
)

// inOrder sorts moments by time, and by cause where time does not tell; then each names the moment that led to it.
func inOrder(moments []Moment) []Moment {
	moments = slices.Clone(moments)
	slices.SortStableFunc(moments, func(a, b Moment) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.What, b.What))
	})
	moments = slices.CompactFunc(moments, func(a, b Moment) bool { // a draft's trail is in two tables
		return a.Kind == Row && b.Kind == Row && a.At.Equal(b.At) && a.Service == b.Service && a.What == b.What
	})
	causes := make([]int, len(moments))
	for i, m := range moments {
		causes[i] = causeOf(moments, m)
	}
	settle(moments, causes)
	return renumber(moments, causes)
}

// settle puts no effect before its cause: clocks are cut to milliseconds here and there.
func settle(moments []Moment, causes []int) {
	for i := range moments {
		seen := 0
		for c := causes[i]; c >= 0 && seen <= len(moments); c = causes[c] {
			seen++
		}
		if seen > len(moments) { // a circle says nothing
			causes[i], seen = -1, 0
		}
		moments[i].depth = seen
	}
	order := make([]int, len(moments))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(moments[a].depth, moments[b].depth) })
	for _, i := range order {
		if c := causes[i]; c >= 0 && moments[i].At.Before(moments[c].At) {
			moments[i].At = moments[c].At
		}
	}
}

func renumber(moments []Moment, causes []int) []Moment {
	order := make([]int, len(moments))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(moments[a].At.Compare(moments[b].At), cmp.Compare(moments[a].depth, moments[b].depth))
	})
	place := make([]int, len(moments))
	for at, i := range order {
		place[i] = at
	}
	sorted := make([]Moment, 0, len(moments))
	for _, i := range order {
		m := moments[i]
		if m.Cause = -1; causes[i] >= 0 {
			m.Cause = place[causes[i]]
		}
		sorted = append(sorted, m)
	}
	return sorted
}

// causeOf finds what led to a moment, by the closest tie there is.
func causeOf(all []Moment, m Moment) int {
	switch m.Kind {
	case Call:
		if m.event != "" {
			return told(all, m.event)
		}
		return around(all, m, func(c Moment) bool {
			return c.request == m.request && c.function != m.function && c.ended.After(c.At) && !c.ended.Before(m.ended)
		})
	case Published:
		if c := around(all, m, func(c Moment) bool { return c.request == m.request && c.Service == m.Service }); c >= 0 {
			return c
		}
		if c := find(all, func(c Moment) bool { return c.Kind == Consumed && c.event == m.causation && c.Service == m.Service }); c >= 0 {
			return c
		}
		return told(all, m.causation)
	case Row:
		// What a call does, it may date by when it began, cut to the millisecond.
		if c := find(all, func(c Moment) bool {
			return c.Kind == Call && c.Service == m.Service && c.At.Truncate(time.Millisecond).Equal(m.At)
		}); c >= 0 {
			return c
		}
		return around(all, m, func(c Moment) bool { return c.Service == m.Service })
	}
	if c := around(all, m, func(c Moment) bool { return c.event == m.event && c.event != "" && c.function == m.function }); c >= 0 {
		return c
	}
	return told(all, m.event)
}

func told(all []Moment, event string) int {
	return find(all, func(c Moment) bool { return c.Kind == Published && c.event == event && event != "" })
}

func find(all []Moment, fits func(Moment) bool) int { return slices.IndexFunc(all, fits) }

// around finds the narrowest call that was under way at the moment. Rows and events are cut to milliseconds.
func around(all []Moment, m Moment, fits func(Moment) bool) int {
	best, width := -1, time.Duration(0)
	for i, c := range all {
		if c.Kind != Call || m.At.Before(c.At.Truncate(time.Millisecond)) || m.At.After(c.ended) || !fits(c) {
			continue
		}
		if took := c.ended.Sub(c.At); best < 0 || took < width {
			best, width = i, took
		}
	}
	return best
}
