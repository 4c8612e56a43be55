package terraform

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestKept wants plans to be refused that destroy a resource that must outlive a mistake, each resource by its own guard, before anything
// is destroyed.
func TestKept(t *testing.T) {
	t.Parallel()
	need(t)
	w := open(t)
	w.few()
	made := check.Got(w.evaluate(ofProduction, map[string]any{"custom_domains": []string{"kabul-grand.example"}})).Must(t)
	listed := check.Got(w.run("state", "list")).Must(t)
	guards := made.guards(t)
	for _, guard := range guards {
		check.Contains(t, listed, guard+"\n")
	}
	for _, refused := range [][]string{
		{"destroy", "-auto-approve"},
		{"apply", "-auto-approve", "-var=deletion_protection=false"},
	} {
		t.Run(refused[0], func(t *testing.T) {
			out, err := w.run(append(refused, "-no-color")...)
			check.Fails(t, err, "%v", refused)
			for _, guard := range guards {
				if !strings.Contains(unwrapped(out), guard+" has lifecycle.prevent_destroy set") {
					t.Errorf("%v would destroy what %s guards:\n%s", refused, guard, problems(out))
				}
			}
		})
	}
	check.Got(w.run("state", "list")).Want(t, listed, "a refused plan changed something")
	for _, step := range [][]string{{"state", "rm", "terraform_data.kept"}, {"destroy", "-auto-approve", "-var=deletion_protection=false"}} {
		if out, err := w.run(step...); err != nil {
			t.Errorf("%v: %v\n%s", step, err, out)
		}
	}
}

// guards returns the address of the guard of each resource that must outlive a mistake, by the address of the resource.
func (s system) guards(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{
		"google_compute_global_address.edge":                  "address",
		"google_certificate_manager_certificate.domain":       "certificate",
		"google_certificate_manager_certificate.custom":       "certificate %s",
		"google_certificate_manager_certificate_map.edge":     "certificate_map",
		"google_certificate_manager_dns_authorization.domain": "dns_authorization",
		"google_sql_database_instance.main":                   "database",
		"google_sql_database.main":                            "tables",
		"google_firestore_database.hot":                       "documents",
		"google_pubsub_subscription.dead_letter":              "dead letters %s",
	}
	guards, found := map[string]string{}, map[string]bool{}
	for _, r := range s.resources {
		name, key, _ := strings.Cut(strings.TrimSuffix(r.Address, "]"), "[")
		if guard := names[name]; guard != "" {
			guards[r.Address], found[name] = `terraform_data.kept["`+strings.ReplaceAll(guard, "%s", key)+`"]`, true
		}
	}
	if len(found) != len(names) {
		t.Errorf("the system has %v, want each of %v", slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(names)))
	}
	return guards
}

// TestBuilder_sources wants the builder to read archives and no other bucket.
func TestBuilder_sources(t *testing.T) {
	t.Parallel()
	s := ofTheProduction.system(t)
	const want = `resource.name.startsWith("projects/_/buckets/a-project-with-the-longest-id1-archives/objects/") || ` +
		`resource.name.startsWith("projects/_/buckets/gcf-v2-sources-123456789012-me-central1/objects/")`
	found := 0
	for _, r := range s.of("google_project_iam_member") {
		if role := r.first("role"); strings.HasPrefix(role, "roles/storage.") {
			found++
			check.Equal(t, r.first("condition", "expression"), want, "%s reads", r.first("member"))
		}
	}
	check.Equal(t, found, 1, "accounts that read buckets")
}

// TestEdge_logs wants the load balancer to log what a security policy decided, and no token.
func TestEdge_logs(t *testing.T) {
	t.Parallel()
	s := ofTheProduction.system(t)
	for _, r := range s.of("google_compute_backend_service") {
		on := at(r.Arguments, "log_config", "enable")
		check.MustEqual(t, len(on), 1, "%s", r.Address)
		if on[0] != true {
			t.Errorf("%s: on[0] = %v, want true", r.Address, on[0])
		}
		check.NotZero(t, r.first("security_policy"), "%s", r.Address)
	}
	var excluded []string
	for _, r := range s.of("google_logging_project_exclusion") {
		excluded = append(excluded, r.first("filter"))
	}
	for name, want := range map[string]string{
		"queries and referrers":      `resource.type="http_load_balancer" AND (httpRequest.requestUrl:"?" OR httpRequest.referer:"?")`,
		"no decision of Cloud Armor": `resource.type="http_load_balancer" AND NOT jsonPayload.previewSecurityPolicy.outcome="DENY" AND NOT jsonPayload.enforcedSecurityPolicy.outcome="DENY"`,
	} {
		t.Run(name, func(t *testing.T) { check.Contains(t, strings.Join(excluded, "\n"), want) })
	}
}
