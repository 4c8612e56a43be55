// Package showdocs serves the documentation for developers: the OpenAPI documents with a console that sends requests, all events from
// the AsyncAPI document, and all error codes. All files are embedded (decision 198): the pages load nothing from another host.
package showdocs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /docs.
var Function = sandbox.Public(fn.Spec{ // the documents are public
	Name:    "sandbox-showdocs",
	Route:   "GET /docs",
	Uses:    fn.Uses{},
	Timeout: 4 * time.Second,
}, New)

// A Request names a page or a file, not both. Without either it is for the first page.
type Request struct {
	Page string `query:"page,optional"` // a service, events or errors
	File string `query:"file,optional"`
}

type handler struct {
	files map[string]file
	pages map[string]fn.File
}

// New renders the pages.
func New(env.Env) (fn.Serve[Request, fn.File], error) {
	files, err := readFiles()
	if err != nil {
		return nil, err
	}
	pages, err := render(files["asyncapi.json"].text)
	return (&handler{files: files, pages: pages}).show, err
}

func (h *handler) show(_ context.Context, c fn.Call[Request]) (out fn.File, err error) {
	if c.In.File == "" {
		if out, ok := h.pages[c.In.Page]; ok {
			return out, nil
		}
		return out, fault.ErrNotFound
	}
	f, ok := h.files[c.In.File]
	if !ok || c.In.Page != "" {
		return out, fault.ErrNotFound
	}
	return f.answer(c.Header.Get("Accept-Encoding"))
}

// policy is the Content-Security-Policy of the pages. It allows scripts, styles and requests of the same origin. Swagger UI also needs
// style attributes, and data: URLs for the images in its style sheet.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// render returns the pages by name. The events are those of the bundled AsyncAPI document.
func render(asyncAPI []byte) (map[string]fn.File, error) {
	services, err := readServices()
	if err != nil {
		return nil, err
	}
	events, err := readEvents(asyncAPI)
	if err != nil {
		return nil, err
	}
	codes, err := readErrors()
	if err != nil {
		return nil, err
	}
	pages := map[string]view{
		"":       {Name: "index", Title: "Documentation", Content: services},
		"events": {Name: "events", Title: "Events", Content: events},
		"errors": {Name: "errors", Title: "Error codes", Content: codes},
	}
	for _, s := range services {
		pages[s.Name] = view{Name: "api", Title: s.Title, Content: s}
	}
	rendered := map[string]fn.File{}
	for name, v := range pages {
		v.Page, v.Services = name, services
		var text strings.Builder
		if err := templates.ExecuteTemplate(&text, "frame.html", v); err != nil {
			return nil, fmt.Errorf("docs: %w", err)
		}
		reply := fn.OK.Reply().Cached(caching).Set("Content-Security-Policy", policy)
		rendered[name] = fn.File{Reply: reply, Type: "text/html; charset=utf-8", Body: []byte(text.String())}
	}
	return rendered, nil
}
