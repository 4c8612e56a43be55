package newcomer

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A document is one of those at the top of the tree. What CONTRIBUTING.md makes is there for it.
type document struct {
	name, text string
	made       map[string]bool
}

func documents(t *testing.T) (all []document) {
	t.Helper()
	made := map[string]bool{}
	for _, s := range readGuide(t) {
		for _, e := range s.edits {
			made[e.file], made[filepath.Dir(e.file)] = true, true
		}
	}
	names := check.Got(filepath.Glob(filepath.Join(root, "*.md"))).Must(t)
	for _, name := range names {
		text := check.Got(os.ReadFile(name)).Must(t)
		all = append(all, document{filepath.Base(name), string(text), made})
	}
	return all
}

// read is the document of that name.
func read(t *testing.T, name string) document {
	t.Helper()
	all := documents(t)
	i := slices.IndexFunc(all, func(d document) bool { return d.name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return all[i]
}

var (
	link     = regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	code     = regexp.MustCompile("`([^`]+)`")
	indented = regexp.MustCompile(`(?m)^    (\S.*)$`)
	blank    = regexp.MustCompile(`<[^<>]+>`)
	braces   = regexp.MustCompile(`^(.*)\{([^}]+)\}(.*)$`)
)

// links are the places that the document leads to.
func (d document) links() (all []string) {
	for _, m := range link.FindAllStringSubmatch(d.text, -1) {
		if !strings.Contains(m[1], "://") {
			all = append(all, m[1])
		}
	}
	return all
}

// code is what the document says as code, in its sentences or on a line of its own. Its blocks are the guide's own matter.
func (d document) code() (all []string) {
	prose := ""
	for i, part := range strings.Split(d.text, "\n```") {
		if i%2 == 0 {
			prose += part + "\n"
		}
	}
	for _, m := range code.FindAllStringSubmatch(prose, -1) {
		all = append(all, m[1])
	}
	for _, m := range indented.FindAllStringSubmatch(prose, -1) {
		command, _, _ := strings.Cut(m[1], " # ")
		all = append(all, strings.TrimSpace(command))
	}
	return all
}

// exists reports whether a path leads somewhere. A blank in it (<service>) stands for any name, as * does.
func (d document) exists(path string) bool {
	path = strings.TrimSuffix(path, "/")
	if m := braces.FindStringSubmatch(path); m != nil {
		for choice := range strings.SplitSeq(m[2], ",") {
			if !d.exists(m[1] + choice + m[3]) {
				return false
			}
		}
		return true
	}
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(blank.ReplaceAllString(path, "*"))))
	return err == nil && len(found) > 0 || d.made[path]
}

// paths are the words of a text that name something in this tree: they begin with one of its folders, or end like one of its files.
func paths(t *testing.T, text string) (all []string) {
	t.Helper()
	for word := range strings.FieldsSeq(text) {
		word = strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/...")
		first, rest, deeper := strings.Cut(word, "/")
		if deeper && rest != "" && slices.Contains(topFolders(t), first) {
			all = append(all, word)
		}
	}
	return all
}

// topFolders are the folders at the top of the tree.
func topFolders(t *testing.T) (names []string) {
	t.Helper()
	entries := check.Got(os.ReadDir(root)).Must(t)
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestDocuments_map wants README to lead to every service, to every document of its routes, and to whatever else is at the top.
func TestDocuments_map(t *testing.T) {
	t.Parallel()
	shown := read(t, "README.md").links()
	want := append(topFolders(t), "catalogue.go", "scripts/serve")
	want = slices.DeleteFunc(want, func(top string) bool { return top == "functions" || top == "scripts" }) // their parts are shown
	for _, d := range documents(t) {
		if d.name != "README.md" {
			want = append(want, d.name)
		}
	}
	services := check.Got(filepath.Glob(filepath.Join(root, "functions", "*"))).Must(t)
	for _, s := range services {
		want = append(want, "functions/"+filepath.Base(s))
	}
	for _, place := range want {
		if !slices.Contains(shown, place) {
			t.Errorf("README's map does not lead to %s", place)
		}
	}
}

// TestDocuments_routes goes from README's map to the document that describes a route.
func TestDocuments_routes(t *testing.T) {
	t.Parallel()
	described := map[string]bool{}
	for _, path := range read(t, "README.md").links() {
		service, isDocument := strings.CutSuffix(filepath.Base(path), ".yaml")
		if !isDocument {
			continue
		}
		text := check.Got(os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))).Must(t)
		var doc struct {
			Paths map[string]map[string]any `yaml:"paths"`
		}
		check.Must(t, yaml.Unmarshal(text, &doc))
		for address, methods := range doc.Paths {
			for method := range methods {
				described[service+" "+strings.ToUpper(method)+" "+address] = true
			}
		}
	}
	routes := 0
	for _, f := range melmastoon.Functions {
		if f.Spec.Route == "" {
			continue
		}
		routes++
		if !described[f.Spec.Service()+" "+f.Spec.Route] {
			t.Errorf("%s: no document in README's map has %s", f.Spec.Name, f.Spec.Route)
		}
	}
	if routes == 0 {
		t.Error("no route found")
	}
}

// sources is the text of all Go files.
func sources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, top := range topFolders(t) {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			source, err := os.ReadFile(path)
			all.Write(source)
			return err
		})
		check.Must(t, err)
	}
	return all.String()
}
