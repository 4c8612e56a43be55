package deployment_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestModel_upToDate(t *testing.T) {
	t.Parallel()
	got := check.Got(os.ReadFile(filepath.Join(root, filepath.FromSlash(deployment.ModelFile)))).Must(t)
	check.Equal(t, got, whole(t).Model(), "%s is out of date. Regenerate it: go run ./scripts/catalogue", deployment.ModelFile)
}

// TestOverdrawn adds twins of a function until one budget does not suffice.
func TestOverdrawn(t *testing.T) {
	t.Parallel()
	check.NoError(t, whole(t).Overdrawn(), "the catalogue itself")
	for _, test := range []struct{ twin, want string }{
		{"tenantbooking-hold", "backend services: 51 of 50"},
		{"reservation-paymentcaptured", "service accounts: 101 of 100"},
	} {
		t.Run(test.twin, func(t *testing.T) {
			t.Parallel()
			functions := slices.Clone(melmastoon.Functions)
			i := slices.IndexFunc(functions, func(f fn.Function) bool { return f.Spec.Name == test.twin })
			for n := range 100 {
				twin := functions[i]
				twin.Spec.Name = fmt.Sprintf("%s%d", test.twin, n)
				functions = append(functions, twin)
				d := check.Got(deployment.Of(functions, melmastoon.Jobs)).Must(t)
				if err := d.Overdrawn(); err != nil {
					check.Contains(t, err.Error(), test.want)
					return
				}
			}
			t.Error("a hundred twins overdraw no budget")
		})
	}
}

// TestCosts_configuration compares what the model bills with the configuration.
func TestCosts_configuration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file, pattern string
		want                int
	}{
		{"security policies", "edge.tf", `(?m)^resource "google_compute_security_policy"`, deployment.Policies},
		{"rules of the policies", "edge.tf", `(?m)^  rule \{`, deployment.PolicyRules},
		{"forwarding rules, of which five have one price", "edge.tf", `(?m)^resource "google_compute_global_forwarding_rule"`, 2},
		{"instances kept warm", "production.tfvars.example", `min_instances = 1 `, deployment.Warm},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join(root, "terraform", test.file))
			check.Must(t, err)
			if got := len(regexp.MustCompile(test.pattern).FindAll(text, -1)); got != test.want {
				t.Errorf("%s has %d, the model bills %d", test.file, got, test.want)
			}
		})
	}
}

// TestBudgets_defaults compares the numbers of the model with the defaults of the configuration.
func TestBudgets_defaults(t *testing.T) {
	t.Parallel()
	variables := check.Got(os.ReadFile(filepath.Join(root, "terraform", "variables.tf"))).Must(t)
	for name, value := range map[string]string{"database_pool": "2", "database_max_connections": "450", "database_reserve": "30", "backend_services": "50"} {
		t.Run(name, func(t *testing.T) {
			_, after, _ := strings.Cut(string(variables), `variable "`+name+`" {`)
			block, _, _ := strings.Cut(after, "\n}")
			check.Contains(t, block+"\n", "default     = "+value+"\n")
		})
	}
	functions := check.Got(os.ReadFile(filepath.Join(root, "terraform", "functions.tf"))).Must(t)
	for kind, instances := range map[string]int{"http": 3, "event": 2, "scheduled": 1} {
		t.Run(kind, func(t *testing.T) {
			if want := fmt.Sprintf("max_instances = %d,", instances); !slices.ContainsFunc(strings.Split(string(functions), "\n"), func(line string) bool {
				return strings.HasPrefix(strings.TrimSpace(line), kind+" ") && strings.Contains(line, want)
			}) {
				t.Errorf("functions of the kind %s have not %s", kind, want)
			}
		})
	}
}
