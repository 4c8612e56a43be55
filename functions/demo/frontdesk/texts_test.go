package frontdesk_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

var (
	reference = regexp.MustCompile(`\bT\(?\s?"([\w.]*\w)"`)
	holes     = regexp.MustCompile(`\{\d\}`)
)

func TestTexts_complete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("pages/texts.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]map[string]string
	if err := json.Unmarshal(text, &texts); err != nil {
		t.Fatal(err)
	}
	for language, says := range texts {
		for about, english := range texts["en"] {
			have, want := holes.FindAllString(says[about], -1), holes.FindAllString(english, -1)
			slices.Sort(have)
			slices.Sort(want)
			if says[about] == "" || !slices.Equal(have, want) {
				t.Errorf("%s: text %q of %s does not match English %q", language, says[about], about, english)
			}
		}
		if len(says) != len(texts["en"]) {
			t.Errorf("%s has %d texts, English %d", language, len(says), len(texts["en"]))
		}
	}
	for _, about := range sayings(t) {
		if texts["en"][about] == "" {
			t.Errorf("no text for %s", about)
		}
	}
	if got := slices.Sorted(maps.Keys(texts)); !slices.Equal(got, []string{"en", "fa-AF", "ps-AF"}) {
		t.Errorf("languages %v", got)
	}
}

// sayings returns the keys of the texts that the pages use.
func sayings(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"*.go", "pages/*.html"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, found := range reference.FindAllStringSubmatch(string(text), -1) {
				all = append(all, found[1])
			}
		}
	}
	if len(all) < 50 {
		t.Fatalf("found only %d keys", len(all))
	}
	return all
}
