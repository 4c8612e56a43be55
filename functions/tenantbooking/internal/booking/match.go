package booking

import (
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Tag returns the version of the draft in its ETag. Recorded errors and the sweep increase Version, but not Tag.
func (d *Draft) Tag() int64 {
	if d.Changed == 0 { // written by an older version of this service
		return int64(d.Version)
	}
	return int64(d.Changed)
}

// Matches returns fault.ErrStale if an If-Match header lists ETags and the draft's is not one of them.
func (d *Draft) Matches(m fn.Match) error {
	if !m.Allows(d.Tag()) {
		return fault.ErrStale
	}
	return nil
}
