package deployment

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Route maps requests at the edge to a function. The load balancer uses the first match.
type Route struct {
	Function string `json:"function"`
	Method   string `json:"method"`
	Template string `json:"template"` // the path, with * for each variable part
	Home     string `json:"home"`     // the path on a tenant's own host
}

// A place is the method and the path of a ServeMux pattern.
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

// A path with this part is also available below /api on the tenant's own host.
const tenantPart = "/{tenantSlug}"

func home(path string) string {
	if _, rest, ok := strings.Cut(path, tenantPart); ok {
		return template("/api" + rest)
	}
	return ""
}

// Routes returns the routes of all functions, specific routes before general ones: a literal part comes before a
// variable part, as in ServeMux.
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

// general returns the sort key of a path, in which a variable part comes after every literal.
func general(template string) string { return strings.ReplaceAll(template, "*", "~") }
