// Package newcomer checks the documents as a new developer uses them: it follows the steps of CONTRIBUTING.md and runs
// the commands that the documents name.
package newcomer

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/seedrand"
)

// TestGuide_tenSteps follows the guide in a copy of the tree, and runs each of its commands.
func TestGuide_tenSteps(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a copy of the tree")
	}
	steps := readGuide(t)
	check.Equal(t, len(steps), 10, "steps of the guide")
	w := open(t)
	skeletons := w.makeSkeletons(readSkeletons(t)) // the last step's rules hold for them, too
	w.follow(steps)
	if out, err := w.run("go test ./functions/" + strings.Join(skeletons, " ./functions/")); err != nil || strings.Contains(out, "[no test") {
		t.Errorf("the skeletons' tests: %v\n%s", err, out)
	}
	ran := 0
	for _, s := range steps {
		for _, command := range s.commands {
			ran++
			out, err := w.run(command)
			if err != nil || strings.Contains(out, "[no test") {
				t.Fatalf("%s: %s: %v\n%s", s.title, command, err, out)
			}
			t.Logf("%s\n%s", command, out)
		}
	}
	if ran == 0 {
		t.Error("the guide runs nothing")
	}
	if made, err := filepath.Glob(filepath.Join(w.dir, ".local", "bundles", "reservation-setarrivaltime*")); err != nil || len(made) != 1 {
		t.Errorf("bundles %v, %v", made, err)
	}
}

// TestGuide_files counts the files that a function with a write touches. Migrations are only for a table of its own.
func TestGuide_files(t *testing.T) {
	t.Parallel()
	const limit = 10
	files := map[string]bool{"terraform/catalogue.json": true} // generated
	for _, s := range readGuide(t) {
		for _, e := range s.edits {
			if !strings.HasPrefix(e.file, "schemas/postgres/") {
				files[e.file] = true
			}
		}
	}
	if len(files) > limit {
		t.Errorf("the example touches %d files, want at most %d: %v", len(files), limit, slices.Sorted(maps.Keys(files)))
	}
}

// follow applies every block, and wants each file as gofmt leaves it.
func (w treeCopy) follow(steps []step) {
	w.t.Helper()
	for _, s := range steps {
		for _, e := range s.edits {
			check.Must(w.t, w.apply(e), "%s", s.title)
		}
	}
	check.Got(w.run("gofmt -l catalogue.go functions schemas")).Want(w.t, "", "not formatted")
}

// TestGuide_eachStepNeeded leaves out one thing at a time, and expects a test to fail.
func TestGuide_eachStepNeeded(t *testing.T) {
	t.Parallel()
	if !seedrand.Full(t) {
		t.Skip("builds three more copies: MELMASTOON_FULL")
	}
	for name, missed := range map[string]struct{ file, complaint string }{
		"the catalogue's line": {"catalogue.go", "TestCatalogue_listsEveryFunction"},
		"the event's schema":   {"schemas/events/melmastoon.reservation.arrival_time_set.v1.json", "arrival_time_set.v1 has no file in schemas/events"},
		"the OpenAPI entry":    {"schemas/http/reservation.yaml", "schemas/http/reservation.yaml does not have PUT /api/v1/reservations/{id}/arrival-time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.follow(without(readGuide(t), missed.file))
			out, err := w.run("go test ./test/architecture -short")
			if err == nil || !strings.Contains(out, missed.complaint) {
				t.Errorf("no test fails: %v\n%s", err, out)
			}
		})
	}
}

func without(steps []step, file string) (left []step) {
	for _, s := range steps {
		kept := step{title: s.title}
		for _, e := range s.edits {
			if e.file != file {
				kept.edits = append(kept.edits, e)
			}
		}
		left = append(left, kept)
	}
	return left
}
