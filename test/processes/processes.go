package processes

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/subprocess"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/identity"
)

// startTime bounds how long a call waits for an instance: the cloud too keeps a call until one has started.
const startTime = 10 * time.Second

// A Processes runs programs, one per function, each at an address of its own, and starts anew what has died.
type Processes struct {
	t         testing.TB
	variables map[string]string
	metadata  *httptest.Server
	ended     atomic.Bool
	mu        sync.Mutex
	members   map[string]*Member
}

// Gather makes an empty fleet, which ends with the test.
func Gather(t testing.TB) *Processes {
	f := &Processes{t: t, members: map[string]*Member{}}
	t.Cleanup(f.end)
	return f
}

// Brief says what the members are told, and who signs their identity tokens, which a metadata server gives them.
func (f *Processes) Brief(variables map[string]string, issuer *identity.Issuer) {
	f.variables, f.metadata = variables, httptest.NewServer(metadata{issuer})
}

func (f *Processes) end() {
	f.ended.Store(true)
	for _, m := range f.members {
		if err := m.Kill(); err != nil {
			f.t.Error(err)
		}
		<-m.gone
	}
	if f.metadata != nil {
		f.metadata.Close()
	}
}

// A Member is one function's process, and the next one when that has died.
type Member struct {
	fleet   *Processes
	name    string
	program string
	address string
	said    Output
	killed  atomic.Int64
	gone    chan struct{} // closed when nobody starts it any more

	mu      sync.Mutex
	process *subprocess.Process
}

// Launch runs a function's program for the rest of the test.
func (f *Processes) Launch(s fn.Spec, program string) error {
	address, err := subprocess.FreeAddress()
	if err != nil {
		return err
	}
	m := &Member{fleet: f, name: s.Name, program: program, address: address, gone: make(chan struct{})}
	if err := m.start(); err != nil {
		return err
	}
	go m.keep()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members[s.Name] = m
	return nil
}

// Member is the process of that function.
func (f *Processes) Member(name string) *Member {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.members[name]
}

// keep starts the process again whenever it has died.
func (m *Member) keep() {
	defer close(m.gone)
	for {
		m.mu.Lock()
		process := m.process
		m.mu.Unlock()
		<-process.Done()
		if m.fleet.ended.Load() {
			return
		}
		if err := m.start(); err != nil {
			m.fleet.t.Errorf("fleet: %s does not start again: %v; it said %s", m.name, err, &m.said)
			return
		}
	}
}

func (m *Member) start() error {
	_, port, err := net.SplitHostPort(m.address)
	if err != nil {
		return err
	}
	cmd := exec.Command(m.program)
	cmd.Stdout, cmd.Stderr = &m.said, &m.said
	cmd.Env = []string{
		"PORT=" + port, "FUNCTION_TARGET=" + m.name,
		"GCE_METADATA_HOST=" + m.fleet.metadata.Listener.Addr().String(),
	}
	for key, value := range m.fleet.variables {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	process, err := subprocess.Start(cmd)
	if err != nil {
		return fmt.Errorf("fleet: %s: %w", m.name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.process = process
	return nil
}

// Kill ends the process as it is, in the middle of whatever it does.
func (m *Member) Kill() error {
	m.mu.Lock()
	process := m.process
	m.mu.Unlock()
	m.killed.Add(1)
	return process.End(syscall.SIGKILL)
}

// Open is the way to a function's process, as the load balancer has it. The process may be launched later.
func (f *Processes) Open(function fn.Function) (http.Handler, error) {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", f.Member(function.Spec.Name).address
			r.Out.Host = r.In.Host
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.WriteHeader(http.StatusServiceUnavailable) // the load balancer's own answer: no problem, and nothing of ours
			_, _ = io.WriteString(w, "The instance has gone: "+err.Error())
		},
		Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 16},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.Member(function.Spec.Name) == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}), nil
}

// dial waits until the process listens.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	var d net.Dialer
	for {
		c, err := d.DialContext(ctx, network, address)
		if err == nil {
			return c, nil
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-again.C:
		}
	}
}

// metadata is the part of Google's metadata server that gives identity tokens.
type metadata struct{ issuer *identity.Issuer }

func (m metadata) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Metadata-Flavor", "Google")
	if !strings.HasSuffix(r.URL.Path, "/service-accounts/default/identity") {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	token, err := m.issuer.Token(r.Context(), r.FormValue("audience"))
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(w, token) // who has gone asks again
}
