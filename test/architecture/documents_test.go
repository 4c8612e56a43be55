package architecture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestArchitecture_namesEveryFolder wants ARCHITECTURE.md to name every folder of scripts/ and test/ and every package of
// shared/, by the last element of its path.
func TestArchitecture_namesEveryFolder(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(text), func(r rune) bool { return !('a' <= r && r <= 'z') })
	var names []string
	for _, top := range []string{"scripts", "test"} {
		entries, err := os.ReadDir(filepath.Join(root, top))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, top+"/"+e.Name())
		}
	}
	for _, p := range packages(t) {
		if p.inside("shared") {
			names = append(names, p.path())
		}
	}
	for _, name := range names {
		if !slices.Contains(words, filepath.Base(name)) {
			t.Errorf("ARCHITECTURE.md does not name %s", name)
		}
	}
}

// TestArchitecture_size keeps ARCHITECTURE.md short. A merge that brings old text back fails here.
func TestArchitecture_size(t *testing.T) {
	t.Parallel()
	const maxBytes = 12 << 10
	text, err := os.ReadFile(filepath.Join("..", "..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > maxBytes {
		t.Errorf("ARCHITECTURE.md has %d bytes, want at most %d: decisions belong in DECISIONS.md", len(text), maxBytes)
	}
}
