package journeys

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/jobs/command/version"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

func TestConsole_catalogue(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	var ready struct{ Version struct{ API, Tree string } }
	s.Must(http.StatusOK, system.Request{Method: http.MethodGet, Path: "/-/ready"}).Into(t, &ready)
	if got := ready.Version; got.API != version.API() || got.Tree != version.Tree() {
		t.Errorf("the local cloud is ready with version %+v, want API %s and tree %s", got, version.API(), version.Tree())
	}
	var entries []struct{ Name, Trigger, Route, Subject, Schedule, Access string }
	s.Must(http.StatusOK, system.Request{Method: http.MethodGet, Path: "/-/catalogue"}).Into(t, &entries)
	if len(entries) != len(melmastoon.Functions) {
		t.Fatalf("the catalogue has %d functions, the console tells of %d", len(melmastoon.Functions), len(entries))
	}
	for _, e := range entries {
		check.NotZero(t, e.Name)
		check.NotZero(t, e.Access)
		check.Equal(t, e.Trigger == "http", e.Route != "", "only HTTP functions have a route")
		check.Equal(t, e.Trigger == "event", e.Subject != "", "only event functions have a subject")
		check.Equal(t, e.Trigger == "schedule", e.Schedule != "", "only scheduled functions have a schedule")
	}
	missing := s.Must(http.StatusNotFound, system.Request{Method: http.MethodGet, Path: "/nowhere"})
	check.Equal(t, missing.Code(), "GENERAL.RESOURCE_NOT_FOUND", "an unknown path: %s", missing.Body)
	wrong := s.Must(http.StatusMethodNotAllowed, system.Request{Method: http.MethodDelete, Path: "/api/v1/reservations/holds"})
	check.Contains(t, wrong.Header.Get("Allow"), "POST")
}

// TestConsole_frontPageLinksToWhatThereIs opens the local cloud as a browser does and follows each link.
func TestConsole_frontPageLinksToWhatThereIs(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	page := s.Must(http.StatusOK, system.Request{Method: http.MethodGet, Path: "/"})
	links := regexp.MustCompile(`href="([^"?]+)`).FindAllStringSubmatch(string(page.Body), -1)
	if len(links) < 3 || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%d links in %s", len(links), page.Body)
	}
	for _, link := range links {
		if link[1] != "/-/events" { // a stream that does not end
			s.Must(http.StatusOK, system.Request{Method: http.MethodGet, Path: link[1]})
		}
	}
}

func TestConsole_stream(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	b := s.Book(system.Usual()).Intend("card")
	b.Press("pay")
	b.Await("confirmed")
	want := map[string]bool{}
	for _, e := range s.Published(t.Context()) {
		want[e.Subject] = true
	}
	err := stream(t, s, func(data string) bool {
		var e struct{ SpecVersion, ID, Source, Type string }
		err := json.Unmarshal([]byte(data), &e)
		check.Must(t, err, "specversion")
		check.Equal(t, e.SpecVersion, "1.0", "specversion")
		check.NotZero(t, e.ID, "a member of a structured CloudEvent")
		check.NotZero(t, e.Source, "a member of a structured CloudEvent")
		delete(want, e.Type)
		return len(want) > 0
	})
	if len(want) > 0 {
		t.Errorf("not streamed: %v (%v)", want, err)
	}
}
