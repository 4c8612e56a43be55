package terraform

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
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
		{"destroy_leaves_the_peering", "google_service_networking_connection", []string{"deletion_policy"}, "ABANDON"},
		{"backups_stay_in_the_region", "google_sql_database_instance", []string{"settings", "backup_configuration", "location"}, "me-central1"},
		{"audit_logs_stay_in_the_region", "google_logging_project_bucket_config", []string{"location"}, "me-central1"},
		{"audit_logs_are_kept", "google_logging_project_bucket_config", []string{"retention_days"}, 400.0},
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

// TestProduction_addresses counts a block of 16 addresses for the old and the new revision of each function, and for each job.
func TestProduction_addresses(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]system{"production": ofTheProduction.system(t), "demo": ofTheDemo.system(t)} {
		t.Run(name, func(t *testing.T) {
			network := check.Got(netip.ParsePrefix(s.of("google_compute_subnetwork")[0].first("ip_cidr_range"))).Must(t)
			blocks := 1 << (28 - network.Bits())
			needed := 2*len(s.of("google_cloudfunctions2_function")) + len(s.of("google_cloud_run_v2_job"))
			if needed > blocks {
				t.Errorf("a full release needs %d blocks of addresses, the subnet has %d", needed, blocks)
			}
		})
	}
}

// TestProduction_readsAreLogged wants the reads of keys, documents and the database to be logged, except those of documents by functions.
func TestProduction_readsAreLogged(t *testing.T) {
	t.Parallel()
	s := ofTheProduction.system(t)
	for _, service := range []string{"cloudsql", "datastore", "secretmanager"} {
		t.Run(service, func(t *testing.T) {
			i := slices.IndexFunc(s.of("google_project_iam_audit_config"), func(r resource) bool { return r.first("service") == service+".googleapis.com" })
			if i < 0 {
				t.Fatal("its reads are not logged")
			}
			config := s.of("google_project_iam_audit_config")[i].Arguments
			if kinds := at(config, "audit_log_config", "log_type"); !slices.Contains(kinds, any("DATA_READ")) {
				t.Errorf("logged are %v, want DATA_READ among them", kinds)
			}
			if exempted := at(config, "audit_log_config", "exempted_members"); (len(exempted) > 0) != (service == "datastore") {
				t.Errorf("not logged are the reads of %v", exempted)
			}
		})
	}
}
