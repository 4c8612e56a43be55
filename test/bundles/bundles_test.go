// Package bundles starts every archive that is deployed as a process of its own, and probes it.
package bundles

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/bundle/archive"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/processes"
)

func TestBundles_serve(t *testing.T) {
	t.Parallel()
	tree := check.Got(archive.Read(t.Context(), filepath.Join("..", ".."))).Must(t)
	for _, f := range melmastoon.Functions {
		a := check.Got(tree.Function(t.Context(), f.Spec, archive.Firestore)).Must(t)
		t.Run(f.Spec.Name, func(t *testing.T) {
			t.Parallel()
			program := check.Got(processes.BuildFunction(t.Context(), t.TempDir(), a)).Must(t)
			answers(t, program, a, f)
			refusesAnotherEntryPoint(t, program)
			finishesWhatIsInFlight(t, program, f)
		})
	}
}

func TestBundles_jobsBuild(t *testing.T) {
	t.Parallel()
	tree := check.Got(archive.Read(t.Context(), filepath.Join("..", ".."))).Must(t)
	for _, j := range melmastoon.Jobs {
		a := check.Got(tree.Job(t.Context(), j)).Must(t)
		t.Run(j.Name, func(t *testing.T) {
			t.Parallel()
			program := check.Got(processes.BuildJob(t.Context(), t.TempDir(), a, j.Name)).Must(t)
			if out, err := exec.CommandContext(t.Context(), program, "-help").CombinedOutput(); err != nil {
				t.Errorf("it does not start: %v %s", err, out)
			}
		})
	}
}

// answers probes the function's own address and others.
func answers(t *testing.T, program string, a archive.Archive, f fn.Function) {
	t.Helper()
	s := f.Spec
	v := openSilentServer(t)
	p := launch(t, program, s.Name, v)
	p.listens()
	method, path := address(f)

	_, hash, _ := strings.Cut(strings.TrimSuffix(a.Object(), ".zip"), s.Name+"-")
	if res, body := p.call(http.MethodGet, "/-/ready"); res.StatusCode != http.StatusOK || !strings.Contains(body, `"tree":"archive-`+hash+`"`) {
		t.Errorf("/-/ready answers %d %s, want the archive %s", res.StatusCode, body, a.Object())
	}
	p.refuses(http.MethodGet, "/nowhere/at/all", http.StatusNotFound, "GENERAL.RESOURCE_NOT_FOUND")
	if res := p.refuses("TRACE", path, http.StatusMethodNotAllowed, "GENERAL.METHOD_NOT_ALLOWED"); !strings.Contains(res.Header.Get("Allow"), method) {
		t.Errorf("405 allows %q, want %s", res.Header.Get("Allow"), method)
	}
	v.release() // from here on, calls to upstream services fail at once
	switch s.Access {
	case fn.Public:
		if res, body := p.call(method, path); res.StatusCode == http.StatusNotFound && strings.Contains(body, "There is nothing at this address") || res.StatusCode == http.StatusMethodNotAllowed {
			t.Errorf("%s %s is not routed: %d %s", method, path, res.StatusCode, body)
		}
	default:
		p.refuses(method, path, http.StatusUnauthorized, "GENERAL.UNAUTHENTICATED")
	}
}

// refuses calls and wants a problem.
func (p *process) refuses(method, path string, status int, code string) *http.Response {
	p.t.Helper()
	res, body := p.call(method, path)
	check.Equal(p.t, res.StatusCode, status, "%s %s", method, path)
	check.Equal(p.t, res.Header.Get("Content-Type"), "application/problem+json", "%s %s", method, path)
	check.Contains(p.t, body, `"MELMASTOON.`+code+`"`)
	return res
}

// refusesAnotherEntryPoint wants a process that was started under a wrong name to end and say so: the framework itself
// would serve whatever was registered last.
func refusesAnotherEntryPoint(t *testing.T, program string) {
	t.Helper()
	p := launch(t, program, "another-function", openSilentServer(t))
	code := check.Got(p.ended()).Must(t, "a wrong entry point")
	if code == 0 {
		t.Error("a wrong entry point: code = 0, want a value")
	}
	check.Contains(t, p.output.String(), "another-function")
}

// waitless lists functions that call no store or service, with the reason. Their request has its response before SIGTERM arrives, so the
// process may end at once.
var waitless = map[string]string{"sandbox-showdocs": "it serves files that it embeds"}

// finishesWhatIsInFlight tells the process to stop in the middle of a request.
func finishesWhatIsInFlight(t *testing.T, program string, f fn.Function) {
	t.Helper()
	v := openSilentServer(t)
	p := launch(t, program, f.Spec.Name, v)
	p.listens()
	up := p.startCall(f, v)
	check.Must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-p.child.Done():
		if waitless[f.Spec.Name] != "" {
			break // the response is read below
		}
		t.Fatalf("it ended with a request in flight, saying %s", p.output)
	case <-time.After(settling):
	}
	v.release()
	res := check.Got(up.wait()).Must(t, "the request in flight has no answer: it said %s", p.output)
	check.Got(p.ended()).Want(t, 0, "after an answer of %d it ended: %s", res.StatusCode, p.output)
}
