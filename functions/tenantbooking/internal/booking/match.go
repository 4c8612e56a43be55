package booking

import (
	"slices"
	"strconv"
	"strings"
)

// A Match holds the ETags of an If-Match header. Its zero value matches every draft.
type Match struct{ tags []string }

// UnmarshalText parses a list of ETags, or "*". An ETag with an unknown or invalid form matches no draft.
func (m *Match) UnmarshalText(text []byte) error {
	m.tags = nil
	if strings.TrimSpace(string(text)) == "*" {
		return nil
	}
	for tag := range strings.SplitSeq(string(text), ",") {
		// A proxy that compresses responses makes an ETag weak, so W/ is accepted.
		m.tags = append(m.tags, strings.TrimPrefix(strings.TrimSpace(tag), "W/"))
	}
	return nil
}

// Tag returns the version of the draft in its ETag. Recorded errors and the sweep increase Version, but not Tag.
func (d *Draft) Tag() int64 {
	if d.Changed == 0 { // written by an older version of this service
		return int64(d.Version)
	}
	return int64(d.Changed)
}

// Matches returns ErrStale if the match lists ETags and the draft's is not one of them.
func (d *Draft) Matches(m Match) error {
	if m.tags != nil && !slices.Contains(m.tags, `"`+strconv.FormatInt(d.Tag(), 10)+`"`) {
		return ErrStale
	}
	return nil
}
