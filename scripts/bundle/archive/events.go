package archive

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// eventFolder is the package that embeds the schemas of events, and eventFile its source.
const (
	eventFolder = "schemas/events"
	eventFile   = eventFolder + "/events.go"
)

// subjectsOf returns the subjects whose events the function may validate: those that its service publishes, and the one
// that it consumes. Middleware of the service may publish more than the function's own Spec lists.
func subjectsOf(s fn.Spec) []string {
	subjects := []string{s.Subject}
	for _, f := range melmastoon.Functions {
		if f.Spec.Service() == s.Service() {
			for _, p := range f.Spec.Publishes {
				subjects = append(subjects, p.Name)
			}
		}
	}
	return subjects
}

// keepSchemas deletes the schemas of other subjects, so that an edit of one does not change this archive. It rewrites the
// source that embeds them, because a pattern without a file does not compile.
func keepSchemas(files map[string][]byte, subjects []string) {
	var kept []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		subject, ok := strings.CutSuffix(path.Base(name), ".json")
		switch {
		case path.Dir(name) != eventFolder || !ok:
		case slices.Contains(subjects, subject):
			kept = append(kept, path.Base(name))
		default:
			delete(files, name)
		}
	}
	directive := []byte("//go:embed " + strings.Join(kept, " ") + "\n")
	if len(kept) == 0 {
		directive = nil
	}
	files[eventFile] = bytes.Replace(files[eventFile], []byte("//go:embed *.json\n"), directive, 1)
}
