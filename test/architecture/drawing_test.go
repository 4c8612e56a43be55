package architecture

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	drawnFloor = regexp.MustCompile(`(?m)^\| (\d|T) \| (.+) \|$`)
	drawnRoom  = regexp.MustCompile("`([a-z/]+)(?:\\{([a-z/,]+)\\})?`")
)

// drawn are the rooms of each floor as ARCHITECTURE.md has them.
func drawn(text string) map[string][]string {
	rooms := map[string][]string{}
	for _, floor := range drawnFloor.FindAllStringSubmatch(text, -1) {
		for _, room := range drawnRoom.FindAllStringSubmatch(floor[2], -1) {
			for _, end := range strings.Split(room[2], ",") { // one, and empty, where there is no brace
				rooms[floor[1]] = append(rooms[floor[1]], room[1]+end)
			}
		}
		slices.Sort(rooms[floor[1]])
	}
	return rooms
}

// TestTheFloorsAreDrawnAsTheyAre holds ARCHITECTURE.md to the rule: whoever reads the one has read the other.
func TestTheFloorsAreDrawnAsTheyAre(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for i, rooms := range floors {
		want[fmt.Sprint(i)] = slices.Sorted(slices.Values(rooms))
	}
	for _, p := range packages(t) {
		if room, ok := shared(p.ImportPath); ok && testRoom(room) {
			want["T"] = append(want["T"], room)
		}
	}
	slices.Sort(want["T"])
	got := drawn(string(text))
	for floor := range want {
		if !slices.Equal(got[floor], want[floor]) {
			t.Errorf("floor %s\ndrawn %v\nstands %v", floor, got[floor], want[floor])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d floors are drawn, %d stand", len(got), len(want))
	}
}

// TestEveryFolderIsDrawn wants the plan at the top of ARCHITECTURE.md to name all that is in scripts/ and test/.
func TestEveryFolderIsDrawn(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, plan, _ := strings.Cut(string(text), "## The tree\n\n```\n")
	plan, _, _ = strings.Cut(plan, "\n```")
	words := regexp.MustCompile(`[a-z]+`).FindAllString(plan, -1)
	for _, top := range []string{"scripts", "test"} {
		entries, err := os.ReadDir(filepath.Join(root, top))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !slices.Contains(words, e.Name()) {
				t.Errorf("the plan does not name %s/%s", top, e.Name())
			}
		}
	}
}

// TestArchitecture_size keeps ARCHITECTURE.md short enough to be read in one sitting.
func TestArchitecture_size(t *testing.T) {
	t.Parallel()
	const maxBytes = 12_000
	text, err := os.ReadFile(filepath.Join("..", "..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > maxBytes {
		t.Errorf("ARCHITECTURE.md has %d bytes, want at most %d: decisions belong in DECISIONS.md", len(text), maxBytes)
	}
}
