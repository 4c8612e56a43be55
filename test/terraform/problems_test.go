package terraform

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/scripts/catalogue/errordocs"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// types returns the type of the problems of each error code, by code.
func types(t *testing.T) map[string]*url.URL {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(errordocs.File)))
	check.Must(t, err)
	var listed []errordocs.Entry
	check.Must(t, json.Unmarshal(text, &listed))
	all := map[string]*url.URL{}
	for _, e := range listed {
		all[e.Code], err = url.Parse(e.Type)
		check.Must(t, err)
	}
	return all
}

// backend returns the name of the default backend of a host in the URL map.
func (s system) backend(host string) any {
	edge := s.of("google_compute_url_map")[0].Arguments
	for _, r := range at(edge, "host_rule") {
		if !slices.Contains(at(r, "hosts"), any(host)) {
			continue
		}
		for _, matcher := range at(edge, "path_matcher") {
			if at(matcher, "name")[0] == at(r, "path_matcher")[0] {
				return at(matcher, "default_service")[0]
			}
		}
	}
	return nil
}

// TestProblems_resolve follows the type of each problem from its host through the URL map to a page in a public bucket.
func TestProblems_resolve(t *testing.T) {
	t.Parallel()
	need(t)
	for _, test := range []struct {
		name string
		vars map[string]any
	}{
		{"own domain", map[string]any{"domain": "melmastoon.ghasi.io"}},
		{"another domain", map[string]any{"custom_domains": []string{"errors.melmastoon.ghasi.io"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.few()
			s := check.Got(w.evaluate(ofProduction, test.vars)).Must(t)
			shared, pages := s.of("google_compute_backend_bucket")[0], map[string]resource{}
			for _, page := range s.of("google_storage_bucket_object") {
				if page.first("bucket") == shared.first("bucket_name") {
					pages[page.first("name")] = page
				}
			}
			readable := slices.ContainsFunc(s.of("google_storage_bucket_iam_member"), func(m resource) bool {
				return m.first("bucket") == shared.first("bucket_name") && m.first("member") == "allUsers"
			})
			if !readable {
				t.Errorf("the load balancer may not read %s", shared.first("bucket_name"))
			}
			var hosts []string
			for _, entry := range s.of("google_certificate_manager_certificate_map_entry") {
				hosts = append(hosts, entry.first("hostname"))
			}
			for code, kind := range types(t) {
				if got := s.backend(kind.Host); got != shared.first("name") {
					t.Errorf("%s reaches %v, want the bucket of the pages", kind.Host, got)
				}
				_, domain, _ := strings.Cut(kind.Host, ".")
				if !slices.Contains(hosts, kind.Host) && !slices.Contains(hosts, "*."+domain) {
					t.Errorf("%s has no certificate: %v", kind.Host, hosts)
				}
				page := pages[strings.TrimPrefix(kind.Path, "/")]
				if !strings.Contains(page.first("content"), "<h1>"+code+"</h1>") || page.first("content_type") != "text/html; charset=utf-8" {
					t.Errorf("%s has the page %v", kind, page.Arguments)
				}
			}
			check.Equal(t, len(pages), len(types(t))+1, "pages, one of each code and the list")
		})
	}
}

// TestProblems_disabled wants neither a public bucket nor a route to one.
func TestProblems_disabled(t *testing.T) {
	t.Parallel()
	need(t)
	w := open(t)
	w.few()
	s := check.Got(w.evaluate(ofProduction, map[string]any{"error_pages": false})).Must(t)
	if made := slices.Concat(s.of("google_compute_backend_bucket"), s.of("google_storage_bucket_iam_member")); len(made) > 0 {
		t.Errorf("there is %v", made)
	}
	for _, host := range []string{"errors.hotels.example", "errors.melmastoon.ghasi.io"} {
		t.Run(host, func(t *testing.T) {
			if got := s.backend(host); got != nil {
				t.Errorf("reaches %v, want nothing", got)
			}
		})
	}
}
