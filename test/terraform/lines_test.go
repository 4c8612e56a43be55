package terraform

import (
	"bytes"
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// counted are the members of a line that metrics, alerts and playbooks name.
var counted = regexp.MustCompile(`(?:jsonPayload|httpRequest)\.[A-Za-z_]+(?:\.[A-Za-z]+)?`)

// ofTheEdge are members of the load balancer's own lines.
var ofTheEdge = []string{"enforcedSecurityPolicy.outcome", "httpRequest.referer", "previewSecurityPolicy.outcome"}

// ofTheProbe are members of the lines of jobs/probe, whose own test reads them.
var ofTheProbe = []string{"step"}

// TestLines_metrics looks for each member of a line that metrics or playbooks name in a line that says all there is to say.
func TestLines_metrics(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	var counts observe.Counts
	for i := range counts {
		counts[i].Add(1)
	}
	observe.To(&written).Write(&observe.Line{
		Time: time.Now(), Latency: time.Second, Function: "reservation-relay", RequestID: "r", Method: "POST", Path: "/", Protocol: "HTTP/1.1",
		Agent: "a", Status: 500, Received: 1, Sent: 1, Tenant: "t", Caller: "c", Subject: "s", EventID: "e", Attempt: 1, Outbox: outbox.Report{Published: 1, Stuck: outbox.Stuck{Evidence: 1, Operational: 1, Rows: 1}},
		Counts: &counts, Replayed: true, Parked: "p", Code: "GENERAL.INTERNAL", Cause: errors.New("cause"), Stack: []byte("stack"),
	})
	var line map[string]any
	check.Must(t, json.Unmarshal(written.Bytes(), &line))
	named := map[string]bool{}
	files := []string{"metrics.tf", "alerts.tf", "README.md"}
	for _, name := range playbooks(t) {
		files = append(files, filepath.Join("playbooks", name+".md"))
	}
	for _, file := range files {
		each := strings.NewReplacer("jsonPayload.outbox.${each.key}", "jsonPayload.outbox.published jsonPayload.outbox.late")
		for _, name := range counted.FindAllString(each.Replace(text(t, file)), -1) {
			named[strings.TrimPrefix(name, "jsonPayload.")] = true
		}
	}
	for name := range named {
		if !says(line, strings.Split(name, ".")) && !slices.Contains(slices.Concat(ofTheEdge, ofTheProbe), name) {
			t.Errorf("no line has %s", name)
		}
	}
	switch {
	case !named["outbox.late"]:
		t.Errorf(`found only %v: named["outbox.late"] = false, want true`, slices.Sorted(maps.Keys(named)))
	case !named["outbox.published"]:
		t.Errorf(`found only %v: named["outbox.published"] = false, want true`, slices.Sorted(maps.Keys(named)))
	case !named["function"]:
		t.Errorf(`found only %v: named["function"] = false, want true`, slices.Sorted(maps.Keys(named)))
	}
}

func says(line map[string]any, path []string) bool {
	value, ok := line[path[0]]
	if !ok || len(path) == 1 {
		return ok
	}
	inner, ok := value.(map[string]any)
	return ok && says(inner, path[1:])
}
