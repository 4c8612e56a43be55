package tenantbooking_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/readavailability"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/local/edge"
	"melmastoon.ghasi.io/shared/local/subprocess"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// coldProcess is the environment variable that makes TestServe_coldProcess serve.
const coldProcess = "MELMASTOON_COLD_PROCESS"

// TestServe_coldProcess is not a test. TestColdProcesses runs it as a subprocess, which serves until its standard input ends.
func TestServe_coldProcess(t *testing.T) {
	if os.Getenv(coldProcess) == "" {
		t.Skip("only TestColdProcesses runs it")
	}
	e, _ := fntest.Surround(t, tenantbookingtest.Surround(env.System()))
	mux, err := edge.New([]fn.Function{bootstrap.Function, readavailability.Function}, func(f fn.Function) (http.Handler, error) { return f.Handler(e) })
	check.Must(t, err)
	server := httptest.NewServer(mux)
	defer server.Close()
	fmt.Printf("\nlistening %s\n", server.URL)
	check.Got(io.Copy(io.Discard, os.Stdin)).Must(t)
}

// startCold starts a subprocess with the environment variables and returns its URL.
func startCold(t *testing.T, vars map[string]string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestServe_coldProcess$", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), coldProcess+"=1")
	for name, value := range vars {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	in, err := cmd.StdinPipe()
	check.Must(t, err)
	out, err := cmd.StdoutPipe()
	check.Must(t, err)
	p, err := subprocess.Start(cmd)
	check.Must(t, err)
	t.Cleanup(func() {
		check.NoError(t, in.Close())
		<-p.Done()
	})
	output, lines := []string{}, bufio.NewScanner(out)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "listening "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }() // its log
			return address
		}
		output = append(output, lines.Text())
	}
	t.Fatalf("the process ended before it listened: %s", strings.Join(output, "\n"))
	return ""
}

// A callCounter forwards calls and counts them by path. It delays each call, so that all readers find the caches empty.
type callCounter struct {
	mu    sync.Mutex
	calls map[string]int
	delay time.Duration
}

func (c *callCounter) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.calls[r.URL.Path]++
		c.mu.Unlock()
		time.Sleep(c.delay)
		next.ServeHTTP(w, r)
	})
}

// take returns the calls since the last take.
func (c *callCounter) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := maps.Clone(c.calls)
	clear(c.calls)
	return taken
}

// concurrency is the maximum number of concurrent requests of a function process (terraform/functions.tf).
const concurrency = 40

// readAll sends n concurrent requests, to the processes in turn, and returns the number of responses by status.
func readAll(t *testing.T, processes []string, n int, path string, headers map[string]string) map[int]int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	transport := &http.Transport{MaxConnsPerHost: concurrency}
	defer transport.CloseIdleConnections()
	statuses := make(chan int, n)
	var readers sync.WaitGroup
	for i := range n {
		readers.Go(func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, processes[i%len(processes)]+path, http.NoBody)
			if err != nil {
				t.Error(err)
				return
			}
			for name, value := range headers {
				r.Header.Set(name, value)
			}
			res, err := transport.RoundTrip(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			_, _ = io.Copy(io.Discard, res.Body) // only the status counts
			statuses <- res.StatusCode
		})
	}
	readers.Wait()
	close(statuses)
	count := map[int]int{}
	for status := range statuses {
		count[status]++
	}
	return count
}

// TestColdProcesses sends 1,000 requests to two processes with empty caches. Each service is called once per cache key.
func TestColdProcesses(t *testing.T) {
	t.Parallel()
	const readers = 1000
	db, hotels := pgtest.New(t), tenantbookingtest.OpenHotels(t)
	platform := tenantbookingtest.Open(t, db.Env().Now)
	hotels.Property.Tenant = platform.Tenants[0].ID
	var config struct {
		Theme    string `env:"UPSTREAM_THEME_URL"`
		Handoffs string `env:"HANDOFF_KEYS"`
	}
	check.Must(t, hotels.Around(env.Of(nil)).Load(&config))
	target, err := url.Parse(config.Theme)
	check.Must(t, err)
	target.Path = ""
	counter := &callCounter{calls: map[string]int{}, delay: 300 * time.Millisecond}
	routes := http.NewServeMux()
	routes.Handle("/tenant/", platform.Handler())
	routes.Handle("/", httputil.NewSingleHostReverseProxy(target))
	services := httptest.NewServer(counter.around(routes))
	t.Cleanup(services.Close)
	vars := map[string]string{"DATABASE_URL": db.URL(), "DATABASE_POOL": "8", "HANDOFF_KEYS": config.Handoffs,
		"TIMEOUT_FACTOR": "30", "DOCUMENT_TIMEOUT": "20s"} // on a slow machine the store must not time out
	for _, name := range []string{"tenant", "theme", "property", "inventory", "pricing"} {
		vars["UPSTREAM_"+strings.ToUpper(name)+"_URL"] = services.URL + "/" + name
	}
	processes := []string{startCold(t, vars), startCold(t, vars)}
	site := "/bff/tenant-booking/v1/" + platform.Tenants[0].Slug
	search := hotels.Search(db.Env().Now(), 30)
	availability := url.Values{"propertyId": {search.Property.String()}, "checkIn": {search.Stay.CheckIn.String()},
		"checkOut": {search.Stay.CheckOut.String()}, "adults": {"2"}, "rooms": {"1"}}
	headers := map[string]string{"User-Agent": "Mozilla/5.0 HeadlessChrome/130"} // a program's first call stores no session
	for _, test := range []struct {
		name, path string
		services   []string // called for the response
	}{
		{"bootstrap", site + "/bootstrap", []string{"/tenant/", "/theme/", "/property/"}},
		{"availability", site + "/availability?" + availability.Encode(), []string{"/property/", "/inventory/", "/pricing/"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			check.Equal(t, readAll(t, processes, readers, test.path, headers)[http.StatusOK], readers, "statuses")
			calls := counter.take()
			for path, n := range calls {
				want := 1
				if strings.HasPrefix(path, "/tenant/") {
					want = 2 // the tenant of the slug, and the tenant's entry: two keys
				}
				check.Equal(t, n, want, "%s", path)
			}
			for _, service := range test.services {
				called := false
				for path := range calls {
					called = called || strings.HasPrefix(path, service)
				}
				check.Equal(t, called, true, "%s was not called: the caches were not empty. Calls: %v", service, calls)
			}
		})
		headers["Cookie"] = cookieOf(t, processes[0]+site+"/bootstrap")
		counter.take()
	}
}

// cookieOf starts a session and returns its cookie.
func cookieOf(t *testing.T, address string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	check.Must(t, err)
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0")
	res, err := http.DefaultClient.Do(r)
	check.Must(t, err)
	defer res.Body.Close()
	cookie, err := http.ParseSetCookie(res.Header.Get("Set-Cookie"))
	check.Must(t, err)
	return cookie.Name + "=" + cookie.Value
}
