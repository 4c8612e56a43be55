package journeys

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/test/stage"
)

func TestTheConsoleTellsWhatRuns(t *testing.T) {
	t.Parallel()
	s := stage.Open(t)
	s.Must(http.StatusOK, stage.Request{Method: http.MethodGet, Path: "/-/ready"})
	var entries []struct{ Name, Trigger, Route, Subject, Schedule, Access string }
	s.Must(http.StatusOK, stage.Request{Method: http.MethodGet, Path: "/-/catalogue"}).Into(t, &entries)
	if len(entries) != len(melmastoon.Functions) {
		t.Fatalf("the catalogue has %d functions, the console tells of %d", len(melmastoon.Functions), len(entries))
	}
	for _, e := range entries {
		if e.Name == "" || e.Access == "" || (e.Trigger == "http") != (e.Route != "") || (e.Trigger == "event") != (e.Subject != "") || (e.Trigger == "schedule") != (e.Schedule != "") {
			t.Errorf("told as %+v", e)
		}
	}
	missing := s.Must(http.StatusNotFound, stage.Request{Method: http.MethodGet, Path: "/nowhere"})
	if missing.Code() != "GENERAL.RESOURCE_NOT_FOUND" {
		t.Errorf("an unknown path answers %s", missing.Body)
	}
	wrong := s.Must(http.StatusMethodNotAllowed, stage.Request{Method: http.MethodDelete, Path: "/api/v1/reservations/holds"})
	if allow := wrong.Header.Get("Allow"); !strings.Contains(allow, "POST") {
		t.Errorf("Allow is %q", allow)
	}
}

func TestTheConsoleStreamsEveryEvent(t *testing.T) {
	t.Parallel()
	s := stage.Open(t)
	b := s.Book(stage.Usual()).Intend("card")
	b.Press("pay")
	b.Await("confirmed")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Cloud.URL()+"/-/events?replay=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	want := map[string]bool{}
	for _, e := range s.Told(ctx) {
		want[e.Subject] = true
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for len(want) > 0 && lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct{ SpecVersion, ID, Source, Type string }
		if err := json.Unmarshal([]byte(text), &e); err != nil || e.SpecVersion != "1.0" || e.ID == "" || e.Source == "" {
			t.Errorf("not a structured CloudEvent: %v %s", err, text)
		}
		delete(want, e.Type)
	}
	if len(want) > 0 {
		t.Errorf("not streamed: %v (%v)", want, lines.Err())
	}
}
