package terraform

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A rule is a route rule of the URL map.
type rule struct {
	priority float64
	service  string
	matches  []match
}

// A match is satisfied by a request to a path of the template with all of the headers.
type match struct {
	template string
	headers  map[string]string
}

// rules returns the route rules of a site in the order in which the load balancer tries them.
func (s system) rules(site string) (found []rule) {
	for _, matcher := range at(s.of("google_compute_url_map")[0].Arguments, "path_matcher") {
		if m, _ := matcher.(map[string]any); m["name"] != site {
			continue
		}
		for _, value := range at(matcher, "route_rules") {
			object := value.(map[string]any)
			r := rule{priority: object["priority"].(float64), service: object["service"].(string)}
			for _, value := range at(value, "match_rules") {
				m := match{template: at(value, "path_template_match")[0].(string), headers: map[string]string{}}
				for _, h := range at(value, "header_matches") {
					m.headers[at(h, "header_name")[0].(string)] = at(h, "exact_match")[0].(string)
				}
				r.matches = append(r.matches, m)
			}
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b rule) int { return int(a.priority - b.priority) })
	return found
}

// service returns the service that the load balancer sends a request to, or "" for the site's default.
func service(rules []rule, target string, headers map[string]string) string {
	for _, r := range rules {
		for _, m := range r.matches {
			if ok, err := path.Match(m.template, target); err == nil && ok && includes(headers, m.headers) {
				return r.service
			}
		}
	}
	return ""
}

func includes(all, part map[string]string) bool {
	for name, value := range part {
		if all[name] != value {
			return false
		}
	}
	return true
}

// TestEdge_routes sends each kind of request to each path through the URL map: the request itself, HEAD, a preflight, and a method
// that no function of the path has. The last must reach a function of that path, which answers 405.
func TestEdge_routes(t *testing.T) {
	t.Parallel()
	need(t)
	d, s := open(t).catalogue(), ofTheDemo.system(t)
	sites := map[string]func(deployment.Route) string{
		"ours":   func(r deployment.Route) string { return r.Template },
		"hotels": func(r deployment.Route) string { return r.Home },
	}
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		rules, functions := s.rules(site), map[string][]string{}
		for _, r := range d.Routes {
			functions[sites[site](r)] = append(functions[sites[site](r)], r.Function)
		}
		for _, r := range d.Routes {
			template := sites[site](r)
			if template == "" {
				continue
			}
			target := strings.ReplaceAll(template, "*", "one")
			requests := []map[string]string{
				{":method": r.Method},
				{":method": http.MethodOptions, "access-control-request-method": r.Method},
			}
			if r.Method == http.MethodGet {
				requests = append(requests, map[string]string{":method": http.MethodHead})
			}
			for _, headers := range requests {
				check.Equal(t, service(rules, target, headers), r.Function, "%s: %v %s reaches", site, headers, target)
			}
			for method, headers := range map[string]map[string]string{
				"TRACE":             {":method": http.MethodTrace},
				"OPTIONS for TRACE": {":method": http.MethodOptions, "access-control-request-method": http.MethodTrace},
			} {
				t.Run(site+" "+target+" "+method, func(t *testing.T) {
					if got := service(rules, target, headers); !slices.Contains(functions[template], got) {
						t.Errorf("got %q, want one of %v", got, functions[template])
					}
				})
			}
		}
		if got := service(rules, "/unknown", map[string]string{":method": http.MethodGet}); got != "" {
			t.Errorf("%s: /unknown reaches %q, want the default", site, got)
		}
		t.Logf("%s: %d route rules for %d paths", site, len(rules), len(functions))
	}
}
