// Package console serves the pages with which a developer sees and steers the local cloud: functions, events, the timeline of a
// booking, outboxes, dead letters, the clock, failures and hotels. It exists only in the local cloud.
//
// The pages work without JavaScript; with it, they refresh themselves when events are published. The console answers loopback
// callers only. A change needs a POST of the same origin with the token of this run.
package console

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"errors"
	"html/template"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/local/bus"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Config holds the parts of the local cloud that the console shows.
type Config struct {
	Env       env.Env // of the functions
	Functions []fn.Function
	Messages  Messages
	Calls     *Calls
	Tick      func(ctx context.Context, function string) error

	Jobs  Jobs                          // acts on outboxes and dead letters
	Owner string                        // URL of a login that reads all rows; "" if pages of stored data are unavailable
	Log   func() (io.ReadCloser, error) // the functions' log; nil if timelines have no calls
}

// Messages are the messages of the bus, by position.
type Messages interface {
	Last(context.Context) (int64, error)
	Tail(ctx context.Context, after int64, f func(bus.Stored) error) error
}

// A Console is the handler of all pages.
type Console struct {
	Config
	token string // required by each change
	pages map[string]*template.Template
	mux   *http.ServeMux
	cross *http.CrossOriginProtection
	runs  runs

	played    failures
	requested traces

	reading sync.Mutex // held while dead letters are leased
}

// New returns the console. Changes that are running end with life.
func New(life context.Context, c Config) *Console {
	o := &Console{Config: c, token: rand.Text(), pages: map[string]*template.Template{}, mux: http.NewServeMux(),
		cross: http.NewCrossOriginProtection(), runs: runs{life: life},
		played: failures{neighbours: map[string]string{}, functions: map[string]string{}}}
	o.page("GET /{$}", "home", o.home)
	o.page("GET /-/{$}", "home", o.home)
	o.page("GET /-/functions", "functions", o.functions)
	o.page("GET /-/functions/{name}", "function", o.function)
	o.page("GET /-/events", "events", o.events)
	o.page("GET /-/events/{seq}", "event", o.event)
	o.page("GET /-/outbox", "outbox", o.outbox)
	o.page("GET /-/letters", "letters", o.deadLetters)
	o.page("GET /-/booking", "booking", o.booking)
	o.page("GET /-/clock", "clock", o.clock)
	o.page("GET /-/failures", "failures", o.failures)
	o.page("GET /-/hotels", "hotels", o.hotels)
	o.page("GET /-/runs/{id}", "run", o.run)
	o.act("POST /-/functions/{name}/tick", o.tickNow)
	o.act("POST /-/outbox/unpark", o.unpark)
	o.act("POST /-/deliveries/push", o.pushNow)
	o.act("POST /-/letters", o.actOnDeadLetters)
	o.act("POST /-/clock", o.move)
	o.act("POST /-/failures", o.choose)
	o.mux.HandleFunc("GET /-/console.css", asset("pages/console.css", "text/css; charset=utf-8"))
	o.mux.HandleFunc("GET /-/console.js", asset("pages/console.js", "text/javascript; charset=utf-8"))
	o.mux.HandleFunc("GET /-/console.svg", asset("pages/console.svg", "image/svg+xml"))
	o.mux.HandleFunc("GET /-/docs/{name}", document)
	o.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		o.render(w, r, "problem", problem{http.StatusNotFound, "The console has no such page."})
	})
	return o
}

// Wait waits for the end of all running changes.
func (c *Console) Wait() { c.runs.running.Wait() }

// Local wraps a handler so that it answers only callers on this machine that name it by a loopback host: a page of another site
// cannot read it by a domain that resolves to 127.0.0.1.
func Local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback(r.RemoteAddr) || !loopback(r.Host) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "The console answers only on this machine.\n")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// ServeHTTP serves the pages.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.mux.ServeHTTP(w, r) }

// errUnknown is the error of a page whose subject does not exist.
var errUnknown = errors.New("unknown")

// page mounts a page.
func (c *Console) page(pattern, name string, data func(*http.Request) (any, error)) {
	c.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		content, err := data(r)
		switch {
		case errors.Is(err, errUnknown):
			c.render(w, r, "problem", problem{http.StatusNotFound, err.Error()})
		case err != nil:
			c.render(w, r, "problem", problem{http.StatusServiceUnavailable, err.Error()})
		default:
			c.render(w, r, name, content)
		}
	})
}

// A change is the work of a form. It writes progress to out.
type change func(ctx context.Context, out io.Writer) error

// act mounts a form. It waits at most formTime for it, checks the caller, starts the change and redirects to the page of its run.
func (c *Console) act(pattern string, prepare func(*http.Request) (name string, do change, err error)) {
	c.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		connection := http.NewResponseController(w)
		_ = connection.SetReadDeadline(time.Now().Add(formTime)) // recorders in tests have no deadlines
		if err := r.ParseForm(); err != nil {                    // the deadline stays, so that the server does not wait for the rest
			c.render(w, r, "problem", problem{http.StatusBadRequest, "The form is not readable: " + err.Error()})
			return
		}
		_ = connection.SetReadDeadline(time.Time{})
		if err := c.cross.Check(r); err != nil || subtle.ConstantTimeCompare([]byte(r.PostFormValue("token")), []byte(c.token)) != 1 {
			c.render(w, r, "problem", problem{http.StatusForbidden, "This form belongs to another page or to an earlier run. Open the page again."})
			return
		}
		name, do, err := prepare(r)
		if err != nil {
			c.render(w, r, "problem", problem{http.StatusBadRequest, err.Error()})
			return
		}
		started := c.runs.start(name, back(r), do)
		started.await(r.Context(), quick)
		http.Redirect(w, r, "/-/runs/"+started.ID, http.StatusSeeOther)
	})
}

const (
	maxForm  = 64 << 10
	formTime = 5 * time.Second // for the form to arrive
	quick    = 2 * time.Second // a change that takes longer shows its progress
)

//go:embed pages
var files embed.FS

func asset(name, kind string) http.HandlerFunc {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(text) // fails if the client has disconnected
	}
}

// templates parses each page once.
var templates = sync.OnceValue(func() map[string]*template.Template {
	all := map[string]*template.Template{}
	names, err := files.ReadDir("pages")
	if err != nil {
		panic(err)
	}
	frame := template.Must(template.New("frame.html").Funcs(format).ParseFS(files, "pages/frame.html"))
	for _, n := range names {
		if name, ok := cutHTML(n.Name()); ok && name != "frame" {
			all[name] = template.Must(template.Must(frame.Clone()).ParseFS(files, "pages/"+n.Name()))
		}
	}
	return all
})
