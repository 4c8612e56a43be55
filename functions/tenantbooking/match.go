package tenantbooking

import (
	"errors"
	"strconv"
	"strings"
)

// A Match is the version in an If-Match; 0 is any.
type Match int64

// UnmarshalText reads one ETag of this service, or "*". Whoever compresses an answer on its way makes its ETag a weak one;
// of a version that says as much.
func (m *Match) UnmarshalText(text []byte) error {
	if string(text) == "*" {
		return nil
	}
	inner, begun := strings.CutPrefix(strings.TrimPrefix(string(text), "W/"), `"`)
	inner, ended := strings.CutSuffix(inner, `"`)
	n, err := strconv.ParseInt(inner, 10, 64)
	if !begun || !ended || err != nil || n < 1 {
		return errors.New("is not an ETag of this draft")
	}
	*m = Match(n)
	return nil
}

// Matches says whether the draft is the version that a caller changes.
func (d *Draft) Matches(m Match) error {
	if m != 0 && int64(m) != int64(d.Version) {
		return ErrStale
	}
	return nil
}
