package terraform

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// A rollout runs the module job and then rolls a function out, to which the edge leads. A command takes the place of the cloud: it runs
// where the cloud would execute the job, which is when the resource is created, and refuses a second job of one name.
const rollout = `
variable "release" {}
variable "now" {}

module "migrate" {
  source      = "./modules/job"
  name        = NAME
  region      = "me-central1"
  image       = "image:${var.release}"
  args        = []
  account     = "jobs-migrate@hotels.iam.gserviceaccount.com"
  environment = {}
  network     = { network = "n", subnetwork = "s" }
  timeout     = 3600
  run         = var.release
  labels      = {}
}

resource "terraform_data" "function" {
  input      = var.release
  depends_on = [module.migrate]
}

resource "terraform_data" "edge" {
  input = terraform_data.function.id

  lifecycle {
    create_before_destroy = true
  }
}

output "rolled_out" {
  value = terraform_data.function.output
}
`

var nameOfMigrate = regexp.MustCompile(`name\s+= ("migrate.*")`)

// command replaces the job of a copy by a command that notes each run and fails while there is a file.
func (w configCopy) command() {
	w.t.Helper()
	path := filepath.Join(w.dir, "modules", "job", "main.tf")
	source := check.Got(os.ReadFile(path)).Must(w.t)
	const job = "resource \"google_cloud_run_v2_job\" \"this\" {\n"
	before, rest, found := strings.Cut(string(source), job)
	own, after, ended := strings.Cut(rest, "\n}\n")
	_, lifecycle, cycles := strings.Cut(own, "\n  lifecycle {")
	lifecycle, _, closed := strings.Cut(lifecycle, "\n  }")
	if !found {
		w.t.Fatal("found = false, want true")
	}
	if !ended {
		w.t.Fatal("ended = false, want true")
	}
	if cycles && !closed {
		w.t.Fatal("the module has no job")
	}
	made := "resource \"terraform_data\" \"this\" {\n  input = var.name\n" +
		"  provisioner \"local-exec\" {\n    command = \"mkdir job-${self.input} && echo run >> runs && test ! -e fail\"\n  }\n" +
		"  lifecycle {" + strings.Replace(lifecycle, "[name]", "[input]", 1) + "\n  }\n}\n"
	check.Must(w.t, os.WriteFile(path, []byte(before+made+strings.ReplaceAll(after, "google_cloud_run_v2_job.this", "terraform_data.this")), 0o600))
}

func TestMigration_failure(t *testing.T) {
	t.Parallel()
	need(t)
	w := configCopy{t, t.TempDir()}
	check.Must(t, os.CopyFS(filepath.Join(w.dir, "modules", "job"), os.DirFS(filepath.Join(home, "modules", "job"))))
	name := nameOfMigrate.FindStringSubmatch(text(t, "jobs.tf"))
	if name == nil {
		t.Fatal("no job is called migrate")
	}
	named := strings.Replace(rollout, "NAME", strings.Replace(name[1], "plantimestamp()", "var.now", 1), 1)
	check.Must(t, os.WriteFile(filepath.Join(w.dir, "main.tf"), []byte(named), 0o600))
	w.command()
	if out, err := w.run("init", "-no-color"); err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	broken := filepath.Join(w.dir, "fail")
	for i, step := range []struct {
		name, release, rolledOut string
		fails                    bool
		runs                     int
	}{
		{"first_release", "1", "1", false, 1},
		{"nothing_new", "1", "1", false, 1},
		{"failing_migration", "2", "1", true, 2},
		{"the_same_apply_again", "2", "1", true, 3},
		{"an_older_release", "1", "1", false, 4},
		{"mended", "2", "2", false, 5},
		{"nothing_new_again", "2", "2", false, 5},
	} {
		if step.fails {
			check.Must(t, os.WriteFile(broken, nil, 0o600))
		} else if i > 0 {
			_ = os.Remove(broken)
		}
		out, err := w.run("apply", "-auto-approve", "-no-color", "-var=release="+step.release, fmt.Sprintf("-var=now=2026-01-01T00:00:%02dZ", i))
		if (err != nil) != step.fails {
			t.Fatalf("%s: error %v\n%s", step.name, err, out)
		}
		rolled, _ := w.run("output", "-raw", "rolled_out")
		runs := check.Got(os.ReadFile(filepath.Join(w.dir, "runs"))).Must(t)
		if !strings.HasSuffix(rolled, step.rolledOut) || strings.Count(string(runs), "run") != step.runs {
			t.Errorf("%s: rolled out %s after %d runs, want %s after %d", step.name, rolled, strings.Count(string(runs), "run"), step.rolledOut, step.runs)
		}
	}
}

// TestMigration_timeout wants the apply to wait for as long as a job may run, with its retries.
func TestMigration_timeout(t *testing.T) {
	t.Parallel()
	s := ofTheDemo.system(t)
	seconds := func(r resource, path ...string) (n float64) {
		for _, v := range at(r.Arguments, path...) {
			switch v := v.(type) {
			case string:
				return float64(check.Got(strconv.Atoi(strings.TrimSuffix(v, "s"))).Must(t))
			case float64:
				return v
			}
		}
		t.Errorf("%s has no %v", r.Address, path)
		return 0
	}
	jobs := s.of("google_cloud_run_v2_job")
	if len(jobs) == 0 {
		t.Fatal("there are no jobs")
	}
	for _, r := range jobs {
		runs := seconds(r, "template", "template", "timeout") * (1 + seconds(r, "template", "template", "max_retries"))
		for _, act := range []string{"create", "update"} {
			t.Run(r.Address+" "+act, func(t *testing.T) {
				if waits := seconds(r, "timeouts", act); waits < runs {
					t.Errorf("timeout = %.0f s, want at least the %.0f s of its runs", waits, runs)
				}
			})
		}
	}
}
