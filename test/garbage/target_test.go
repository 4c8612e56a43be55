package garbage

import (
	"encoding"
	"net/url"
	"reflect"
	"regexp"
	"strings"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// A target is a route, and a request to it that has the right form.
type target struct {
	function fn.Function
	slug     string // of the hotel that paths name
	method   string
	path     []segment
	query    []parameter
	form     []parameter
	headers  []string // names of headers that the route reads
	example  *value   // of the JSON body; nil where none is read
	methods  []string // that have a function at this path
}

type segment struct {
	text     string
	wildcard bool
}

type parameter struct {
	name, text string
	required   bool
}

var wildcard = regexp.MustCompile(`^\{(\w+)(\.\.\.)?\}$`)

// newTarget makes the target of a function. Names of hotels in paths are a real one's: behind it lies what is to be tried.
func newTarget(x *examples, f fn.Function, slug string) *target {
	method, path, _ := strings.Cut(f.Spec.Route, " ")
	t := &target{function: f, slug: slug, method: method}
	fields := map[string]string{}
	for field := range f.In.Fields() {
		t.source(x, field, fields)
	}
	for text := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		m := wildcard.FindStringSubmatch(text)
		switch {
		case m == nil:
			t.path = append(t.path, segment{text, false})
		case m[1] == "tenantSlug" || m[1] == "slug":
			t.path = append(t.path, segment{slug, true})
		default:
			t.path = append(t.path, segment{or(fields[m[1]], "abc"), true})
		}
	}
	if body := x.value(f.In, "", 0); len(body.members) > 0 && t.form == nil && method != "GET" && method != "DELETE" {
		t.example = body
	}
	return t
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// source notes a field that is not in a JSON body.
func (t *target) source(x *examples, f reflect.StructField, path map[string]string) {
	for _, from := range []string{"path", "query", "header", "form"} {
		tag, ok := f.Tag.Lookup(from)
		if !ok {
			continue
		}
		name, option, _ := strings.Cut(tag, ",")
		in, optional := inner(f.Type)
		text := x.usual(name)
		if _, reads := reflect.TypeAssert[encoding.TextUnmarshaler](reflect.New(in)); reads {
			text, _ = x.text(in, name)
		} else if in.Kind() == reflect.Int || in.Kind() == reflect.Int64 {
			text = "1"
		} else if in.Kind() == reflect.Bool {
			text = "true"
		}
		p := parameter{name, text, !optional && option == ""}
		switch from {
		case "path":
			path[name] = text
		case "query":
			t.query = append(t.query, p)
		case "form":
			t.form = append(t.form, p)
		default:
			t.headers = append(t.headers, name)
		}
	}
}

// writes reports whether the route changes something.
func (t *target) writes() bool { return t.method != "GET" && t.method != "HEAD" }

// takesBody reports whether the route reads a body of JSON, be it only to see that it is empty.
func (t *target) takesBody() bool {
	return t.form == nil && (t.method == "POST" || t.method == "PUT" || t.method == "PATCH")
}

// guarded reports whether the route wants an identity token.
func (t *target) guarded() bool { return t.function.Spec.Access != fn.Public }

// at is the path as it is written.
func (t *target) at() string {
	var b strings.Builder
	for _, s := range t.path {
		b.WriteString("/" + url.PathEscape(s.text))
	}
	return b.String()
}

func encoded(all []parameter) string {
	var parts []string
	for _, p := range all {
		parts = append(parts, url.QueryEscape(p.name)+"="+url.QueryEscape(p.text))
	}
	return strings.Join(parts, "&")
}
