package fn

import (
	"slices"
	"strconv"
	"strings"
)

// A Match holds the ETags of an If-Match header (RFC 9110, section 13.1.1). Its zero value, and "*", match every version.
type Match struct{ tags []string }

// UnmarshalText parses a list of ETags, or "*". An ETag with an unknown or invalid form matches no version.
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

// Allows reports whether the header is absent, or lists the ETag that [Reply.Version] makes of the version.
func (m Match) Allows(version int64) bool {
	return m.tags == nil || slices.Contains(m.tags, `"`+strconv.FormatInt(version, 10)+`"`)
}
