package history_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"melmastoon.ghasi.io/scripts/schemadiff/evolution"
	"melmastoon.ghasi.io/scripts/schemadiff/history"
)

const (
	held    = "events/melmastoon.a.held.v1.json"
	heldTwo = "events/melmastoon.a.held.v2.json"

	plain      = `{"properties":{"a":{"type":"string"}}}`
	wider      = `{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`
	retyped    = `{"properties":{"a":{"type":"integer"}}}`
	deprecated = `{"deprecatedSince":"2026-05-01","properties":{"a":{"type":"string"}}}`
	described  = `{"description":"A.","properties":{"a":{"type":"string"}}}`
	redefined  = `{"description":"B.","properties":{"a":{"type":"string"}}}`
)

func day(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func tree(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func lines(found []evolution.Finding) (out []string) {
	for _, f := range found {
		out = append(out, f.Contract+" "+f.Pointer+" "+string(f.Rule))
	}
	return out
}

func TestCompare(t *testing.T) {
	t.Parallel()
	type files = map[string]string
	for _, test := range []struct {
		name         string
		older, newer files
		today        string
		want         []string
	}{
		{"same", files{held: plain}, files{held: plain}, "2026-05-01", nil},
		{"member_added", files{held: plain}, files{held: wider}, "2026-05-01", []string{"melmastoon.a.held.v1 /properties/b member-added"}},
		{"contract_added", files{}, files{held: plain}, "2026-05-01", []string{"melmastoon.a.held.v1  contract-added"}},
		{"removed_without_successor", files{held: deprecated}, files{}, "2030-05-01", []string{"melmastoon.a.held.v1  contract-removed"}},
		{"retired_early", files{held: deprecated, heldTwo: plain}, files{heldTwo: plain}, "2026-07-29", []string{"melmastoon.a.held.v1  contract-removed"}},
		{"retired_in_time", files{held: deprecated, heldTwo: plain}, files{heldTwo: plain}, "2026-07-30", []string{"melmastoon.a.held.v1  contract-retired"}},
		{"removed_without_deprecation", files{held: plain, heldTwo: plain}, files{heldTwo: plain}, "2030-05-01", []string{"melmastoon.a.held.v1  contract-removed"}},
		{"next_version_with_deprecation", files{held: plain}, files{held: deprecated, heldTwo: retyped}, "2026-05-01",
			[]string{"melmastoon.a.held.v1  deprecated", "melmastoon.a.held.v2  contract-added"}},
		{"next_version_without_deprecation", files{held: plain}, files{held: plain, heldTwo: retyped}, "2026-05-01",
			[]string{"melmastoon.a.held.v2  contract-added", "melmastoon.a.held.v1  deprecation-missing"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			older, err := history.Read(tree(test.older))
			if err != nil {
				t.Fatal(err)
			}
			newer, err := history.Read(tree(test.newer))
			if err != nil {
				t.Fatal(err)
			}
			found, err := history.Compare(older, newer, day(t, test.today))
			if err != nil {
				t.Fatal(err)
			}
			if got := lines(found); !slices.Equal(got, test.want) {
				t.Errorf("findings:\n got %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestDiff_unreadable(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"json":     `{"type":`,
		"keyword":  `{"type":"text"}`,
		"form":     `{"required":"a"}`,
		"outside":  `{"$ref":"https://example.org/other"}`,
		"nowhere":  `{"$ref":"#/$defs/x"}`,
		"number":   `{"minimum":1e999}`,
		"anchor":   `{"$ref":"#here"}`,
		"sequence": `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := history.Diff(history.Contract{Name: held, Text: []byte(plain)}, history.Contract{Name: held, Text: []byte(text)}); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestRelease goes through the life of one contract: each release is kept, and a later form is compared with all of them.
func TestRelease(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(root, "events"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, held), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	release := func(want ...string) {
		t.Helper()
		if got, err := history.Release(root); err != nil || !slices.Equal(got, want) {
			t.Fatalf("Release = %q, %v, want %q", got, err, want)
		}
	}
	check := func(want evolution.Verdict, wantLines ...string) []evolution.Finding {
		t.Helper()
		found, acknowledged, err := history.Check(os.DirFS(root), day(t, "2026-05-01"))
		if err != nil {
			t.Fatal(err)
		}
		if got := history.Worst(found, acknowledged); got != want || !slices.Equal(lines(found), wantLines) {
			t.Errorf("Check = %s %q, want %s %q", got, lines(found), want, wantLines)
		}
		return found
	}
	const of = "released/events/melmastoon.a.held.v1/"
	put(described)
	check(evolution.Compatible, "melmastoon.a.held.v1  contract-added")
	release(of + "1.json")
	release() // nothing has changed
	put(strings.Replace(redefined, `}}}`, `},"b":{"type":"string"}}}`, 1))
	found := check(evolution.Acknowledge, "melmastoon.a.held.v1  description-changed", "melmastoon.a.held.v1 /properties/b member-added")
	if err := history.Acknowledge(root, found); err != nil {
		t.Fatal(err)
	}
	check(evolution.Compatible, lines(found)...)
	put(strings.Replace(described, "A.", "C.", 1)) // another text than the acknowledged one
	check(evolution.Acknowledge, "melmastoon.a.held.v1  description-changed")
	put(strings.Replace(redefined, `}}}`, `},"b":{"type":"string"}}}`, 1))
	release(of + "2.json")
	check(evolution.Compatible)
	if _, err := os.Stat(filepath.Join(root, history.AcknowledgedFile)); err == nil {
		t.Error("the acknowledgements outlive the release")
	}
	put(redefined)
	check(evolution.Breaking, "melmastoon.a.held.v1 /properties/b member-removed")
	put(strings.Replace(redefined, `"string"`, `"integer"`, 1))
	check(evolution.Breaking, "melmastoon.a.held.v1 /properties/a type-changed", "melmastoon.a.held.v1 /properties/b member-removed", "melmastoon.a.held.v1 /properties/a type-changed")
}

func TestVersions_gap(t *testing.T) {
	t.Parallel()
	if _, err := history.Versions(tree(map[string]string{"released/events/a.v1/1.json": plain, "released/events/a.v1/3.json": plain})); err == nil {
		t.Error("no error though the second release is missing")
	}
}
