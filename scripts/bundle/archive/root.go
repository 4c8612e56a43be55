package archive

import (
	"bytes"
	"fmt"
	"go/format"
	"path"
	"slices"
	"strings"
	"text/template"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Hot is the driver of hot documents of the deployed functions.
type Hot string

// The drivers. Firestore is the default; Redis has lower latency.
const (
	Firestore Hot = "firestore"
	Redis     Hot = "redis"
	Embedded  Hot = "pg"
)

// Hots lists all drivers, the default first.
var Hots = []Hot{Firestore, Redis, Embedded}

// A driver is the generated code for one entry of Spec.Uses.
type driver struct {
	imports []string
	give    string // the expression that adds the driver to the Env e
}

func hot(h Hot) driver {
	return driver{
		[]string{module + "/shared/platform/document", module + "/shared/platform/document/" + string(h)},
		fmt.Sprintf("document.StoreKey.With(e, %s.Open(e))", h),
	}
}

var (
	database = driver{
		[]string{module + "/shared/platform/postgres", module + "/shared/platform/postgres/cloudsql"},
		"postgres.DialerKey.With(e, cloudsql.Dial)",
	}
	publisher = driver{
		[]string{module + "/shared/platform/topic", module + "/shared/platform/topic/pubsub"},
		"topic.PublisherKey.With(e, pubsub.Open(e))",
	}
	tokens = driver{
		[]string{module + "/shared/platform/identity", module + "/shared/platform/identity/google"},
		"identity.SourceKey.With(e, google.Open(e))",
	}
)

// drivers returns the drivers that the function's Spec lists. An event function also needs a publisher, for its dead
// letters.
func drivers(s fn.Spec, h Hot) (needed []driver) {
	if slices.Contains(s.Uses, fn.Postgres) {
		needed = append(needed, database)
	}
	if slices.Contains(s.Uses, fn.Documents) {
		needed = append(needed, hot(h))
	}
	if len(s.Publishes) > 0 || s.Subject != "" {
		needed = append(needed, publisher)
	}
	if slices.ContainsFunc(s.Uses, func(u fn.Use) bool { return strings.HasPrefix(string(u), "upstream:") }) {
		needed = append(needed, tokens)
	}
	return needed
}

// rootFile is the name of the generated file, the only Go file at the root.
const rootFile = "function.go"

// root is the template of the root package. The builder's program imports it, and its init registers the function under
// its name.
var root = template.Must(template.New(rootFile).Parse(`// Package function is {{.Name}} as it is deployed.
package function

import (
	"{{.Framework}}/functions"

{{range .Imports}}	"{{.}}"
{{end}})

func init() {
	functions.HTTP("{{.Name}}", version.Ready("{{.Name}}", process.Start({{.Package}}.Function, func(e env.Env) env.Env {
{{range .Gives}}		e = {{.}}
{{end}}		return e
	})))
}
`))

// rootOf generates the root package of the function in the package verb, and returns its source and imports.
func rootOf(s fn.Spec, verb string, h Hot) (source []byte, imports []string, err error) {
	imports = []string{verb, module + "/shared/platform/env", module + "/shared/platform/fn/process", module + "/jobs/command/version"}
	var gives []string
	for _, d := range drivers(s, h) {
		imports = append(imports, d.imports...)
		gives = append(gives, d.give)
	}
	slices.Sort(imports)
	imports = slices.Compact(imports)
	var b bytes.Buffer
	err = root.Execute(&b, map[string]any{
		"Name": s.Name, "Framework": framework, "Imports": imports, "Package": path.Base(verb), "Gives": gives,
	})
	if err != nil {
		return nil, nil, err
	}
	source, err = format.Source(b.Bytes())
	return source, append(imports, framework+"/functions", framework+"/funcframework"), err
}
