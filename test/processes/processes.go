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

	"melmastoon.ghasi.io/shared/local/signing"
	"melmastoon.ghasi.io/shared/local/subprocess"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// startTime is the maximum time for which a call waits for a process to start, as calls do in the cloud.
const startTime = 10 * time.Second

// Processes runs one program per function, each at its own address, and restarts programs that die.
type Processes struct {
	t         testing.TB
	variables map[string]string
	metadata  *httptest.Server
	ended     atomic.Bool
	mu        sync.Mutex
	members   map[string]*Member
}

// New returns an empty set of processes, which end with the test.
func New(t testing.TB) *Processes {
	f := &Processes{t: t, members: map[string]*Member{}}
	t.Cleanup(f.end)
	return f
}

// Configure sets the environment variables of the processes, and the issuer of the tokens from their metadata server.
func (f *Processes) Configure(variables map[string]string, issuer *signing.Issuer) {
	f.variables, f.metadata = variables, httptest.NewServer(metadata{issuer})
}

func (f *Processes) end() {
	f.ended.Store(true)
	for _, m := range f.members {
		check.NoError(f.t, m.Kill())
		<-m.gone
	}
	if f.metadata != nil {
		f.metadata.Close()
	}
}

// A Member represents the process of one function across restarts.
type Member struct {
	processes *Processes
	name      string
	program   string
	address   string
	output    Output
	killed    atomic.Int64
	calls     atomic.Int64  // calls in progress
	gone      chan struct{} // closed when it is no longer restarted

	mu      sync.Mutex
	process *subprocess.Process
}

// Launch runs a function's program until the test ends.
func (f *Processes) Launch(s fn.Spec, program string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	address, err := f.freeAddress()
	if err != nil {
		return err
	}
	m := &Member{processes: f, name: s.Name, program: program, address: address, gone: make(chan struct{})}
	if err := m.start(); err != nil {
		return err
	}
	go m.restart()
	f.members[s.Name] = m
	return nil
}

// freeAddress returns an address that no member has. A member that has just started, or is restarting, does not listen yet, so the system
// may offer its address again.
func (f *Processes) freeAddress() (address string, err error) {
	taken := map[string]bool{}
	for _, m := range f.members {
		taken[m.address] = true
	}
	for address == "" || taken[address] {
		if address, err = subprocess.FreeAddress(); err != nil {
			return "", err
		}
	}
	return address, nil
}

// Member returns the process of that function.
func (f *Processes) Member(name string) *Member {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.members[name]
}

// restart restarts the process whenever it dies.
func (m *Member) restart() {
	defer close(m.gone)
	for {
		m.mu.Lock()
		process := m.process
		m.mu.Unlock()
		<-process.Done()
		if m.processes.ended.Load() {
			return
		}
		if err := m.start(); err != nil {
			m.processes.t.Errorf("processes: %s does not restart: %v; output: %s", m.name, err, &m.output)
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
	cmd.Stdout, cmd.Stderr = &m.output, &m.output
	cmd.Env = []string{
		"PORT=" + port, "FUNCTION_TARGET=" + m.name,
		"GCE_METADATA_HOST=" + m.processes.metadata.Listener.Addr().String(),
	}
	for key, value := range m.processes.variables {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	process, err := subprocess.Start(cmd)
	if err != nil {
		return fmt.Errorf("processes: %s: %w", m.name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.process = process
	return nil
}

// Kill kills the process without a graceful shutdown.
func (m *Member) Kill() error {
	m.mu.Lock()
	process := m.process
	m.mu.Unlock()
	m.killed.Add(1)
	return process.End(syscall.SIGKILL)
}

// Idle reports whether the process has no call in progress.
func (m *Member) Idle() bool { return m.calls.Load() == 0 }

// Open returns a handler that proxies to a function's process, like the load balancer. The process may be launched later.
func (f *Processes) Open(function fn.Function) (http.Handler, error) {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", f.Member(function.Spec.Name).address
			r.Out.Host = r.In.Host
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.WriteHeader(http.StatusServiceUnavailable) // the load balancer's own answer, without a problem body
			_, _ = io.WriteString(w, "The instance has gone: "+err.Error())
		},
		Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 16},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := f.Member(function.Spec.Name)
		if m == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		m.calls.Add(1)
		defer m.calls.Add(-1)
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

// metadata implements the part of Google's metadata server that returns identity tokens.
type metadata struct{ issuer *signing.Issuer }

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
	_, _ = io.WriteString(w, token) // a client that has gone will retry
}
