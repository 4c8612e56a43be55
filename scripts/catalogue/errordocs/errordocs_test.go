package errordocs

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const root = "../../.."

func TestText_isUpToDate(t *testing.T) {
	t.Parallel()
	want := check.Got(Text(os.DirFS(root), schemas.HTTP)).Must(t)
	got := check.Got(os.ReadFile(root + "/" + File)).Must(t)
	check.Equal(t, string(got), string(want), "%s is out of date: go run ./scripts/catalogue", File)
}

func TestPages_areUpToDate(t *testing.T) {
	t.Parallel()
	list := check.Got(Text(os.DirFS(root), schemas.HTTP)).Must(t)
	want := check.Got(Pages(list)).Must(t)
	got := check.Got(os.ReadFile(root + "/" + PagesFile)).Must(t)
	check.Equal(t, string(got), string(want), "%s is out of date: go run ./scripts/catalogue", PagesFile)
}

func TestPages(t *testing.T) {
	t.Parallel()
	text, err := Pages([]byte(`[{"code":"MELMASTOON.A.B.C","type":"https://errors.example/A.B/C","statuses":[409],"details":["1 < 2"],"operations":["x/y/doIt"]}]`))
	check.Must(t, err)
	var pages map[string]string
	check.Must(t, json.Unmarshal(text, &pages))
	for path, wanted := range map[string][]string{
		"A.B/C":      {"<h1>MELMASTOON.A.B.C</h1>", "<dd>409</dd>", "<dd>1 &lt; 2</dd>", "<code>doIt</code> of the x service", "https://errors.example/A.B/C"},
		"index.html": {`<a href="/A.B/C">MELMASTOON.A.B.C</a>`},
	} {
		check.Contains(t, pages[path], wanted...)
	}
	for _, list := range []string{"{", `[{"operations":["doIt"]}]`} {
		t.Run(list, func(t *testing.T) {
			check.Got(Pages([]byte(list))).Fails(t, "a malformed list")
		})
	}
}

// TestText_hasEveryType looks for the type of each problem that the documents show.
func TestText_hasEveryType(t *testing.T) {
	t.Parallel()
	text := check.Got(Text(os.DirFS(root), schemas.HTTP)).Must(t)
	var entries []Entry
	check.Must(t, json.Unmarshal(text, &entries))
	listed := map[string]bool{}
	for _, e := range entries {
		listed[e.Type] = true
		if len(e.Statuses) == 0 || len(e.Details) == 0 {
			t.Errorf("%s has the statuses %v and the details %v, want one of each at least", e.Code, e.Statuses, e.Details)
		}
	}
	files := check.Got(schemas.HTTP.ReadDir("http")).Must(t)
	shown := 0
	for _, file := range files {
		document := check.Got(schemas.HTTP.ReadFile("http/" + file.Name())).Must(t)
		for _, uri := range regexp.MustCompile(`https://errors\.melmastoon\.ghasi\.io/[A-Z_./]+[A-Z]`).FindAllString(string(document), -1) {
			shown++
			if !listed[uri] {
				t.Errorf("%s shows the type %s, which is not in the list", file.Name(), uri)
			}
		}
	}
	if shown == 0 {
		t.Error("the documents show no type of a problem")
	}
}

func TestText_unknownCode(t *testing.T) {
	t.Parallel()
	documents := fstest.MapFS{"http/x.yaml": {Data: []byte("paths: { /x: { get: { operationId: x, tags: [x], responses: { '409': { description: TEST.UNDECLARED } } } } }")}}
	if _, err := Text(os.DirFS(root), documents); err == nil || !strings.Contains(err.Error(), "TEST.UNDECLARED") {
		t.Errorf("Text() = %v, want an error about TEST.UNDECLARED", err)
	}
}
