package architecture

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// An index holds all that a document or a comment may refer to.
type index struct {
	paths     map[string]bool     // files and folders from the root, and each of their ends
	tops      []string            // folders at the root
	names     map[string]bool     // package.Name, Type.Member, and tests
	local     map[string]bool     // folder.Name and folder.Type.Member
	packages  map[string]bool     // names of packages
	documents map[string]string   // Markdown by path
	headings  map[string][]string // by the base name of a document
	others    map[string]string   // schemas, migrations, Terraform and scripts by path
	comments  []comment           // of Go files
	texts     []string            // these and the Go files: what reads settings
}

// A comment is a group of comment lines of a Go file.
type comment struct{ folder, at, text string }

var (
	snippet      = regexp.MustCompile("`([^`\n]+)`")
	fence        = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	markdownLink = regexp.MustCompile(`\]\(([^)#\s]*)(#[^)]+)?\)`)
	docLink      = regexp.MustCompile(`\[((?:[a-z]\w*\.)?[A-Z]\w*(?:\.\w+)?)\]`)
	placeholder  = regexp.MustCompile(`<[^<>]+>`)
	choice       = regexp.MustCompile(`^(.*?)\{([^{}]+)\}(.*)$`)
	pathWord     = regexp.MustCompile(`^[\w.<>{},*-]+(?:/[\w.<>{},*-]+)+/?$`)
	fileWord     = regexp.MustCompile(`^[\w-]+\.(?:go|md|sql|tf|yaml|json)$`)
	qualified    = regexp.MustCompile(`^([A-Za-z]\w*)\.([A-Za-z]\w*)(?:\.\w+)?(?:\(\))?$`)
	testWord     = regexp.MustCompile(`\b(?:Test|Benchmark)[A-Z]\w*_\w+`)
	settingWord  = regexp.MustCompile(`^([A-Z][A-Z0-9]+_[A-Z0-9_]+)\*?(?:=.*)?$`)
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
	quotedTitle  = regexp.MustCompile(`(\w+\.md)[,:]? "([^"]+)"`)
	madeFile     = regexp.MustCompile("(?m)^\\*\\*`([^`]+)`\\*\\*(?::|$)")
	absentPaper  = regexp.MustCompile(`\b(?:DESIGN|CONTRACT|STYLE|FACTS)(?: \d|\.md\b)|\bseeds?(?:[,:] d| \(?\d)|\b(?:model|schemas), (?:section )?\d`)
	citation     = regexp.MustCompile(`\b[Dd]ecisions? (\d+(?:(?:, | and )\d+)*)`)
	member       = regexp.MustCompile(`\.[A-Z]\w*$`) // of a package whose path is given
	number       = regexp.MustCompile(`\d+`)
)

// external are words with a slash that are not paths of this tree.
var external = regexp.MustCompile(`^(?:application|text|image|projects|roles|github\.com|log|net|encoding|hot|rate|bff|api|` +
	`user|origin|google|go-jose|node_modules|santhosh-tekuri|hashicorp|nyaruka|uber|golang\.org|cloudsql)/`)

// elsewhere are words that look like a file or a setting of this tree.
var elsewhere = map[string]string{
	"SERVICE_DISABLED": "an error of Google",
	"QUOTA_EXCEEDED":   "an error of Google",
	"bundles.json":     "scripts/bundle writes it",
}

// readIndex reads the tree.
func readIndex(t *testing.T) index {
	t.Helper()
	w := index{paths: map[string]bool{}, names: map[string]bool{}, local: map[string]bool{}, packages: map[string]bool{},
		documents: documents(t), headings: map[string][]string{}, others: map[string]string{}}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, at)
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() && (name == ".git" || name == ".local" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if name = filepath.ToSlash(name); d.IsDir() && !strings.Contains(name, "/") && !strings.HasPrefix(name, ".") {
			w.tops = append(w.tops, name)
		}
		w.add(name)
		return w.read(at, name, d)
	})
	check.Must(t, err)
	for name, text := range w.documents {
		w.headings[path.Base(name)] = append(w.headings[path.Base(name)], titles(text)...)
	}
	for _, m := range madeFile.FindAllStringSubmatch(w.documents["CONTRIBUTING.md"], -1) {
		w.add(m[1]) // the guide makes it
		w.add(path.Dir(m[1]))
	}
	set, files := parseAll(t)
	for at, file := range files {
		folder := filepath.ToSlash(filepath.Dir(at))
		w.declare(folder, file)
		for _, group := range file.Comments {
			var text strings.Builder
			for _, c := range group.List {
				text.WriteString(c.Text + "\n")
			}
			w.comments = append(w.comments, comment{folder, set.Position(group.Pos()).String(), text.String()})
		}
	}
	return w
}

// read keeps the text of a file that may read a setting or cite a decision.
func (w *index) read(at, name string, d fs.DirEntry) error {
	if !d.Type().IsRegular() || !slices.Contains([]string{".go", ".tf", ".sql", ".yaml", ".mjs", ".ts", ""}, path.Ext(name)) {
		return nil
	}
	text, err := os.ReadFile(at)
	if err != nil {
		return err
	}
	if path.Ext(name) != ".go" {
		w.others[name] = string(text)
	}
	w.texts = append(w.texts, string(text))
	return nil
}

// add makes a path known by each of its ends, so that a text can say event/attribution.
func (w *index) add(name string) {
	for end, more := name, true; more; _, end, more = strings.Cut(end, "/") {
		w.paths[end] = true
	}
}

func (w *index) declare(folder string, file *ast.File) {
	pkg := strings.TrimSuffix(file.Name.Name, "_test")
	w.packages[pkg] = true
	add := func(parts ...string) {
		w.local[folder+"."+strings.Join(parts, ".")] = true
		if len(parts) == 1 {
			w.names[parts[0]] = true
		} else {
			w.names[strings.Join(parts, ".")] = true
		}
		w.names[pkg+"."+strings.Join(parts, ".")] = true
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name.Name)
				continue
			}
			w.names[pkg+"."+d.Name.Name] = true // a text may name a method by its package: env.Now
			ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
				if name, ok := n.(*ast.Ident); ok {
					add(name.Name, d.Name.Name)
				}
				return true
			})
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, name := range s.Names {
						add(name.Name)
					}
				case *ast.TypeSpec:
					add(s.Name.Name)
					ast.Inspect(s.Type, func(n ast.Node) bool {
						if field, ok := n.(*ast.Field); ok {
							for _, name := range field.Names {
								add(s.Name.Name, name.Name)
							}
						}
						return true
					})
				}
			}
		}
	}
}

func titles(text string) (all []string) {
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		all = append(all, m[1])
	}
	return all
}

// has reports whether a path leads somewhere. A placeholder (<service>) and * stand for any name, {a,b} for each of them.
func (w *index) has(name string) bool {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	if m := choice.FindStringSubmatch(name); m != nil {
		return !slices.ContainsFunc(strings.Split(m[2], ","), func(s string) bool { return !w.has(m[1] + s + m[3]) })
	}
	pattern := placeholder.ReplaceAllString(name, "*")
	if !strings.Contains(pattern, "*") {
		return w.paths[name]
	}
	for known := range w.paths {
		if ok, err := path.Match(pattern, known); err == nil && ok {
			return true
		}
	}
	return false
}

// faults returns the false references of a document.
func (w *index) faults(name, text string) (all []string) {
	report := func(word, why string) { all = append(all, fmt.Sprintf("%s: %s %s", name, word, why)) }
	text = fence.ReplaceAllString(text, "")
	for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
		to := name
		if m[1] != "" {
			to = path.Join(path.Dir(name), m[1])
		}
		switch {
		case strings.Contains(m[1], "://"), strings.HasPrefix(m[1], "mailto:"):
		case !w.paths[to] && to != ".":
			report(m[1], "is not there")
		case m[2] != "" && !slices.ContainsFunc(w.headings[path.Base(to)], func(title string) bool { return anchor(title) == m[2] }):
			report(m[1]+m[2], "is no heading")
		}
	}
	for _, m := range snippet.FindAllStringSubmatch(text, -1) {
		for word := range strings.FieldsSeq(m[1]) {
			word = strings.TrimRight(strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/..."), ".,;:")
			if why := w.wordFault(word); why != "" {
				report(word, why)
			}
		}
	}
	return append(all, w.textFaults(name, text)...)
}

// wordFault returns why a word of code refers to nothing, or "".
func (w *index) wordFault(word string) string {
	m := qualified.FindStringSubmatch(word)
	switch {
	case elsewhere[word] != "", external.MatchString(word), strings.HasPrefix(word, "."):
		return ""
	case pathWord.MatchString(word) && strings.ToLower(word) == word && !w.has(word):
		return "is not there"
	case fileWord.MatchString(word):
		if !w.has(word) {
			return "is not there"
		}
	case m != nil && (w.packages[m[1]] && ast.IsExported(m[2]) || ast.IsExported(m[1]) && w.names[m[1]]) && !w.names[m[1]+"."+m[2]]:
		return "is not declared"
	}
	if m := settingWord.FindStringSubmatch(word); m != nil && !slices.ContainsFunc(w.texts, func(text string) bool { return strings.Contains(text, m[1]) }) {
		return "is read by no code"
	}
	return ""
}

// textFaults returns the false references of prose, in a document or a comment.
func (w *index) textFaults(name, text string) (all []string) {
	for _, word := range testWord.FindAllString(text, -1) {
		if !w.names[word] {
			all = append(all, name+": "+word+" is no test")
		}
	}
	for _, m := range quotedTitle.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(w.headings[m[1]], m[2]) {
			all = append(all, name+": "+m[1]+" has no heading "+m[2])
		}
	}
	if paper := absentPaper.FindString(text); paper != "" {
		all = append(all, name+": "+paper+": the paper is not in this tree")
	}
	for _, n := range cited(text) {
		if !strings.Contains(w.documents["DECISIONS.md"], "\n### "+n+". ") {
			all = append(all, name+": decision "+n+" has no record")
		}
	}
	return all
}

// commentFaults returns the false references of a comment.
func (w *index) commentFaults(c comment) []string {
	all := w.textFaults(c.at, strings.ReplaceAll(c.text, "\n// ", " "))
	for word := range strings.FieldsSeq(c.text) {
		word = strings.TrimRight(strings.TrimSuffix(strings.TrimLeft(word, "(\"`"), "/..."), ".,;:)\"`'s")
		word = member.ReplaceAllString(word, "")
		top, _, deeper := strings.Cut(word, "/")
		if deeper && slices.Contains(w.tops, top) && pathWord.MatchString(word) && !w.has(word) && !w.has(word+"s") {
			all = append(all, c.at+": "+word+" is not there")
		}
	}
	for _, m := range docLink.FindAllStringSubmatch(c.text, -1) {
		pkg, _, _ := strings.Cut(m[1], ".")
		if !w.local[c.folder+"."+m[1]] && !w.names[m[1]] && (ast.IsExported(pkg) || w.packages[pkg]) {
			all = append(all, c.at+": ["+m[1]+"] is not declared")
		}
	}
	return all
}

// anchor returns the anchor that Markdown derives from a title.
func anchor(title string) string {
	return "#" + strings.ReplaceAll(regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

// cited returns the numbers of the decisions that a text cites.
func cited(text string) (all []string) {
	for _, m := range citation.FindAllStringSubmatch(text, -1) {
		all = append(all, number.FindAllString(m[1], -1)...)
	}
	return all
}

// TestReferences wants each path, package, heading, name of the code, test, setting and decision that a document or a comment
// names to exist, and rejects the names of papers that are not in this tree. It also plants false references and wants them
// found.
func TestReferences(t *testing.T) {
	t.Parallel()
	w := readIndex(t)
	t.Run("documents", func(t *testing.T) {
		for name, text := range w.documents {
			for _, fault := range w.faults(name, text) {
				t.Error(fault)
			}
		}
		for name, text := range w.others {
			for _, fault := range w.textFaults(name, text) {
				t.Error(fault)
			}
		}
	})
	t.Run("comments", func(t *testing.T) {
		for _, c := range w.comments {
			for _, fault := range w.commentFaults(c) {
				t.Error(fault)
			}
		}
	})
	for _, test := range []struct {
		name, text string
		comment    bool
	}{
		{name: "path", text: "See `shared/platform/gone`."},
		{name: "package", text: "The driver `document/pg` is gone."},
		{name: "alternative", text: "The drivers `document/{firestore,pg}`."},
		{name: "file", text: "See `gone.go`."},
		{name: "link", text: "See [it](terraform/GONE.md)."},
		{name: "anchor", text: "See [it](ARCHITECTURE.md#gone)."},
		{name: "heading", text: `See ARCHITECTURE.md, "Packages".`},
		{name: "identifier", text: "`inbox.Twice` does it."},
		{name: "member", text: "`Reservation.postTwice` does it."},
		{name: "test", text: "`TestSave_neverWritten` holds it."},
		{name: "setting", text: "`NEVER" + "_READ` sets it."},
		{name: "paper", text: "As in DESIGN 9.31."},
		{name: "numbered_paper", text: "As the seed (3.5) says."},
		{name: "section", text: "See the domain model, section 2."},
		{name: "decision", text: "By decisions 3 and 9999."},
		{name: "comment_path", text: "// See schemas/http/gone.yaml.", comment: true},
		{name: "comment_identifier", text: "// [inbox.Twice] does it.", comment: true},
		{name: "comment_local_identifier", text: "// [Twice] does it.", comment: true},
		{name: "comment_paper", text: "// As in CONTRACT 4.1.", comment: true},
		{name: "comment_wrapped_paper", text: "// As in the data model, section\n// 4.", comment: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := w.faults("README.md", test.text)
			if test.comment {
				found = w.commentFaults(comment{folder: "../../shared/platform/inbox", at: "inbox.go", text: test.text})
			}
			check.Equal(t, len(found), 1, "faults")
		})
	}
}
