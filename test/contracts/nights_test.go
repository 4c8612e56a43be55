package contracts

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestExamples_nightsInStay wants each night in an example of a route to lie in the stay that the example names.
func TestExamples_nightsInStay(t *testing.T) {
	t.Parallel()
	nights := 0
	names := check.Got(filepath.Glob(filepath.Join("..", "..", "schemas", "http", "*.yaml"))).Must(t)
	for _, name := range names {
		text := check.Got(os.ReadFile(name)).Must(t)
		var document any
		check.Must(t, yaml.Unmarshal(text, &document))
		found, faults := nightFaults(document, window{})
		nights += found
		for _, fault := range faults {
			t.Errorf("%s: %s", filepath.Base(name), fault)
		}
	}
	if nights < 3 {
		t.Errorf("found %d nights, want at least 3", nights)
	}
	wrong := map[string]any{"stayWindow": map[string]any{"start": "2027-03-21", "end": "2027-03-24"}, "nights": []any{map[string]any{"date": "2027-03-24"}}}
	if _, faults := nightFaults(wrong, window{}); len(faults) != 1 {
		t.Errorf("faults of the night of departure = %v, want one", faults)
	}
}

// A window has the dates of a stay. The zero window is unknown.
type window struct{ start, end string }

// nightFaults counts the nights below a value and returns those outside of the nearest stay above them.
func nightFaults(value any, stay window) (nights int, faults []string) {
	descend := func(v any) {
		n, more := nightFaults(v, stay)
		nights, faults = nights+n, append(faults, more...)
	}
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			descend(element)
		}
	case map[string]any:
		if named, ok := v["stayWindow"].(map[string]any); ok {
			start, _ := named["start"].(string)
			end, _ := named["end"].(string)
			stay = window{start, end}
		}
		if list, ok := v["nights"].([]any); ok && stay.start != "" {
			for _, night := range list {
				fields, _ := night.(map[string]any)
				date, ok := fields["date"].(string)
				if !ok {
					continue
				}
				nights++
				if date < stay.start || date >= stay.end {
					faults = append(faults, fmt.Sprintf("the night %s is not in the stay from %s to %s", date, stay.start, stay.end))
				}
			}
		}
		for _, member := range v {
			descend(member)
		}
	}
	return nights, faults
}
