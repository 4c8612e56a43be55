package booking

import "time"

// Took returns the duration of a call, and 0 for other moments.
func (m Moment) Took() time.Duration {
	if m.ended.After(m.At) {
		return m.ended.Sub(m.At)
	}
	return 0
}

// Details returns the full ids of the moment by which its cause was found, as pairs of a name and a value.
func (m Moment) Details() (all [][2]string) {
	for _, detail := range [][2]string{
		{"function", m.function}, {"event", m.event}, {"caused by event", m.causation}, {"request", m.request},
		{"correlation", m.correlation}, {"trace", m.trace},
	} {
		if detail[1] != "" {
			all = append(all, detail)
		}
	}
	return all
}
