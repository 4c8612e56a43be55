package history_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"melmastoon.ghasi.io/scripts/schemadiff/evolution"
	"melmastoon.ghasi.io/scripts/schemadiff/history"
	"melmastoon.ghasi.io/scripts/schemadiff/history/historytest"
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
		"dialect":  `{"$schema":"http://json-schema.org/draft-07/schema#"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := history.Diff(history.Contract{Name: held, Text: []byte(plain)}, history.Contract{Name: held, Text: []byte(text)}); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestNewRelease goes through the life of one contract: a later form is compared with all releases.
func TestNewRelease(t *testing.T) {
	t.Parallel()
	r := historytest.NewRepository(t)
	release := func(version, want string, wantErr error) {
		t.Helper()
		if got, err := history.NewRelease(r.Root, version); got != want || !errors.Is(err, wantErr) {
			t.Fatalf("NewRelease = %q, %v, want %q, %v", got, err, want, wantErr)
		}
	}
	check := func(want evolution.Verdict, wantLines ...string) []evolution.Finding {
		t.Helper()
		found, acknowledged, err := history.Check(r.Root, day(t, "2026-05-01"))
		if err != nil {
			t.Fatal(err)
		}
		if got := history.Worst(found, acknowledged); got != want || !slices.Equal(lines(found), wantLines) {
			t.Errorf("Check = %s %q, want %s %q", got, lines(found), want, wantLines)
		}
		return found
	}
	with := func(text string) string { return strings.Replace(text, `}}}`, `},"b":{"type":"string"}}}`, 1) }
	r.Put(held, described)
	check(evolution.Compatible, "melmastoon.a.held.v1  contract-added")
	release("1.0", "1.0 "+r.Commit()+"\n", nil)
	r.Commit()
	release("1.1", "", nil) // nothing has changed

	r.Put(held, with(redefined))
	found := check(evolution.Acknowledge, "melmastoon.a.held.v1  description-changed", "melmastoon.a.held.v1 /properties/b member-added")
	if err := history.Acknowledge(r.Root, found); err != nil {
		t.Fatal(err)
	}
	check(evolution.Compatible, lines(found)...)
	r.Put(held, strings.Replace(described, "A.", "C.", 1)) // another text than the acknowledged one
	check(evolution.Acknowledge, "melmastoon.a.held.v1  description-changed")
	r.Put(held, with(redefined))
	release("1.1", "", history.ErrUncommitted)
	commit := r.Commit()
	release("1.0", "", history.ErrReleased)
	release("1.1", "1.1 "+commit+"\n", nil)
	check(evolution.Compatible)
	if _, err := os.Stat(filepath.Join(r.Root, history.AcknowledgedFile)); err == nil {
		t.Error("the acknowledgements outlive the release")
	}

	r.Put(held, redefined)
	check(evolution.Breaking, "melmastoon.a.held.v1 /properties/b member-removed")
	r.Put(held, strings.Replace(redefined, `"string"`, `"integer"`, 1))
	found = check(evolution.Breaking, "melmastoon.a.held.v1 /properties/a/type keyword-changed", "melmastoon.a.held.v1 /properties/b member-removed", "melmastoon.a.held.v1 /properties/a/type keyword-changed")
	if got, want := found[2].Detail, "(since release 1.0)"; !strings.HasSuffix(got, want) {
		t.Errorf("detail = %q, want %q at its end", got, want)
	}
}

// TestReleased_lines rejects lines that would not work in every clone.
func TestReleased_lines(t *testing.T) {
	t.Parallel()
	r := historytest.NewRepository(t)
	r.Put(held, plain)
	first := r.Commit()
	r.Put(held, wider)
	second := r.Commit()
	r.Git("reset", "--quiet", "--hard", first)
	for _, test := range []struct {
		name, list string
		want       string // of the error
	}{
		{name: "commit", list: "1.0 " + first + "\n"},
		{name: "abbreviated", list: "1.0 " + first[:12] + "\n", want: "40 digits"},
		{name: "branch", list: "1.0 main\n", want: "40 digits"},
		{name: "no_version", list: first + "\n", want: "40 digits"},
		{name: "unknown", list: "1.0 " + strings.Repeat("0", 40) + "\n", want: "not in the history of HEAD"},
		{name: "other_branch", list: "1.0 " + first + "\n1.1 " + second + "\n", want: "not in the history of HEAD"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r.Put(history.ListFile, test.list)
			releases, err := history.Released(r.Root)
			switch {
			case test.want == "" && (err != nil || len(releases) != 1 || string(releases[0].Contracts[held].Text) != plain):
				t.Errorf("Released = %v, %v, want one release with %s", releases, err, plain)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error = %v, want %q in it", err, test.want)
			case errors.Is(err, history.ErrNoHistory):
				t.Errorf("error = %v, which a laptop may ignore", err)
			}
		})
	}
}

func TestReleased_noHistory(t *testing.T) {
	r := historytest.NewRepository(t)
	r.Put(held, plain)
	list := "1.0 " + r.Commit() + "\n"
	r.Put(history.ListFile, list)
	r.Commit()
	want := func(t *testing.T, root string, want error) {
		t.Helper()
		if _, err := history.Released(root); !errors.Is(err, want) {
			t.Errorf("error = %v, want %v", err, want)
		}
	}
	t.Run("clone", func(t *testing.T) { want(t, r.Root, nil) })
	t.Run("archive", func(t *testing.T) {
		root := t.TempDir()
		if err := os.CopyFS(root, os.DirFS(r.Root)); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(root, ".git")); err != nil {
			t.Fatal(err)
		}
		want(t, root, history.ErrNoHistory)
	})
	t.Run("shallow", func(t *testing.T) {
		shallow := r.Clone("--depth=1")
		want(t, shallow.Root, history.ErrNoHistory)
		shallow.Git("fetch", "--quiet", "--unshallow")
		want(t, shallow.Root, nil)
	})
	t.Run("no_git", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		want(t, r.Root, history.ErrNoHistory)
	})
}
