// Package pagetest checks the texts of a site.
package pagetest

import (
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/testkit/check"
)

var (
	reference = regexp.MustCompile(`\bT\(?\s?"([\w.]*\w)"`)
	holes     = regexp.MustCompile(`\{\d\}`)
)

// CheckTexts fails the test unless pages/texts.json of the tested package has exactly these languages, in the order of their tags, each with
// the texts of English and their holes, and English has all texts that the pages use.
func CheckTexts(t *testing.T, languages ...string) {
	t.Helper()
	var texts map[string]map[string]string
	check.Must(t, json.Unmarshal(check.Got(os.ReadFile("pages/texts.json")).Must(t), &texts))
	for language, says := range texts {
		for about, english := range texts["en"] {
			have, want := holes.FindAllString(says[about], -1), holes.FindAllString(english, -1)
			slices.Sort(have)
			slices.Sort(want)
			if says[about] == "" || !slices.Equal(have, want) {
				t.Errorf("%s: text %q of %s does not match English %q", language, says[about], about, english)
			}
		}
		check.Equal(t, len(says), len(texts["en"]), "texts in %s", language)
	}
	for _, about := range sayings(t) {
		if texts["en"][about] == "" {
			t.Errorf("no text for %s", about)
		}
	}
	check.Equal(t, slices.Sorted(maps.Keys(texts)), languages)
}

// sayings returns the keys of the texts that the pages use.
func sayings(t *testing.T) (all []string) {
	t.Helper()
	site := os.DirFS(".")
	var files []string
	for _, pattern := range []string{"*.go", "*/*.go", "pages/*.html"} {
		files = append(files, check.Got(fs.Glob(site, pattern)).Must(t)...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, found := range reference.FindAllStringSubmatch(string(check.Got(fs.ReadFile(site, file)).Must(t)), -1) {
			all = append(all, found[1])
		}
	}
	if len(all) < 50 {
		t.Fatalf("found only %d keys", len(all))
	}
	return all
}
