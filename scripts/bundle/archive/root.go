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

// A Hot is the driver of hot documents that functions are deployed with.
type Hot string

// The drivers. Firestore is the default; Redis is for those who want its lower latency.
const (
	Firestore Hot = "firestore"
	Redis     Hot = "redis"
	Embedded  Hot = "pg"
)

// Hots are all of them, the default first.
var Hots = []Hot{Firestore, Redis, Embedded}

// A driver is what a generated root gives a function that has a need.
type driver struct {
	imports []string
	give    string // makes another Env from e
}

func hot(h Hot) driver {
	return driver{
		[]string{module + "/shared/platform/document", module + "/shared/platform/document/" + string(h)},
		fmt.Sprintf("env.Give[document.Store](e, %s.Open(e))", h),
	}
}

var (
	database = driver{
		[]string{module + "/shared/platform/postgres", module + "/shared/platform/postgres/cloudsql"},
		"env.Give(e, postgres.Dialer(cloudsql.Dial))",
	}
	publisher = driver{
		[]string{module + "/shared/platform/topic", module + "/shared/platform/topic/pubsub"},
		"env.Give[topic.Publisher](e, pubsub.Open(e))",
	}
	tokens = driver{
		[]string{module + "/shared/platform/identity", module + "/shared/platform/identity/google"},
		"env.Give[identity.Source](e, google.Open(e))",
	}
)

// drivers are what the function's Spec says it needs. An event function needs a publisher too: it parks what can never
// succeed.
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

// rootFile is the name of the generated file. It is alone at the root, as the builder wants it.
const rootFile = "function.go"

// root is the package that the builder's program imports: it registers one function under its name. It is the one place
// where importing a package does something.
var root = template.Must(template.New(rootFile).Parse(`// Package function is {{.Name}} as it is deployed.
package function

import (
	"{{.Framework}}/functions"

{{range .Imports}}	"{{.}}"
{{end}})

func init() {
	functions.HTTP("{{.Name}}", process.Start({{.Package}}.Function, func(e env.Env) env.Env {
{{range .Gives}}		e = {{.}}
{{end}}		return e
	}))
}
`))

// rootOf generates a function's root and says what it imports.
func rootOf(s fn.Spec, h Hot) (source []byte, imports []string, err error) {
	verb := module + "/functions/" + strings.ReplaceAll(s.Name, "-", "/")
	imports = []string{verb, module + "/shared/platform/env", module + "/shared/platform/fn/process"}
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
