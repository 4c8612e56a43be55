package showdocs_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"melmastoon.ghasi.io/functions/demo/sandbox/showdocs"
	"melmastoon.ghasi.io/schemas"
	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

func open(t *testing.T) *fntest.Front {
	t.Helper()
	return fntest.Open(t, env.Of(nil), showdocs.Function).As("")
}

// TestDocs_links follows every link to a page or a file, from the first page on.
func TestDocs_links(t *testing.T) {
	t.Parallel()
	f, seen := open(t), map[string]bool{}
	links := regexp.MustCompile(`(?:href|src|data-document)="(/docs[^"#]*)`)
	for waiting := []string{"/docs"}; len(waiting) > 0; waiting = waiting[1:] {
		at := waiting[0]
		if seen[at] {
			continue
		}
		seen[at] = true
		got := f.Get(at)
		got.Want(t, 200)
		check.NotEqual(t, len(got.Body), 0, "%s is empty", at)
		for _, m := range links.FindAllStringSubmatch(string(got.Body), -1) {
			waiting = append(waiting, strings.ReplaceAll(m[1], "&amp;", "&"))
		}
	}
	for name, contracts := range map[string]fs.FS{"HTTP": schemas.HTTP, "events": eventschemas.Files, "derived": schemas.Derived} {
		t.Run(name, func(t *testing.T) {
			err := fs.WalkDir(contracts, ".", func(name string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() && !seen["/docs?file="+url.QueryEscape(path.Base(name))] {
					t.Errorf("no page leads to %s", name)
				}
				return err
			})
			check.Must(t, err)
		})
	}
}

// TestDocs_errorTypes looks for the entry of each type of a problem.
func TestDocs_errorTypes(t *testing.T) {
	t.Parallel()
	text, err := schemas.Derived.ReadFile("errors.json")
	check.Must(t, err)
	var codes []struct{ Code, Type string }
	check.Must(t, json.Unmarshal(text, &codes))
	page := string(open(t).Get("/docs?page=errors").Body)
	for _, c := range codes {
		if u, err := url.Parse(c.Type); err != nil || !strings.Contains(page, `<section id="`+strings.TrimPrefix(u.Path, "/")+`">`+"\n<h2>"+c.Code) {
			t.Errorf("the page has no entry of %s", c.Type)
		}
	}
	check.NotEqual(t, len(codes), 0, "no codes are listed")
}

// TestDocs_asyncAPI compares the payloads of the bundled document with the schemas, and follows their references.
func TestDocs_asyncAPI(t *testing.T) {
	t.Parallel()
	var document map[string]any
	check.Must(t, json.Unmarshal(open(t).Get("/docs?file=asyncapi.json").Body, &document))
	names, err := fs.Glob(eventschemas.Files, "*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("event schemas: %v, %v", names, err)
	}
	for _, name := range names {
		subject := strings.TrimSuffix(path.Base(name), ".json")
		t.Run(subject, func(t *testing.T) {
			place := "#/components/messages/" + subject + "/payload/properties/payload"
			text, err := eventschemas.Files.ReadFile(name)
			check.Must(t, err)
			var want map[string]any
			check.Must(t, json.Unmarshal(bytes.ReplaceAll(text, []byte(`"#/$defs/`), []byte(`"`+place+"/$defs/")), &want))
			delete(want, "$id")
			delete(want, "$schema")
			delete(want, "examples")
			if diff := cmp.Diff(want, lookup(document, place)); diff != "" {
				t.Errorf("payload (-want +got):\n%s", diff)
			}
			for _, target := range regexp.MustCompile(`"\$ref": *"#(/\$defs/[^"]*)"`).FindAllSubmatch(text, -1) {
				check.NotEqual(t, lookup(document, place+string(target[1])), nil, "the document has nothing at %s%s", place, target[1])
			}
		})
	}
}

// lookup returns the value at a JSON pointer, or nil.
func lookup(value any, pointer string) any {
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "#/"), "/") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// The consoles whose operations need a token say where it comes from.
func TestDocs_tokens(t *testing.T) {
	t.Parallel()
	f := open(t)
	for page, want := range map[string]bool{"reservation": true, "sandbox": true, "consumer": false} {
		t.Run(page, func(t *testing.T) {
			check.Equal(t, strings.Contains(string(f.Get("/docs?page="+page).Body), "<code>.local/env</code>"), want, "the page says where a token comes from")
		})
	}
}

func TestDocs_refusals(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, at := range []string{"/docs?page=none", "/docs?file=none", "/docs?file=index.html", "/docs?page=errors&file=docs.css", "/docs?file=../schemas.go"} {
		t.Run(at, func(t *testing.T) {
			f.Get(at).Want(t, 404)
		})
	}
}

// TestDocs_packed compares a packed file as sent to clients with and without gzip.
func TestDocs_packed(t *testing.T) {
	t.Parallel()
	f := open(t)
	plain, packed := f.Get("/docs?file=swagger-ui.css"), f.Get("/docs?file=swagger-ui.css", "Accept-Encoding", "gzip, br")
	check.MustEqual(t, packed.Header.Get("Content-Encoding"), "gzip")
	unpacked, err := gzip.NewReader(bytes.NewReader(packed.Body))
	check.Must(t, err)
	text, err := io.ReadAll(unpacked)
	check.Must(t, err)
	check.Equal(t, bytes.Equal(text, plain.Body), true, "the packed file differs from the plain one")
	check.Contains(t, plain.Header.Get("Vary"), "Accept-Encoding")
}

func TestDocs_acceptEncoding(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, test := range []struct {
		name, accepted string
		packed         bool
	}{
		{name: "none", accepted: ""},
		{name: "other", accepted: "br, deflate"},
		{name: "among_others", accepted: "br;q=1.0, gzip;q=0.5", packed: true},
		{name: "upper_case", accepted: "GZIP", packed: true},
		{name: "any", accepted: "*", packed: true},
		{name: "refused", accepted: "gzip;q=0"},
		{name: "refused_with_spaces", accepted: "gzip ; q=0.000, br"},
		{name: "refused_among_any", accepted: "*;q=1, gzip;q=0"},
		{name: "any_refused", accepted: "*;q=0"},
		{name: "identity_only", accepted: "identity;q=1, *;q=0"},
		{name: "similar_name", accepted: "gzipped"},
		{name: "malformed", accepted: "gzip;q=much"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := f.Get("/docs?file=swagger-ui.css", "Accept-Encoding", test.accepted)
			if packed := got.Header.Get("Content-Encoding") == "gzip"; got.Status != 200 || packed != test.packed {
				t.Errorf("status %d, packed: %t, want 200, packed: %t", got.Status, packed, test.packed)
			}
		})
	}
}
