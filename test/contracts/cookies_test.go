package contracts

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// cookieNames returns the values of the constants in a folder whose names end with cookie or cookieName.
func cookieNames(t *testing.T, folder string) (names []string) {
	t.Helper()
	files := check.Got(filepath.Glob(filepath.Join(root, folder, "*.go"))).Must(t)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed := check.Got(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)).Must(t)
		ast.Inspect(parsed, func(n ast.Node) bool {
			value, ok := n.(*ast.ValueSpec)
			if !ok || len(value.Names) != 1 || len(value.Values) != 1 {
				return true
			}
			name := strings.ToLower(value.Names[0].Name)
			text, ok := value.Values[0].(*ast.BasicLit)
			if ok && text.Kind == token.STRING && (strings.HasSuffix(name, "cookie") || strings.HasSuffix(name, "cookiename")) {
				cookie := check.Got(strconv.Unquote(text.Value)).Must(t)
				names = append(names, cookie)
			}
			return true
		})
	}
	slices.Sort(names)
	return names
}

// TestOpenAPIDocuments_cookies compares the cookies of the security schemes with those that the services set. The description of the
// API must name them too.
func TestOpenAPIDocuments_cookies(t *testing.T) {
	t.Parallel()
	for _, service := range []string{"consumer", "tenantbooking"} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			root := load(t, service).Root
			schemes, _ := openapitest.Member(openapitest.Member(root, "components"), "securitySchemes").(map[string]any)
			var documented []string
			for _, scheme := range schemes {
				if openapitest.Member(scheme, "in") == "cookie" {
					name, _ := openapitest.Member(scheme, "name").(string)
					documented = append(documented, name)
				}
			}
			slices.Sort(documented)
			want := cookieNames(t, filepath.Join("functions", service, "internal", "session"))
			if len(want) == 0 || !slices.Equal(documented, want) {
				t.Errorf("the document has the cookies %q, the service sets %q", documented, want)
			}
			text, _ := openapitest.Member(openapitest.Member(root, "info"), "description").(string)
			for _, name := range want {
				check.Contains(t, text, "`"+name+"`")
			}
		})
	}
}

// TestOpenAPIDocuments_headings looks for headings in the description of each API: tools show them as its contents.
func TestOpenAPIDocuments_headings(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, d document) {
		text, _ := openapitest.Member(openapitest.Member(d.Root, "info"), "description").(string)
		if n := strings.Count("\n"+text, "\n## "); n < 2 {
			t.Errorf("the description has %d headings, want two or more", n)
		}
		check.Contains(t, "\n"+text, "\n## Errors\n")
	})
}
