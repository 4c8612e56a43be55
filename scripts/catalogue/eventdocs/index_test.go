package eventdocs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/scripts/catalogue/eventdocs"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// published returns the schemas of the tree.
func published(t *testing.T) []eventdocs.Schema {
	t.Helper()
	return check.Got(eventdocs.Read(eventschemas.Files)).Must(t)
}

// wantFile compares a derived document with the committed one.
func wantFile(t *testing.T, path string, want []byte) {
	t.Helper()
	got := check.Got(os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(path)))).Must(t)
	check.Equal(t, got, want, "%s is out of date, run: go run ./scripts/catalogue", path)
}

func TestIndex_committed(t *testing.T) {
	t.Parallel()
	wantFile(t, eventdocs.IndexFile, eventdocs.Index(published(t)))
}

func TestIndex(t *testing.T) {
	t.Parallel()
	all, err := eventdocs.Read(fstest.MapFS{"melmastoon.a.b.v1.json": {Data: []byte(`{
		"title": "AHappened", "description": "A happened.", "x-publisher": "a-service", "x-consumers": ["b-service", "c-service"], "deprecatedSince": "2026-05-01",
		"x-retention": {"class": "audit", "period": "P1Y"}, "x-sampling": {"rate": 0.25, "configurable": true}, "x-ordering-key": "{a|b}",
		"properties": {"inner": {"properties": {"userId": {"x-pii": "pseudonymous"}}}, "a": {}}}`)}})
	check.Must(t, err)
	const want = "| [melmastoon.a.b.v1](melmastoon.a.b.v1.json)<br>A happened.<br>Deprecated since 2026-05-01. | a-service | b-service, c-service | audit P1Y | 0.25, configurable | `{a\\|b}` | userId |"
	if got := string(eventdocs.Index(all)); !strings.Contains(got, want) {
		t.Errorf("got %s\nwant the line %s", got, want)
	}
}

func TestRead_unreadable(t *testing.T) {
	t.Parallel()
	if _, err := eventdocs.Read(fstest.MapFS{"a.v1.json": {Data: []byte(`{"title":`)}}); err == nil || !strings.Contains(err.Error(), "a.v1.json") {
		t.Errorf("got %v, want an error that names the file", err)
	}
}
