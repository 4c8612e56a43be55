package booking

import (
	"cmp"
	"slices"
	"time"
)

// inOrder sorts moments by time, and by cause if their times are equal. Then it sets their causes.
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

// settle moves effects that appear before their cause: some times are truncated to milliseconds.
func settle(moments []Moment, causes []int) {
	for i := range moments {
		seen := 0
		for c := causes[i]; c >= 0 && seen <= len(moments); c = causes[c] {
			seen++
		}
		if seen > len(moments) { // ignore a cycle
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

// causeOf returns the index of the moment's cause, by the closest relation that is known.
func causeOf(all []Moment, m Moment) int {
	switch m.Kind {
	case Call:
		if m.event != "" {
			return published(all, m.event)
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
		return published(all, m.causation)
	case Row:
		// The time of a change may be the start of its call, truncated to the millisecond.
		if c := find(all, func(c Moment) bool {
			return c.Kind == Call && c.Service == m.Service && c.At.Truncate(time.Millisecond).Equal(m.At)
		}); c >= 0 {
			return c
		}
		return around(all, m, func(c Moment) bool { return c.Service == m.Service })
	case Consumed, Pending, DeadLettered:
	}
	if c := around(all, m, func(c Moment) bool { return c.event == m.event && c.event != "" && c.function == m.function }); c >= 0 {
		return c
	}
	return published(all, m.event)
}

func published(all []Moment, event string) int {
	return find(all, func(c Moment) bool { return c.Kind == Published && c.event == event && event != "" })
}

func find(all []Moment, fits func(Moment) bool) int { return slices.IndexFunc(all, fits) }

// around returns the shortest call in progress at the moment. Rows and events have times truncated to milliseconds.
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
