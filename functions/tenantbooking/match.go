package tenantbooking

import (
	"slices"
	"strconv"
	"strings"
)

// A Match is an If-Match: the tags of the drafts that a caller would change. Its zero value matches every draft.
type Match struct{ tags []string }

// UnmarshalText reads a list of ETags, or "*". A tag that is not one of ours, or no ETag at all, matches no draft.
func (m *Match) UnmarshalText(text []byte) error {
	m.tags = nil
	if strings.TrimSpace(string(text)) == "*" {
		return nil
	}
	for tag := range strings.SplitSeq(string(text), ",") {
		// Compression on the way makes an ETag a weak one; the tag of a draft says as much.
		m.tags = append(m.tags, strings.TrimPrefix(strings.TrimSpace(tag), "W/"))
	}
	return nil
}

// Tag is the version of the draft as its guest knows it, in its ETag. Notes of errors and the sweep change the Version, but not the Tag.
func (d *Draft) Tag() int64 {
	if d.Changed == 0 { // an older version of this service has written it
		return int64(d.Version)
	}
	return int64(d.Changed)
}

// Matches returns ErrStale unless the draft is one that a caller would change.
func (d *Draft) Matches(m Match) error {
	if m.tags != nil && !slices.Contains(m.tags, `"`+strconv.FormatInt(d.Tag(), 10)+`"`) {
		return ErrStale
	}
	return nil
}
