package eventdocs_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/scripts/catalogue/eventdocs"
)

// TestAsyncAPI_committed compares the document with the committed one, and counts what it describes.
func TestAsyncAPI_committed(t *testing.T) {
	t.Parallel()
	d, err := deployment.Of(melmastoon.Functions, melmastoon.Jobs)
	if err != nil {
		t.Fatal(err)
	}
	all := published(t)
	text, err := eventdocs.AsyncAPI(all, d)
	if err != nil {
		t.Fatal(err)
	}
	wantFile(t, eventdocs.AsyncAPIFile, text)

	var document struct {
		Channels   map[string]any `json:"channels"`
		Operations map[string]any `json:"operations"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	consumers := 0
	for name, f := range d.Functions {
		if f.Event == nil {
			continue
		}
		consumers++
		if document.Operations["consume."+name] == nil || document.Channels[f.Event.DeadLetter] == nil {
			t.Errorf("%s has no operation or no channel of dead letters", name)
		}
	}
	if got, want := len(document.Operations), len(all)+consumers; got != want {
		t.Errorf("%d operations, want %d", got, want)
	}
}
