// Package terraform holds the infrastructure to the catalogue and to the code, and shows that its own tests can fail.
package terraform

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// root is the module's folder as seen from this one, home that of the configuration.
var (
	root = filepath.Join("..", "..")
	home = filepath.Join(root, "terraform")
)

// A configCopy is a copy of the configuration, in which tests run Terraform and break files.
type configCopy struct {
	t   testing.TB
	dir string
}

// open copies the configuration without lock files and state files.
func open(t testing.TB) configCopy {
	t.Helper()
	w := configCopy{t, t.TempDir()}
	check.Must(t, os.CopyFS(w.dir, os.DirFS(home)))
	for _, left := range []string{".terraform", ".terraform.lock.hcl", "terraform.tfstate"} {
		check.Must(t, os.RemoveAll(filepath.Join(w.dir, left)))
	}
	return w
}

// timeout bounds one command; other tests may have the machine.
const timeout = 5 * time.Minute

// run runs Terraform in the copy, with whatever configuration of its command line the environment names.
func (w configCopy) run(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "terraform", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// need leaves a test out where there is no Terraform.
func need(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("plans and applies the whole configuration")
	}
	if _, err := exec.LookPath("terraform"); err != nil {
		leaveOut(t, "Terraform is not installed, so its own tests of the configuration are left out: see https://developer.hashicorp.com/terraform/install")
	}
}

// leaveOut skips a test for what the machine lacks, or fails it where everything is required.
func leaveOut(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("PROVIDER_REQUIRED") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// prepare makes the copy ready for what needs the provider, or leaves the test out if the provider is not found.
func (w configCopy) prepare() {
	w.t.Helper()
	if out, err := w.run("init", "-backend=false", "-no-color"); err != nil {
		if strings.Contains(out, "could not connect") || strings.Contains(out, "Failed to query available provider packages") || strings.Contains(out, "Failed to install provider") {
			leaveOut(w.t, "The provider is neither in its registry nor in a mirror (TF_CLI_CONFIG_FILE may name one):\n"+out)
		}
		w.t.Fatalf("init: %v\n%s", err, out)
	}
}

// replace puts one text in the place of another, which must be there exactly once.
func (w configCopy) replace(file, from, to string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(file))
	text := check.Got(os.ReadFile(path)).Must(w.t)
	if n := strings.Count(string(text), from); n != 1 {
		w.t.Fatalf("%s has %d times %q", file, n, from)
	}
	check.Must(w.t, os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
}

// few leaves one function of each sort in the copy's catalogue: what is wrong with all is wrong with each, and is found sooner.
func (w configCopy) few() {
	w.t.Helper()
	path := filepath.Join(w.dir, "catalogue.json")
	text, err := os.ReadFile(path)
	check.Must(w.t, err)
	var d deployment.Deployment
	check.Must(w.t, json.Unmarshal(text, &d))
	cut(&d)
	text, err = d.Text()
	check.Must(w.t, err)
	check.Must(w.t, os.WriteFile(path, text, 0o600))
}

func cut(d *deployment.Deployment) {
	sorts := map[string]bool{}
	functions := map[string]deployment.Function{}
	var routes []deployment.Route
	for _, r := range d.Routes { // these first: their order decides which of a sort stays
		f := d.Functions[r.Function]
		if sort := sortOf(f); !sorts[sort] || r.Template == "/bff/tenant-booking/v1/*/hold" || r.Template == "/site/*" {
			sorts[sort], functions[r.Function] = true, f
			routes = append(routes, r)
		}
	}
	for name, f := range d.Functions {
		if sort := sortOf(f); f.Kind != "http" && !sorts[sort] {
			sorts[sort], functions[name] = true, f
		}
	}
	d.Functions, d.Routes = functions, routes
}

func sortOf(f deployment.Function) string {
	filter := f.Event != nil && strings.Contains(f.Event.Filter, " AND ") // beside the one of each subscription
	return fmt.Sprint(f.Service, f.Kind, f.Answers, filter, slices.Contains(f.Secrets, "GUEST_SALT_KEYS"), strings.HasSuffix(f.Path, "/policies"))
}
