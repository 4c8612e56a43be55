package search

import (
	"maps"
	"slices"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestFilterKeys_amenities compares the list with the amenities that have names.
func TestFilterKeys_amenities(t *testing.T) {
	t.Parallel()
	labels, err := readAmenityLabels()
	check.Must(t, err)
	check.Equal(t, amenityCodes, slices.Sorted(maps.Keys(labels)))
}
