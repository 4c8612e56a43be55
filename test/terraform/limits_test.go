package terraform

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A limit is a hard limit of Google's, or the default quota of a new project, that an apply runs into only in the cloud.
type limit struct {
	what string
	max  int
	// sizes returns what counts against the limit, by the name of what has it.
	sizes func(system) map[string]int
	// grow makes a system exceed the limit, to show that it would be noticed.
	grow func(system) system
}

// characters limits the strings at a path.
func characters(bound int, kind string, path ...string) limit {
	return limit{
		what: fmt.Sprintf("%s %s", kind, strings.Join(path, ".")), max: bound,
		sizes: func(s system) map[string]int {
			sizes := map[string]int{}
			for _, r := range s.of(kind) {
				for i, v := range at(r.Arguments, path...) {
					if text, ok := v.(string); ok {
						sizes[fmt.Sprintf("%s %d", r.Address, i)] = utf8.RuneCountInString(text)
					}
				}
			}
			return sizes
		},
		grow: func(s system) system {
			var value any = strings.Repeat("x", bound+1)
			for _, name := range slices.Backward(path) {
				value = map[string]any{name: value}
			}
			return s.with(kind, value.(map[string]any))
		},
	}
}

// with is the system with one more resource.
func (s system) with(kind string, arguments map[string]any) system {
	return system{append(slices.Clone(s.resources), resource{Kind: kind, Address: "one more", Arguments: arguments})}
}

// number limits how many resources of a kind there are.
func number(bound int, kind string) limit {
	return limit{
		what: "number of " + kind, max: bound,
		sizes: func(s system) map[string]int { return map[string]int{"all": len(s.of(kind))} },
		grow: func(s system) system {
			for range bound {
				s = s.with(kind, nil)
			}
			return s.with(kind, nil)
		},
	}
}

// labels limits keys and values of all labels.
func labels(kind, member string) limit {
	return limit{
		what: kind + " " + member, max: 63,
		sizes: func(s system) map[string]int {
			sizes := map[string]int{}
			for _, r := range s.of(kind) {
				given, _ := r.Arguments[member].(map[string]any)
				for key, value := range given {
					sizes[r.Address+" "+key] = max(len(key), utf8.RuneCountInString(fmt.Sprint(value)))
				}
			}
			return sizes
		},
		grow: func(s system) system {
			return s.with(kind, map[string]any{member: map[string]any{"alert": strings.Repeat("x", 64)}})
		},
	}
}

// environment limits all variables of a process together.
func environment(bound int, kind string, path ...string) limit {
	return limit{
		what: kind + " environment", max: bound,
		sizes: func(s system) map[string]int {
			sizes := map[string]int{}
			for _, r := range s.of(kind) {
				for _, found := range at(r.Arguments, path...) {
					given, _ := found.(map[string]any)
					if name, ok := given["name"].(string); ok { // one variable of a list
						given = map[string]any{name: given["value"]}
					}
					for key, value := range given {
						sizes[r.Address] += len(key) + len(fmt.Sprint(value))
					}
				}
			}
			return sizes
		},
		grow: func(s system) system {
			var value any = map[string]any{"NAME": strings.Repeat("x", bound)}
			for _, name := range slices.Backward(path) {
				value = map[string]any{name: value}
			}
			return s.with(kind, value.(map[string]any))
		},
	}
}

// routeRules are counted per path matcher, which has all routes of a site.
var routeRules = limit{
	what: "route rules of a path matcher", max: 200,
	sizes: func(s system) map[string]int {
		sizes := map[string]int{}
		for _, r := range s.of("google_compute_url_map") {
			for i, matcher := range at(r.Arguments, "path_matcher") {
				sizes[fmt.Sprintf("%s %d", r.Address, i)] = len(at(matcher, "route_rules"))
			}
		}
		return sizes
	},
	grow: func(s system) system {
		rules := make([]any, 201)
		for i := range rules {
			rules[i] = map[string]any{"priority": i}
		}
		return s.with("google_compute_url_map", map[string]any{"path_matcher": []any{map[string]any{"route_rules": rules}}})
	},
}

// execution is a job's name and the token that has it executed: Google names the execution by both.
var execution = limit{
	what: "name and token of an execution", max: 62,
	sizes: func(s system) map[string]int {
		sizes := map[string]int{}
		for _, r := range s.of("google_cloud_run_v2_job") {
			sizes[r.Address] = len(r.first("name")) + len(r.first("run_execution_token"))
		}
		return sizes
	},
	grow: func(s system) system {
		return s.with("google_cloud_run_v2_job", map[string]any{"name": "migrate", "run_execution_token": strings.Repeat("x", 56)})
	},
}

// limits are those of Google's documents (in the resource's reference, or under Quotas of its product).
var limits = []limit{
	characters(30, "google_service_account", "account_id"),
	characters(100, "google_service_account", "display_name"),
	characters(256, "google_service_account", "description"),
	number(100, "google_service_account"),

	characters(63, "google_cloudfunctions2_function", "name"),
	environment(32<<10, "google_cloudfunctions2_function", "service_config", "environment_variables"),
	number(1000, "google_cloudfunctions2_function"),
	characters(49, "google_cloud_run_v2_job", "name"),
	environment(32<<10, "google_cloud_run_v2_job", "template", "template", "containers", "env"),
	execution,
	characters(500, "google_cloud_scheduler_job", "name"),
	characters(255, "google_secret_manager_secret_iam_binding", "secret_id"),
	characters(63, "google_sql_user", "name"),

	characters(255, "google_pubsub_topic", "name"),
	characters(255, "google_pubsub_subscription", "name"),
	characters(256, "google_pubsub_subscription", "filter"),
	number(10000, "google_pubsub_topic"),

	characters(63, "google_compute_backend_service", "name"),
	characters(63, "google_compute_region_network_endpoint_group", "name"),
	characters(63, "google_compute_security_policy", "name"),
	characters(64, "google_compute_security_policy", "rule", "description"),
	characters(2048, "google_compute_security_policy", "rule", "match", "expr", "expression"),
	routeRules,
	characters(63, "google_certificate_manager_certificate", "name"),
	characters(63, "google_certificate_manager_certificate_map_entry", "name"),

	labels("google_monitoring_alert_policy", "user_labels"),
	labels("google_cloudfunctions2_function", "labels"),
	labels("google_pubsub_topic", "labels"),
	characters(8192, "google_monitoring_alert_policy", "documentation", "content"),
	characters(255, "google_monitoring_alert_policy", "documentation", "subject"),
	characters(512, "google_monitoring_alert_policy", "display_name"),
	characters(2048, "google_monitoring_alert_policy", "conditions", "condition_threshold", "filter"),
	number(500, "google_monitoring_alert_policy"),
	characters(100, "google_logging_metric", "name"),
	characters(8000, "google_logging_metric", "description"),
	characters(20000, "google_logging_metric", "filter"),
	number(500, "google_logging_metric"),
	characters(100, "google_logging_project_exclusion", "name"),
	characters(20000, "google_logging_project_exclusion", "filter"),
	number(10, "google_logging_project_exclusion"),
}

// backendServices is the usual quota of a new project. A demonstration needs more, and its plan is refused until that is granted.
func backendServices(quota int) limit { return number(quota, "google_compute_backend_service") }

// exceeded names what is beyond a limit.
func (l limit) exceeded(s system) (beyond []string) {
	for name, size := range l.sizes(s) {
		if size > l.max {
			beyond = append(beyond, fmt.Sprintf("%s: %s has %d, the limit is %d", l.what, name, size, l.max))
		}
	}
	return beyond
}

// TestLimits holds what the configuration makes to Google's limits. It needs Terraform, but no provider.
func TestLimits(t *testing.T) {
	t.Parallel()
	need(t)
	for _, test := range []struct {
		name   string
		quota  int
		system func(testing.TB) system
	}{
		{"production", 50, ofTheProduction.system},
		{"production_and_five_functions", 50, with(5, ofProduction)},
		{"demo", 130, ofTheDemo.system},
		{"everything_and_one_function", 130, with(1, ofDemo)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := test.system(t)
			for _, l := range append(slices.Clone(limits), backendServices(test.quota)) {
				for _, beyond := range l.exceeded(s) {
					t.Error(beyond)
				}
				if len(l.sizes(s)) == 0 {
					t.Errorf("%s: nothing counts against it", l.what)
				}
				if len(l.exceeded(l.grow(s))) == 0 {
					t.Errorf("%s: a breach is not noticed", l.what)
				}
			}
		})
	}
}

// with evaluates the configuration with that many more functions.
func with(functions int, vars map[string]any) func(testing.TB) system {
	return func(t testing.TB) system {
		t.Helper()
		w := open(t)
		w.grow(functions)
		return check.Got(w.evaluate(vars)).Must(t)
	}
}

// grow adds so many functions to the copy's catalogue: as of a front desk, which are called, hear events, and are ticked.
func (w configCopy) grow(functions int) {
	w.t.Helper()
	d := w.catalogue()
	var called, hearing, scheduled deployment.Function
	for _, name := range slices.Sorted(maps.Keys(d.Functions)) {
		if f := d.Functions[name]; f.Service == "reservation" {
			switch f.Kind {
			case "http":
				called = f
			case "event":
				hearing = f
			case "scheduled":
				scheduled = f
			}
		}
	}
	for i := range functions {
		name := fmt.Sprintf("reservation-anotherfunctionwithalongname%d", i)
		f := called
		switch i {
		case 2, 3, 4, 5, 6, 7, 8: // only two are HTTP functions: the usual quota of a new project has no room for more backend services
			f = hearing
			e := *hearing.Event
			e.Subject, e.DeadLetter = fmt.Sprintf("melmastoon.housekeeping.room.another_status_changed%d.v1", i), fmt.Sprintf("melmastoon-reservation-melmastoon.housekeeping.room.another_status_changed%d.v1-dlq", i)
			f.Event = &e
		case 9:
			f = scheduled
		}
		f.Account, f.Archive = fmt.Sprintf("reservation-another-%d", i), name
		if f.Kind == "http" {
			d.Routes = append(d.Routes, deployment.Route{Function: name, Method: "POST", Template: fmt.Sprintf("/api/v1/reservations/*/another-%d", i)})
		}
		d.Functions[name] = f
	}
	text := check.Got(d.Text()).Must(w.t)
	check.Must(w.t, os.WriteFile(filepath.Join(w.dir, "catalogue.json"), text, 0o600))
}

// TestLimits_breaches puts three former mistakes of the configuration into one plan. The table must report exactly these.
func TestLimits_breaches(t *testing.T) {
	t.Parallel()
	need(t)
	w := open(t)
	want := map[string]bool{}
	for _, b := range []struct{ file, old, new, what string }{
		{"accounts.tf", `length(local.run_by[each.value]) == 1 ? "Runs ${local.run_by[each.value][0]}." :`, `true ? "Runs ${join(", ", local.run_by[each.value])}." :`, "google_service_account description"},
		{"alerts.tf", "length(key) <= 63 ?", "true ?", "google_monitoring_alert_policy user_labels"},
		{"edge.tf", `description = "So many a minute from one address."`, `description = "` + strings.Repeat("x", 65) + `"`, "google_compute_security_policy rule.description"},
	} {
		w.replace(b.file, b.old, b.new)
		want[b.what] = true
	}
	s := check.Got(w.evaluate(ofDemo)).Must(t)
	for _, l := range limits {
		if exceeded := l.exceeded(s); want[l.what] != (len(exceeded) > 0) {
			t.Errorf("%s: exceeded %v, want a breach: %t", l.what, exceeded, want[l.what])
		}
	}
}

var requested = regexp.MustCompile(`(?m)^backend_services += (\d+)`)

// TestLimits_backendServices wants a plan to be refused that needs more of them than the project has, and the example of a
// demonstration to request enough.
func TestLimits_backendServices(t *testing.T) {
	t.Parallel()
	edge := text(t, "edge.tf")
	check.Contains(t, edge, "condition     = length(local.called) <= var.backend_services")
	var d deployment.Deployment
	check.Must(t, json.Unmarshal([]byte(text(t, "catalogue.json")), &d))
	called := 0
	for _, f := range d.Functions {
		if f.Kind == "http" {
			called++
		}
	}
	if called <= 50 {
		t.Errorf("everything needs %d backend services: the variable backend_services has become needless", called)
	}
	example := requested.FindStringSubmatch(text(t, "demo.tfvars.example"))
	if example == nil {
		t.Fatal("demo.tfvars.example requests no backend services")
	}
	if quota, err := strconv.Atoi(example[1]); err != nil || quota < called {
		t.Errorf("demo.tfvars.example requests %s backend services, want at least %d", example[1], called)
	}
}
