// Package version names the version of the public contracts and of the tree from which a program was built.
//
// All contracts have one version: the newest heading of CHANGELOG.md, which is info.version of all documents. The
// version of the tree is its commit; in an archive it is the hash of the content, because Google's builder has no
// repository, and a commit would deploy all functions again each time.
package version

import (
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync"
)

// API is the version of the HTTP APIs and events: the newest released one in CHANGELOG.md, and that of every OpenAPI document.
func API() string { return strings.TrimSpace(api) }

//go:embed api.txt
var api string

// archive is empty in the tree. scripts/bundle writes the hash of the archive's content there, because Google's builder has no
// repository.
//
//go:embed archive.txt
var archive string

// Tree returns what identifies the source: the hash in the name of the archive that was deployed, or the git commit. The commit ends
// with "-dirty" if files were changed after it. Without either it returns "unknown".
var Tree = sync.OnceValue(tree)

func tree() string {
	if hash := strings.TrimSpace(archive); hash != "" {
		return "archive-" + hash
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		if commit := stamped(info); commit != "" {
			return commit
		}
	}
	return described()
}

// length is the number of digits of a commit that are shown.
const length = 12

// stamped returns the commit that go build has recorded, or "".
func stamped(info *debug.BuildInfo) string {
	var commit, suffix string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(length, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			suffix = "-dirty"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + suffix
}

// described returns the commit of the working directory if it is this tree: go run records none in the program.
func described() string {
	const unknown = "unknown"
	module, err := os.ReadFile("go.mod")
	if err != nil || !strings.HasPrefix(string(module), "module melmastoon.ghasi.io\n") {
		return unknown
	}
	commit, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*", fmt.Sprint("--abbrev=", length)).Output() //nolint:gosec // length is a constant
	if err != nil {
		return unknown
	}
	return strings.TrimSpace(string(commit))
}

// Ready returns a handler that answers GET /-/ready with the name and the versions of a deployed function, and passes other requests to
// the function. The function has opened its stores and clients before, so it is ready.
func Ready(name string, function http.Handler) http.HandlerFunc {
	body := fmt.Appendf(nil, "{\"ready\":true,\"function\":%q,\"version\":{\"api\":%q,\"tree\":%q}}\n", name, API(), Tree())
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/-/ready" || r.Method != http.MethodGet && r.Method != http.MethodHead {
			function.ServeHTTP(w, r)
			return
		}
		w.Header()["Content-Type"], w.Header()["Cache-Control"] = []string{"application/json"}, []string{"no-store"}
		_, _ = w.Write(body) // an error means that the caller has left
	}
}

// Printed prints one line with the versions if that is all the arguments request, and then returns true.
func Printed(out io.Writer, program string, args []string) bool {
	if len(args) != 1 || args[0] != "-version" && args[0] != "--version" {
		return false
	}
	fmt.Fprintf(out, "%s: API %s, tree %s\n", program, API(), Tree())
	return true
}
