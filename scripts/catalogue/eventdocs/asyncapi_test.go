package eventdocs_test

import (
	"regexp"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/scripts/catalogue/eventdocs"
	"melmastoon.ghasi.io/shared/platform/contract"
)

// TestAsyncAPI_committed compares the document with the committed one, and counts what it describes.
func TestAsyncAPI_committed(t *testing.T) {
	t.Parallel()
	d, err := deployment.Of(melmastoon.Functions, melmastoon.Jobs)
	if err != nil {
		t.Fatal(err)
	}
	all := published(t)
	text, err := eventdocs.AsyncAPI(all, d, melmastoon.Functions)
	if err != nil {
		t.Fatal(err)
	}
	wantFile(t, eventdocs.AsyncAPIFile, text)

	var document struct {
		Channels   map[string]any `json:"channels"`
		Operations map[string]any `json:"operations"`
		Components struct {
			Messages map[string]struct {
				Examples []struct {
					Headers map[string]string
					Payload struct{ Payload jsontext.Value }
				}
			}
			MessageTraits struct {
				CloudEvent struct {
					Headers struct{ Properties map[string]any }
				}
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	described := document.Components.MessageTraits.CloudEvent.Headers.Properties
	for subject, m := range document.Components.Messages {
		if len(m.Examples) != 1 {
			t.Errorf("%s has %d examples, want 1", subject, len(m.Examples))
			continue
		}
		if err := contract.ValidateOutgoing(subject, m.Examples[0].Payload.Payload); err != nil {
			t.Errorf("%s: %v", subject, err)
		}
		for name := range m.Examples[0].Headers {
			if described[name] == nil {
				t.Errorf("%s has the header %s, which is not described", subject, name)
			}
		}
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

// TestRead_titles requires a title that is a name, from which generators of code derive the name of a type.
func TestRead_titles(t *testing.T) {
	t.Parallel()
	name, seen := regexp.MustCompile(`^([A-Z][a-z]+)+(V[0-9]+)?$`), map[string]bool{}
	for _, s := range published(t) {
		t.Run(s.Subject, func(t *testing.T) {
			if !name.MatchString(s.Title) || seen[s.Title] {
				t.Errorf("title = %q, want a name of its own", s.Title)
			}
			seen[s.Title] = true
		})
	}
}
