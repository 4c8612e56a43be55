package terraform

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestProvider_required runs the scripts' check of the provider with a Terraform that finds none: CI fails, a laptop names in its last
// line what was not tested.
func TestProvider_required(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	for _, file := range []string{"scripts/setup", "terraform/versions.tf"} {
		source := check.Got(os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))).Must(t)
		check.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(tree, file)), 0o700))
		check.Must(t, os.WriteFile(filepath.Join(tree, file), source, 0o600))
	}
	bin := t.TempDir()
	check.Must(t, os.WriteFile(filepath.Join(bin, "terraform"), []byte("#!/bin/sh\nexec test -e \"$TF_CLI_CONFIG_FILE\"\n"), 0o700))
	check.Must(t, os.WriteFile(filepath.Join(bin, "installer"), []byte("#!/bin/sh\nmkdir -p \"$1\" && touch \"$1/terraform.rc\"\n"), 0o700))
	const missing = "the Terraform configuration with its provider"
	for _, test := range []struct {
		name, required, installer string
		fails, left               bool
	}{
		{"laptop", "", "/nowhere", false, true},
		{"ci", "1", "/nowhere", true, true},
		{"laptop_with_an_installer", "", bin + "/installer", false, false},
		{"ci_with_an_installer", "1", bin + "/installer", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.Must(t, os.RemoveAll(filepath.Join(tree, ".local")))
			cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", ". scripts/setup; need_provider; echo tests; say_left_out")
			cmd.Dir = tree
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "PROVIDER_REQUIRED="+test.required, "TERRAFORM_PROVIDER_INSTALLER="+test.installer, "TF_CLI_CONFIG_FILE=/nowhere")
			out, err := cmd.CombinedOutput()
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			if last := lines[len(lines)-1]; (err != nil) != test.fails || strings.Contains(last, missing) != test.left {
				t.Errorf("%v, the last line is %q", err, last)
			}
		})
	}
}

// TestProvider_ci wants CI to require what a laptop may leave out.
func TestProvider_ci(t *testing.T) {
	t.Parallel()
	run := check.Got(os.ReadFile(filepath.Join(root, ".ci", "run"))).Must(t)
	script := check.Got(os.ReadFile(filepath.Join(root, "scripts", "test"))).Must(t)
	switch {
	case !strings.Contains(string(run), "PROVIDER_REQUIRED=1"):
		t.Errorf("string(run) = %q, want one containing %q", string(run), "PROVIDER_REQUIRED=1")
	case strings.Count(string(script), "say_left_out\n") != 2:
		t.Errorf(`strings.Count(string(script), "say_left_out\n") = %v, want 2`, strings.Count(string(script), "say_left_out\n"))
	case !strings.Contains(string(script), "\nneed_provider\n"):
		t.Errorf("string(script) = %q, want one containing %q", string(script), "\nneed_provider\n")
	}
}
