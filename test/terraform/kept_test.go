package terraform

import (
	"strings"
	"testing"
)

// TestKept wants a plan to be refused that destroys what must outlive a mistake, before anything is destroyed.
func TestKept(t *testing.T) {
	t.Parallel()
	need(t)
	w := open(t)
	_, err := w.evaluate(ofProduction, map[string]any{"custom_domains": []string{"kabul-grand.example"}})
	must(t, err)
	listed, err := w.run("state", "list")
	must(t, err)
	for _, want := range []string{"address", "certificate", "certificate_map", "dns_authorization", "database", "documents", "certificate kabul-grand.example"} {
		if !strings.Contains(listed, `terraform_data.kept["`+want+`"]`) {
			t.Errorf("nothing keeps %s", want)
		}
	}
	for _, d := range w.catalogue().Functions {
		if d.Event != nil && d.Service == "reservation" && !strings.Contains(listed, `terraform_data.kept["dead letters `+d.Event.DeadLetter+`"]`) {
			t.Errorf("nothing keeps the dead letters of %s", d.Event.DeadLetter)
		}
	}
	for _, refused := range [][]string{{"destroy", "-auto-approve"}, {"apply", "-auto-approve", "-var=deletion_protection=false"}} {
		out, err := w.run(append(refused, "-no-color")...)
		if err == nil || !strings.Contains(out, "Instance cannot be destroyed") {
			t.Errorf("%v is not refused: %v\n%s", refused, err, out)
		}
	}
	if after, err := w.run("state", "list"); err != nil || after != listed {
		t.Errorf("a refused plan changed something, %v:\n%s", err, after)
	}
	for _, step := range [][]string{{"state", "rm", "terraform_data.kept"}, {"destroy", "-auto-approve", "-var=deletion_protection=false"}} {
		if out, err := w.run(step...); err != nil {
			t.Errorf("%v: %v\n%s", step, err, out)
		}
	}
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
			if r.first("condition", "expression") != want {
				t.Errorf("%s reads %q", r.first("member"), r.first("condition", "expression"))
			}
		}
	}
	if found != 1 {
		t.Errorf("%d accounts read buckets", found)
	}
}

// TestEdge_logs wants the load balancer to log what a security policy decided, and no token.
func TestEdge_logs(t *testing.T) {
	t.Parallel()
	s := ofTheProduction.system(t)
	for _, r := range s.of("google_compute_backend_service") {
		on := at(r.Arguments, "log_config", "enable")
		if len(on) != 1 {
			t.Fatalf("%s: len(on) = %v, want 1", r.Address, len(on))
		}
		if on[0] != true {
			t.Errorf("%s: on[0] = %v, want true", r.Address, on[0])
		}
		if r.first("security_policy") == "" {
			t.Errorf(`%s: r.first("security_policy") = "", want a value`, r.Address)
		}
	}
	var excluded []string
	for _, r := range s.of("google_logging_project_exclusion") {
		excluded = append(excluded, r.first("filter"))
	}
	for _, want := range []string{
		`resource.type="http_load_balancer" AND (httpRequest.requestUrl:"?" OR httpRequest.referer:"?")`,
		`resource.type="http_load_balancer" AND NOT jsonPayload.previewSecurityPolicy.outcome="DENY" AND NOT jsonPayload.enforcedSecurityPolicy.outcome="DENY"`,
	} {
		if !strings.Contains(strings.Join(excluded, "\n"), want) {
			t.Errorf("nothing excludes %s", want)
		}
	}
}
