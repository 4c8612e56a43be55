package deployment

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Route leads to a function from the edge. A load balancer takes the first that matches.
type Route struct {
	Function string `json:"function"`
	Method   string `json:"method"`
	Template string `json:"template"` // the path, with * for each part that may be anything
	Home     string `json:"home"`     // the path on a tenant's own host
}

// A place is a method and a path, as ServeMux patterns say them.
type place struct{ Method, Path string }

func route(s fn.Spec) place {
	switch {
	case s.Subject != "":
		return place{"POST", "/internal/events/" + s.Name}
	case s.Schedule != "":
		return place{"POST", "/internal/ticks/" + s.Name}
	}
	method, path, _ := strings.Cut(s.Route, " ")
	return place{method, path}
}

var wildcard = regexp.MustCompile(`\{[^}]*\}`)

func template(path string) string { return wildcard.ReplaceAllString(path, "*") }

// A path that names a tenant by this part is also reached below /api on that tenant's own host.
const tenantPart = "/{tenantSlug}"

func home(path string) string {
	if _, rest, ok := strings.Cut(path, tenantPart); ok {
		return template("/api" + rest)
	}
	return ""
}

// Routes are those of all functions, the particular before the general: a word before a part that may be anything, as ServeMux decides it.
func Routes(functions []fn.Function) (routes []Route) {
	for _, f := range functions {
		if f.Spec.Route != "" {
			p := route(f.Spec)
			routes = append(routes, Route{Function: f.Spec.Name, Method: p.Method, Template: template(p.Path), Home: home(p.Path)})
		}
	}
	slices.SortFunc(routes, func(a, b Route) int {
		return cmp.Or(cmp.Compare(general(a.Template), general(b.Template)), cmp.Compare(a.Method, b.Method))
	})
	return routes
}

// general is a path as it is sorted: a part that may be anything comes after every word.
func general(template string) string { return strings.ReplaceAll(template, "*", "~") }
