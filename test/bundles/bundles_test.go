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
	"melmastoon.ghasi.io/test/processes"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBundles_serve(t *testing.T) {
	t.Parallel()
	tree, err := archive.Read(t.Context(), filepath.Join("..", ".."))
	must(t, err)
	for _, f := range melmastoon.Functions {
		a, err := tree.Function(t.Context(), f.Spec, archive.Firestore)
		must(t, err)
		t.Run(f.Spec.Name, func(t *testing.T) {
			t.Parallel()
			program, err := processes.BuildFunction(t.Context(), t.TempDir(), a)
			must(t, err)
			answers(t, program, a, f)
			refusesAnotherEntryPoint(t, program)
			finishesWhatIsInFlight(t, program, f)
		})
	}
}

func TestBundles_jobsBuild(t *testing.T) {
	t.Parallel()
	tree, err := archive.Read(t.Context(), filepath.Join("..", ".."))
	must(t, err)
	for _, j := range melmastoon.Jobs {
		a, err := tree.Job(t.Context(), j)
		must(t, err)
		t.Run(j.Name, func(t *testing.T) {
			t.Parallel()
			program, err := processes.BuildJob(t.Context(), t.TempDir(), a, j.Name)
			must(t, err)
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
	if res.StatusCode != status {
		p.t.Errorf("%s %s: res.StatusCode = %v, want %v", method, path, res.StatusCode, status)
	}
	if res.Header.Get("Content-Type") != "application/problem+json" {
		p.t.Errorf(`%s %s: res.Header.Get("Content-Type") = %q, want "application/problem+json"`, method, path, res.Header.Get("Content-Type"))
	}
	if !strings.Contains(body, `"MELMASTOON.`+code+`"`) {
		p.t.Errorf("%s %s: body = %q, want %q in it", method, path, body, `"MELMASTOON.`+code+`"`)
	}
	return res
}

// refusesAnotherEntryPoint wants a process that was started under a wrong name to end and say so: the framework itself
// would serve whatever was registered last.
func refusesAnotherEntryPoint(t *testing.T, program string) {
	t.Helper()
	p := launch(t, program, "another-function", openSilentServer(t))
	code, err := p.ended()
	if err != nil {
		t.Fatalf("a wrong entry point: %v", err)
	}
	if code == 0 {
		t.Error("a wrong entry point: code = 0, want a value")
	}
	if !strings.Contains(p.output.String(), "another-function") {
		t.Errorf("a wrong entry point: p.said.String() = %q, want %q in it", p.output.String(), "another-function")
	}
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
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-p.child.Done():
		if waitless[f.Spec.Name] != "" {
			break // the response is read below
		}
		t.Fatalf("it ended with a request in flight, saying %s", p.output)
	case <-time.After(settling):
	}
	v.release()
	res, err := up.wait()
	if err != nil {
		t.Fatalf("the request in flight has no answer: %v; it said %s", err, p.output)
	}
	if code, err := p.ended(); err != nil || code != 0 {
		t.Errorf("after an answer of %d it ended with %d, %v: %s", res.StatusCode, code, err, p.output)
	}
}
