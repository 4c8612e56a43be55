package terraform

import (
	"slices"
	"strings"
	"testing"
)

// TestProduction_settings holds arguments that no plan misses, each with what their loss would cost.
func TestProduction_settings(t *testing.T) {
	t.Parallel()
	s := ofTheProduction.system(t)
	for _, test := range []struct {
		name, kind string
		path       []string
		want       any
	}{
		{"backups_stay_in_the_region", "google_sql_database_instance", []string{"settings", "backup_configuration", "location"}, "me-central1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := s.of(test.kind)
			if len(found) == 0 {
				t.Fatalf("no %s", test.kind)
			}
			for _, r := range found {
				if got := at(r.Arguments, test.path...); !slices.Equal(got, []any{test.want}) {
					t.Errorf("%s: %s = %v, want %v", r.Address, strings.Join(test.path, "."), got, test.want)
				}
			}
		})
	}
}
