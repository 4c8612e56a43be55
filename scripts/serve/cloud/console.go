package cloud

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/scripts/serve/console"
	"melmastoon.ghasi.io/shared/local/edge"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// frontDoor returns the handler of the production routes and of the console.
func (c *Cloud) frontDoor(ctx context.Context, cfg Config) (http.Handler, error) {
	mount := cfg.Mount
	if mount == nil {
		mount = func(f fn.Function) (http.Handler, error) { return c.mount(f, cfg.Middleware) }
	}
	functions, err := edge.New(c.functions, mount)
	if err != nil {
		return nil, fmt.Errorf("cloud: mount: %w", err)
	}
	begin, err := c.bus.Last(ctx)
	if err != nil {
		return nil, err
	}
	own := http.NewServeMux()
	own.HandleFunc("GET /-/ready", c.ready)
	own.HandleFunc("GET /-/catalogue", c.catalogue)
	own.HandleFunc("GET /-/events", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept"), "text/html") { // a browser opens the page, every other client the stream
			c.console.ServeHTTP(w, r)
			return
		}
		c.stream(w, r, begin)
	})
	own.Handle("/", c.console)
	pages, played := console.Local(own), advised(c.console.Play(functions))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/-/") || r.URL.Path == "/" {
			pages.ServeHTTP(w, r)
			return
		}
		played.ServeHTTP(w, r) // without a ServeMux around it, which would redirect unclean paths
	}), nil
}

// mount opens a function in this process.
func (c *Cloud) mount(f fn.Function, middleware func(fn.Function, http.Handler) http.Handler) (http.Handler, error) {
	h, err := f.Handler(c.env)
	if err != nil || middleware == nil {
		return h, err
	}
	return middleware(f, h), nil
}

// ready answers 200 once the front server is open, because everything else has started before.
func (c *Cloud) ready(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, "{\"ready\":true,\"functions\":%d,\"version\":{\"api\":%q,\"tree\":%q}}\n", len(c.functions), version.API(), version.Tree())
}

// An entry is one function in the response of GET /-/catalogue.
type entry struct {
	Name     string   `json:"name"`
	Trigger  string   `json:"trigger"` // http, event or schedule
	Route    string   `json:"route"`
	Subject  string   `json:"subject,omitempty"`
	Schedule string   `json:"schedule,omitempty"`
	Access   string   `json:"access"`
	Emits    []string `json:"emits,omitempty"`
}

func (c *Cloud) catalogue(w http.ResponseWriter, _ *http.Request) {
	entries := make([]entry, 0, len(c.functions))
	for _, f := range c.functions {
		entries = append(entries, describe(f.Spec))
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(entries) // fails if the client has disconnected
}

func describe(s fn.Spec) entry {
	e := entry{Name: s.Name, Trigger: "http", Route: s.Route, Subject: s.Subject, Schedule: s.Schedule, Access: s.Access.String()}
	switch {
	case s.Subject != "":
		e.Trigger = "event"
	case s.Schedule != "":
		e.Trigger = "schedule"
	}
	for _, subject := range s.Publishes {
		e.Emits = append(e.Emits, subject.Name)
	}
	return e
}
