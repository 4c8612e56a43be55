package search

import (
	"maps"
	"slices"
	"testing"
)

// TestFilterKeys_amenities compares the list with the amenities that have names.
func TestFilterKeys_amenities(t *testing.T) {
	t.Parallel()
	labels, err := readAmenityLabels()
	if err != nil {
		t.Fatal(err)
	}
	if named := slices.Sorted(maps.Keys(labels)); !slices.Equal(amenityCodes, named) {
		t.Errorf("amenityCodes = %q, want %q", amenityCodes, named)
	}
}
