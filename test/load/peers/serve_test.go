package peers

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/listpolicies"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/local/subprocess"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// Addresses of the servers that are compared. The ones of the site are the hotel's own.
const (
	site       = "/bff/tenant-booking/v1/kabul-grand"
	tinyPath   = "/tiny"
	bytesPath  = site + "/bytes"
	spentPath  = "/spent"
	serveThese = "PEERS_SERVE"
)

// TestServe is a server in a process of its own, so that what it costs can be told from what asking costs. It serves until
// its standard input ends.
func TestServe(t *testing.T) {
	m := http.NewServeMux()
	switch what := os.Getenv(serveThese); what {
	case "":
		t.Skip("it serves the benchmarks, which start it")
	case "bare":
		bare(t, m)
	case "ours":
		ours(t, m)
	default:
		t.Fatalf("nobody knows %q", what)
	}
	m.HandleFunc("GET "+spentPath, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, spent(t)) })
	server := httptest.NewServer(m)
	defer server.Close()
	fmt.Printf("\nlistening %s\n", server.Listener.Addr())
	_, err := io.Copy(io.Discard, os.Stdin)
	must(t, err)
}

// tiny is what the smallest answer says.
const tiny = `{"a":1}`

// bare answers with net/http alone: something tiny, and a page that was encoded before. It says in headers what it must for
// that; what every answer of ours says besides is part of what ours costs.
func bare(t *testing.T, m *http.ServeMux) {
	t.Helper()
	page, err := json.Marshal(look(60 << 10))
	must(t, err)
	m.HandleFunc("GET "+tinyPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(tiny)))
		_, _ = io.WriteString(w, tiny)
	})
	m.HandleFunc("GET "+bytesPath, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Etag", `"1"`)
		h.Set("Cache-Control", "private, no-cache")
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(page)))
		_, _ = w.Write(page)
	})
}

// ours answers with a function that does next to nothing, and with a hotel's site whose look is large. Each function has its
// own routes behind the one that finds it, as in a process of its own.
func ours(t *testing.T, m *http.ServeMux) {
	t.Helper()
	themes := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant := strings.Split(r.URL.Path, "/")[3]
		_ = json.MarshalWrite(w, map[string]any{"tenantId": tenant, "themeId": "thm_test", "version": 1, "tokens": look(60 << 10)})
	}))
	t.Cleanup(themes.Close)
	db, hotels := database(t), tenantbookingtest.OpenHotels(t)
	system := tenantbookingtest.BuildOn(t, db, hotels.Around(db.Env()).With("UPSTREAM_THEME_URL", themes.URL+"/theme"), bootstrap.Function, listpolicies.Function)
	hotels.Property.Tenant = system.Platform.Tenants[0].ID
	nothing := fn.HTTP(fn.Spec{Name: "load-tiny", Route: "GET " + tinyPath}, fn.Open,
		func(env.Env) (func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (map[string]int, error), error) {
			return func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (map[string]int, error) {
				return map[string]int{"a": 1}, nil
			}, nil
		})
	e, _ := fntest.Surround(t, system.Env)
	e = observe.LogKey.With(e, observe.To(io.Discard))
	for path, f := range map[string]fn.Function{tinyPath: nothing, site + "/bootstrap": bootstrap.Function, site + "/policies": listpolicies.Function} {
		handler, err := f.Handler(e)
		must(t, err)
		m.Handle(path, handler)
	}
}

// look is what a hotel says of its colours and types, about so many bytes of it.
func look(size int) map[string]string {
	r, tokens := rand.New(rand.NewPCG(1, 2)), map[string]string{}
	for n := 0; n < size; {
		key, value := fmt.Sprintf("component-%d-colour", len(tokens)), fmt.Sprintf("#%06x 0 %dpx %dem", r.IntN(1<<24), r.IntN(64), r.IntN(16))
		tokens[key] = value
		n += len(key) + len(value) + 6
	}
	return tokens
}

// deployed is what terraform/modules/function tells Go's collector of an instance. Both sides are told so.
var deployed = []string{"GOGC=400", "GOMEMLIMIT=204MiB"}

// A server is a child that serves, and the way to it.
type server struct {
	address string
}

// launch starts the server in this very program.
func launch(b *testing.B, what string) server {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestServe$", "-test.timeout=20m")
	cmd.Env, cmd.Stderr = slices.Concat(os.Environ(), deployed, []string{serveThese + "=" + what}), os.Stderr
	in, err := cmd.StdinPipe()
	must(b, err)
	out, err := cmd.StdoutPipe()
	must(b, err)
	p, err := subprocess.Start(cmd)
	must(b, err)
	b.Cleanup(func() {
		must(b, in.Close())
		<-p.Done()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "listening "); ok {
			return server{address}
		}
	}
	_ = p.End(syscall.SIGKILL)
	b.Fatalf("the server %q did not begin", what)
	return server{}
}

// get asks once, with the headers' names and values in turn.
func (s server) get(b *testing.B, path string, headers ...string) (*http.Response, []byte) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+s.address+path, nil)
	must(b, err)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(r)
	must(b, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	must(b, err)
	return res, body
}

func (s server) spent(b *testing.B) float64 {
	b.Helper()
	_, body := s.get(b, spentPath)
	f, err := strconv.ParseFloat(string(body), 64)
	must(b, err)
	return f
}

// cost is the processor time in which the server answers one of n requests, over eight connections that stay open.
func (s server) cost(n, status int, path string, headers ...string) side {
	return func(b *testing.B) float64 {
		const connections = 8
		ask := []byte("GET " + path + " HTTP/1.1\r\nHost: melmastoon\r\n")
		for i := 0; i+1 < len(headers); i += 2 {
			ask = append(ask, headers[i]+": "+headers[i+1]+"\r\n"...)
		}
		ask = append(ask, "\r\n"...)
		before := s.spent(b)
		var group errgroup.Group
		for range connections {
			group.Go(func() error { return s.repeat(ask, status, n/connections+1) })
		}
		must(b, group.Wait())
		return (s.spent(b) - before) / float64((n/connections+1)*connections)
	}
}

// repeat sends one request again and again, and reads no more of the answers than it must.
func (s server) repeat(ask []byte, status, n int) error {
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		return err
	}
	defer c.Close()
	in := bufio.NewReaderSize(c, 128<<10)
	want := []byte("HTTP/1.1 " + strconv.Itoa(status))
	for range n {
		if _, err := c.Write(ask); err != nil {
			return err
		}
		if err := skip(in, want); err != nil {
			return err
		}
	}
	return nil
}

func skip(in *bufio.Reader, want []byte) error {
	length := 0
	for first := true; ; first = false {
		text, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(text, want) {
			return fmt.Errorf("answered %s, want %s", text, want)
		}
		if size, ok := bytes.CutPrefix(text, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(size)))
		}
		if len(text) == 2 {
			_, err := in.Discard(length)
			return err
		}
	}
}

// BenchmarkHTTP compares what servers spend on an answer over a real connection.
func BenchmarkHTTP(b *testing.B) {
	fixture, peer := launch(b, "ours"), launch(b, "bare")
	cookie := cookies(b, fixture)
	browser := []string{"Cookie", cookie}
	shown, text := fixture.get(b, site+"/bootstrap", browser...)
	known, _ := fixture.get(b, site+"/policies")
	_, page := peer.get(b, bytesPath)
	if got := shown.Header.Get("X-Cache"); got != "HIT" {
		b.Fatalf("bootstrap: X-Cache = %q, want HIT", got)
	}
	if len(text) < 60<<10 {
		b.Fatalf("bootstrap has %d bytes, want at least 60 KiB", len(text))
	}
	if known.Header.Get("Etag") == "" {
		b.Fatal("policies have no ETag")
	}
	n := times(40_000)
	samples := alternate(b, rounds(3),
		fixture.cost(n, 200, tinyPath), peer.cost(n, 200, tinyPath),
		fixture.cost(n/4, 200, site+"/bootstrap", browser...), peer.cost(n/4, 200, bytesPath),
		fixture.cost(n, 304, site+"/policies", "If-None-Match", known.Header.Get("Etag")), peer.cost(n, 304, bytesPath, "If-None-Match", `"1"`),
	)
	put(line{what: "`fn`, tiny response over loopback, CPU time of the server", ours: micros(samples[0]),
		peer: "plain net/http: " + micros(samples[1]), ratio: over(samples[0], samples[1]), most: 2.5})
	put(line{what: fmt.Sprintf("bootstrap, a hit of %d KB, requests per second of CPU time", len(text)>>10), ours: perSecond("", inverse(samples[2])),
		peer: fmt.Sprintf("plain, %d KB encoded before: %s", len(page)>>10, perSecond("", inverse(samples[3]))), ratio: over(samples[3], samples[2]), least: 0.4})
	put(line{what: "304 (policies: bootstrap is different for each visitor and has no 304)", ours: perSecond("", inverse(samples[4])),
		peer: "plain: " + perSecond("", inverse(samples[5])), ratio: over(samples[5], samples[4]), least: 0.5})
}

// cookies begins a visit, and warms what is kept.
func cookies(b *testing.B, s server) string {
	b.Helper()
	res, body := s.get(b, site+"/bootstrap")
	all := res.Cookies()
	if len(all) != 1 {
		b.Fatalf("no cookie in %d %v %s", res.StatusCode, res.Header, body)
	}
	return all[0].Name + "=" + all[0].Value
}

func inverse(all []float64) []float64 { return over(constant(1, len(all)), all) }
