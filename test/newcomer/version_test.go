package newcomer

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"melmastoon.ghasi.io"
	runner "melmastoon.ghasi.io/jobs/command" // commands_test.go has a type command
	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/shared/testkit/check"
)

var versions = regexp.MustCompile(`^(\S+): API (\S+), tree (\S+)\n$`)

// versionOf returns the program's name and tree in what it printed.
func versionOf(t *testing.T, printed string) (name, tree string) {
	t.Helper()
	m := versions.FindStringSubmatch(printed)
	if m == nil {
		t.Fatalf("--version prints %q, want one line like %q", printed, "run: API 1.0, tree 0123456789ab")
	}
	check.Equal(t, m[2], version.API(), "API version printed by --version")
	return m[1], m[3]
}

// programs returns the folders below scripts/ and jobs/ that contain a program, relative to the root, with its source.
func programs(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, top := range []string{"scripts", "jobs"} {
		check.Must(t, filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if strings.Contains("\n"+string(text), "\nfunc main() {") {
				folder, err := filepath.Rel(root, filepath.Dir(path))
				found[filepath.ToSlash(folder)] = string(text)
				return err
			}
			return nil
		}))
	}
	return found
}

// scripts returns the shell scripts that a reader starts.
func scripts(t *testing.T) (names []string) {
	t.Helper()
	entries := check.Got(os.ReadDir(filepath.Join(root, "scripts"))).Must(t)
	for _, e := range entries {
		info := check.Got(e.Info()).Must(t)
		if info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			names = append(names, e.Name())
		}
	}
	return names
}

// runsJob matches a program that only runs a job: package command answers its -version.
var runsJob = regexp.MustCompile(`os\.Exit\(command\.Run\(context\.Background\(\), ([a-z]+)\.Job, .*, os\.Args\[1:\], os\.Stderr\)\)`)

// TestVersion_programs runs every program of the tree with --version, as a reader does who has only the sources. Programs of jobs
// differ in their drivers only, so the jobs run in this process. It is not parallel, because it replaces the standard output.
func TestVersion_programs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds every program")
	}
	found := programs(t)
	if len(found) < len(melmastoon.Jobs)+8 {
		t.Fatalf("found the programs %v, want those of %d jobs and 8 more", found, len(melmastoon.Jobs))
	}
	for folder, source := range found {
		t.Run(folder, func(t *testing.T) {
			want := filepath.Base(strings.TrimSuffix(folder, "/main"))
			if m := runsJob.FindStringSubmatch(source); m != nil && m[1] == want {
				versionOfJob(t, want)
				return
			}
			if folder == "scripts/serve" {
				want = "run" // as a reader starts it
			}
			program := filepath.Join(t.TempDir(), "program")
			build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./"+folder)
			build.Dir = root
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			check.Equal(t, ask(t, program), want, "name in the program's help")
			wantHelp(t, program)
		})
	}
	for _, name := range scripts(t) {
		t.Run("scripts/"+name, func(t *testing.T) {
			check.Equal(t, ask(t, "./scripts/"+name), name, "name in the script's help")
			if name != "run" { // its help is that of scripts/serve, which it builds first
				wantHelp(t, "./scripts/"+name)
			}
		})
	}
}

// versionOfJob runs a job of the catalogue with -version and no configuration.
func versionOfJob(t *testing.T, name string) {
	t.Helper()
	i := slices.IndexFunc(melmastoon.Jobs, func(j runner.Job) bool { return j.Name == name })
	if i < 0 {
		t.Fatalf("the catalogue has no job %s", name)
	}
	if got, _ := versionOf(t, printedBy(t, melmastoon.Jobs[i], "-version")); got != name {
		t.Errorf("the job calls itself %s, want %s", got, name)
	}
}

// wantHelp runs a program with --help and without variables but PATH and HOME: it must print usage, an example and the environment that
// it reads, and succeed.
func wantHelp(t *testing.T, program string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "--help")
	cmd.Dir = root
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	help, err := cmd.CombinedOutput()
	check.NoError(t, err, "--help")
	if parts := regexp.MustCompile(`(?is)usage: .*example.*environment|usage: .*environment.*example`); !parts.Match(help) {
		t.Errorf("--help does not print usage, an example and the environment:\n%s", help)
	}
}

// ask runs a program in the root with --version and without variables but PATH and HOME, and returns the name that it prints. The
// tree must be a commit.
func ask(t *testing.T, program string) (name string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "--version")
	cmd.Dir = root
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	out := check.Got(cmd.Output()).Must(t)
	name, tree := versionOf(t, string(out))
	if !regexp.MustCompile(`^[0-9a-f]{12}(-dirty)?$`).MatchString(tree) {
		t.Errorf("the tree is %q, want a commit", tree)
	}
	return name
}

// TestVersion_contracts holds that all documents name the newest released version of the changelog.
func TestVersion_contracts(t *testing.T) {
	t.Parallel()
	log := check.Got(os.ReadFile(filepath.Join(root, "CHANGELOG.md"))).Must(t)
	released := regexp.MustCompile(`(?m)^## ([0-9]+\.[0-9]+)$`).FindSubmatch(log)
	if released == nil {
		t.Fatal("CHANGELOG.md has no heading like ## 1.0")
	}
	if got := version.API(); got != string(released[1]) {
		t.Errorf("the version of the programs is %s, want that of the changelog, %s", got, released[1])
	}
	type document struct {
		Info struct{ Version string }
	}
	files := check.Got(fs.Glob(schemas.HTTP, "http/*.yaml")).Must(t)
	if len(files) < 5 {
		t.Fatalf("found the OpenAPI documents %v, want at least five", files)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			text := check.Got(fs.ReadFile(schemas.HTTP, file)).Must(t)
			var d document
			check.Must(t, yaml.Unmarshal(text, &d))
			check.Equal(t, d.Info.Version, version.API())
		})
	}
	t.Run("client", func(t *testing.T) {
		text := check.Got(os.ReadFile(filepath.Join(root, "schemas", "http", "client", "typescript", "package.json"))).Must(t)
		var p struct{ Version string }
		check.Must(t, json.Unmarshal(text, &p))
		if !strings.HasPrefix(p.Version, version.API()+".") { // its last number counts the releases for one version of the contracts
			t.Errorf("the package has version %q, want %s and a number", p.Version, version.API())
		}
	})
	t.Run("asyncapi", func(t *testing.T) {
		text := check.Got(os.ReadFile(filepath.Join(root, "schemas", "asyncapi.json"))).Must(t)
		var d document
		check.Must(t, json.Unmarshal(text, &d))
		check.Equal(t, d.Info.Version, version.API())
	})
}
