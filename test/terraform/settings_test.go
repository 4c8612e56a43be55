package terraform

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/bundle/archive"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// left are the variables that the code reads and a deployment does not set, and why.
var left = map[string]string{
	"CLOUDSQL_PRIVATE_IP":        "what the code takes for granted is so",
	"DATABASE_CONNECT_TIMEOUT":   "the code's own",
	"DATABASE_IDLE_TIMEOUT":      "the code's own",
	"DATABASE_STATEMENT_TIMEOUT": "the code's own",
	"DATABASE_URL":               "there the database is on Cloud SQL",
	"DOCUMENT_PAUSE":             "the code's own",
	"DOCUMENT_TIMEOUT":           "the code's own",
	"EMULATORS_REQUIRED":         "for tests",
	"FIRESTORE_EMULATOR_HOST":    "for local runs",
	"FUNCTION_TARGET":            "the cloud sets it",
	"K_REVISION":                 "the cloud sets it",
	"KEYS_FOLDER":                "for local runs",
	"PGTEST_URL":                 "for tests",
	"PUBSUB_EMULATOR_HOST":       "for local runs",
	"TIMELINE_LOG":               "for local runs",
	"TENANT_BOOKING_URL":         "it is below PUBLIC_URL",
	"TIMEOUT_FACTOR":             "for slow machines",
}

var (
	readByCode = regexp.MustCompile("`env:\"([A-Z][A-Z0-9]*_[A-Z0-9_]+)")
	setHere    = regexp.MustCompile(`(?m)^\s*([A-Z][A-Z0-9]*_[A-Z0-9_]+)\s*=|[{,?]\s*([A-Z][A-Z0-9]*_[A-Z0-9_]+)\s*=[^=]`)
)

// read are the variables that the code reads, but for those that are named when it runs (UPSTREAM_…).
func read(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, top := range []string{"functions", "shared", "jobs"} {
		tree := os.DirFS(root)
		check.Must(t, fs.WalkDir(tree, top, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := fs.ReadFile(tree, path)
			for _, found := range readByCode.FindAllSubmatch(source, -1) {
				names[string(found[1])] = true
			}
			return err
		}))
	}
	return names
}

// set are the variables that the configuration names, in these files.
func set(t *testing.T, files ...string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range files {
		for _, found := range setHere.FindAllStringSubmatch(text(t, file), -1) {
			names[found[1]+found[2]] = true
		}
	}
	return names
}

func text(t *testing.T, file string) string {
	t.Helper()
	return string(check.Got(os.ReadFile(filepath.Join(home, file))).Must(t))
}

func TestSettings_allVariables(t *testing.T) {
	t.Parallel()
	code, here := read(t), set(t, "documents.tf", "functions.tf", "jobs.tf")
	for _, secret := range deployment.Secrets {
		here[secret] = true // by what each function needs
	}
	for name := range code {
		if !here[name] && left[name] == "" {
			t.Errorf("nothing sets %s", name)
		}
		if here[name] && left[name] != "" {
			t.Errorf("%s is set, and left because %s", name, left[name])
		}
	}
	for name := range here {
		if !code[name] && name != "PGOPTIONS" {
			t.Errorf("%s is set, and nothing reads it", name)
		}
	}
	for name := range left {
		if !code[name] && !strings.HasPrefix(name, "EMULATORS") {
			t.Errorf("%s is left out, and nothing reads it", name)
		}
	}
}

var (
	declared = regexp.MustCompile(`(?m)^variable "([a-z_]+)"`)
	tabled   = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|")
)

func all(pattern *regexp.Regexp, text string) (found []string) {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestSettings_guide(t *testing.T) {
	t.Parallel()
	guide := text(t, "README.md")
	if want, got := all(declared, text(t, "variables.tf")), all(tabled, guide); !slices.Equal(got, want) {
		t.Errorf("variables %v\nthe guide has %v", want, got)
	}
}

func TestSettings_documentStores(t *testing.T) {
	t.Parallel()
	for _, h := range archive.Hots {
		offered := strings.Contains(text(t, "variables.tf"), `["firestore", "redis"]`) && (h == archive.Firestore || h == archive.Redis)
		if offered == (h == archive.Embedded) { // that one is for a laptop
			t.Errorf("documents in %s: offered %v", h, offered)
		}
	}
}

// interfaces say which of Google's services make a kind of resource, by the beginning of its name.
var interfaces = map[string][]string{
	"google_bigquery_":            {"bigquery"},
	"google_billing_":             {"billingbudgets"},
	"google_certificate_manager_": {"certificatemanager"},
	"google_cloud_run_v2_":        {"run"},
	"google_cloud_scheduler_":     {"cloudscheduler"},
	"google_cloudfunctions2_":     {"artifactregistry", "cloudbuild", "cloudfunctions", "run"},
	"google_compute_":             {"compute"},
	"google_firestore_":           {"firestore"},
	"google_logging_":             {"logging"},
	"google_monitoring_":          {"monitoring"},
	"google_project_iam_":         {"cloudresourcemanager"},
	"google_project_service":      {"serviceusage"},
	"google_pubsub_":              {"pubsub"},
	"google_redis_":               {"redis"},
	"google_secret_manager_":      {"secretmanager"},
	"google_service_account":      {"iam"},
	"google_service_networking_":  {"servicenetworking"},
	"google_sql_":                 {"sqladmin"},
	"google_storage_":             {"storage"},
}

var made = regexp.MustCompile(`(?m)^resource "([a-z0-9_]+)"`)

// TestSettings_newProject wants each of Google's services to be switched on that something here is made by: before the
// apply, by the guide, or by the apply.
func TestSettings_newProject(t *testing.T) {
	t.Parallel()
	files := check.Got(filepath.Glob(filepath.Join(home, "*.tf"))).Must(t)
	modules := check.Got(filepath.Glob(filepath.Join(home, "modules", "*", "*.tf"))).Must(t)
	on := text(t, "services.tf") + text(t, "README.md")
	for _, file := range slices.Concat(files, modules) {
		source := check.Got(os.ReadFile(file)).Must(t)
		for _, kind := range all(made, string(source)) {
			known := kind == "terraform_data" // Terraform's own
			for beginning, services := range interfaces {
				if !strings.HasPrefix(kind, beginning) {
					continue
				}
				known = true
				for _, service := range services {
					if !regexp.MustCompile(`[" ]` + service + `\.googleapis\.com`).MatchString(on) {
						t.Errorf("%s is made by %s.googleapis.com, which nobody switches on", kind, service)
					}
				}
			}
			if !known {
				t.Errorf("%s: say in interfaces which service makes it", kind)
			}
		}
	}
}

// scaled matches the exceptions from the default scaling, and the names in them.
var (
	scaled      = regexp.MustCompile(`(?ms)^scaling = \{$.*?^\}$`)
	scaledNames = regexp.MustCompile(`(?m)^  ([a-z-]+) +=`)
)

// TestSettings_scaling wants the example to keep instances of the functions for which a guest waits. An exception is for a known function.
func TestSettings_scaling(t *testing.T) {
	t.Parallel()
	var d deployment.Deployment
	check.Must(t, json.Unmarshal([]byte(text(t, "catalogue.json")), &d))
	names := all(scaledNames, scaled.FindString(text(t, "production.tfvars.example")))
	for _, name := range names {
		check.Equal(t, d.Functions[name].Kind, "http", "production.tfvars.example keeps an instance of %s, which is no HTTP function", name)
	}
	for _, waits := range []string{"consumer-search", "tenantbooking-bootstrap", "tenantbooking-readavailability", "tenantbooking-quote", "tenantbooking-hold"} {
		if !slices.Contains(names, waits) {
			t.Errorf("production.tfvars.example keeps no instance of %s", waits)
		}
	}
}

// TestSettings_examples evaluates the configuration with the examples that the guide names, and with nothing else but the
// variables of the command line. TestSettings_scaling tests the exceptions of scaling, which name more functions than are evaluated here.
func TestSettings_examples(t *testing.T) {
	t.Parallel()
	need(t)
	for _, test := range []struct{ file, creates string }{
		{"production.tfvars.example", "google_billing_budget"},
		{"demo.tfvars.example", "google_compute_url_map"},
	} {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.few()
			example := scaled.ReplaceAllString(text(t, test.file), "")
			check.Must(t, os.WriteFile(filepath.Join(w.dir, "example.auto.tfvars"), []byte(example), 0o600))
			s := check.Got(w.evaluate()).Must(t)
			if len(s.of(test.creates)) == 0 {
				t.Errorf("the example creates no %s", test.creates)
			}
		})
	}
}

// led are the resources that one thing of the edge leads to from another.
var led = regexp.MustCompile(`(?s)resource "google_compute_(?:backend_service|region_network_endpoint_group)" .*?\n}\n`)

// TestSettings_removedFunction wants what leads to a function to be removed when nothing leads there any more: Google refuses it
// before, and without being told Terraform removes first and changes then.
func TestSettings_removedFunction(t *testing.T) {
	t.Parallel()
	found := led.FindAllString(text(t, "edge.tf"), -1)
	check.MustEqual(t, len(found), 2, "resources that lead to functions")
	for _, resource := range found {
		check.Contains(t, resource, "create_before_destroy = true")
	}
}

// TestSettings_uniqueNames wants each function to be known to the configuration by the catalogue only.
func TestSettings_uniqueNames(t *testing.T) {
	t.Parallel()
	var d deployment.Deployment
	check.Must(t, json.Unmarshal([]byte(text(t, "catalogue.json")), &d))
	files := check.Got(filepath.Glob(filepath.Join(home, "*.tf"))).Must(t)
	if len(files) == 0 || len(melmastoon.Functions) == 0 {
		t.Fatal("there is nothing to look at")
	}
	for _, file := range files {
		source := text(t, filepath.Base(file))
		for name := range d.Functions {
			if strings.Contains(source, `"`+name+`"`) {
				t.Errorf("%s names %s: let it follow from the catalogue", filepath.Base(file), name)
			}
		}
	}
}

// ofRights are attributes of IAM resources, in whose place the provider may put another form of the same name.
var ofRights = regexp.MustCompile(`google_[a-z0-9_]+_iam_(?:member|binding|policy)\.[a-z_]+(?:\[[^\]]*\])?\.[a-z_]+`)

// TestSettings_noPermissionAttributes wants names to come from what is named. The provider rewrites a service's name in its IAM member after the
// apply; a backend that reads it there is replaced by every later apply.
func TestSettings_noPermissionAttributes(t *testing.T) {
	t.Parallel()
	if !ofRights.MatchString(`google_cloud_run_v2_service_iam_member.invoker["x"].name`) {
		t.Fatal("this notices nothing")
	}
	files := check.Got(filepath.Glob(filepath.Join(home, "*.tf"))).Must(t)
	modules := check.Got(filepath.Glob(filepath.Join(home, "modules", "*", "*.tf"))).Must(t)
	for _, file := range slices.Concat(files, modules) {
		source := check.Got(os.ReadFile(file)).Must(t)
		for _, found := range ofRights.FindAllString(string(source), -1) {
			t.Errorf("%s reads %s", file, found)
		}
	}
}
