package peers

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/local/subprocess"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

const (
	bootstrapPath = "/bff/tenant-booking/v1/kabul-grand/bootstrap"
	serving       = "PEERS_SERVE" // set for the process that serves
)

// TestServe serves the bootstrap function in a process of its own, for BenchmarkBootstrap, until its standard input ends.
func TestServe(t *testing.T) {
	if os.Getenv(serving) == "" {
		t.Skip("BenchmarkBootstrap starts it")
	}
	themes := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant := strings.Split(r.URL.Path, "/")[3]
		_ = json.MarshalWrite(w, map[string]any{"tenantId": tenant, "themeId": "thm_test", "version": 1, "tokens": theme(60 << 10)})
	}))
	t.Cleanup(themes.Close)
	db, hotels := database(t), tenantbookingtest.OpenHotels(t)
	system := tenantbookingtest.BuildOn(t, db, hotels.Around(db.Env()).With("UPSTREAM_THEME_URL", themes.URL+"/theme"), bootstrap.Function)
	hotels.Property.Tenant = system.Platform.Tenants[0].ID
	e, _ := fntest.Surround(t, system.Env)
	handler, err := bootstrap.Function.Handler(observe.LogKey.With(e, observe.To(io.Discard)))
	check.Must(t, err)
	server := httptest.NewServer(handler)
	defer server.Close()
	fmt.Printf("\nlistening %s\n", server.Listener.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	check.Must(t, err)
}

// theme returns the tokens of a hotel's theme, about size bytes of them.
func theme(size int) map[string]string {
	r, tokens := rand.New(rand.NewPCG(1, 2)), map[string]string{}
	for n := 0; n < size; {
		key, value := fmt.Sprintf("component-%d-colour", len(tokens)), fmt.Sprintf("#%06x 0 %dpx %dem", r.IntN(1<<24), r.IntN(64), r.IntN(16))
		tokens[key] = value
		n += len(key) + len(value) + 6
	}
	return tokens
}

// startServer starts TestServe as a process with the memory settings of a deployed function, and returns its address.
func startServer(b *testing.B) (address string) {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestServe$", "-test.timeout=20m")
	cmd.Env, cmd.Stderr = slices.Concat(os.Environ(), []string{"GOGC=400", "GOMEMLIMIT=204MiB", serving + "=1"}), os.Stderr
	in := check.Got(cmd.StdinPipe()).Must(b)
	out := check.Got(cmd.StdoutPipe()).Must(b)
	p := check.Got(subprocess.Start(cmd)).Must(b)
	b.Cleanup(func() {
		check.Must(b, in.Close())
		<-p.Done()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "listening "); ok {
			return address
		}
	}
	_ = p.End(syscall.SIGKILL)
	b.Fatal("the server did not start")
	return ""
}

// cookie starts a session and returns its cookie. The response fills the cache.
func cookie(b *testing.B, address string) string {
	b.Helper()
	res, err := http.Get("http://" + address + bootstrapPath) //nolint:noctx // the benchmark ends if the server does
	check.Must(b, err)
	defer res.Body.Close()
	all := res.Cookies()
	check.MustEqual(b, len(all), 1, "no cookie in %d %v", res.StatusCode, res.Header)
	return all[0].Name + "=" + all[0].Value
}
