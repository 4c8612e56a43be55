// Package decode turns a request into the request type of a function. The tags of a field name its source: path, query, header, form
// or json.
package decode

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// A Plan describes how a request is decoded into an In. It is made once, when a function is built, so that an unsupported type
// is an error then and not at the first request.
type Plan struct {
	in     reflect.Type
	fields []field // the fields of In from path, query, headers and form
	json   bool    // whether In has members of a JSON body
}

// A field is a field of In that is not a member of the JSON body.
type field struct {
	name     string
	source   string
	optional bool
	index    int
}

// New returns the plan for a request type. The wildcards of the path and the path fields must be equal, except for the
// wildcards that the middleware reads.
func New(in reflect.Type, route string, taken ...string) (*Plan, error) {
	if in.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v is not a struct", in)
	}
	p := &Plan{in: in}
	have, want := slices.Clone(taken), []string(nil)
	for i := range in.NumField() {
		f, err := fieldOf(in.Field(i), i)
		if err != nil {
			return nil, err
		}
		switch f.source {
		case "":
			p.json = true
			continue
		case "path":
			have = append(have, f.name)
		}
		p.fields = append(p.fields, f)
	}
	if p.json && p.Reads("form") {
		return nil, fmt.Errorf("%v has both JSON members and form fields", in)
	}
	for _, m := range wildcard.FindAllStringSubmatch(route, -1) {
		want = append(want, m[1])
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(want, have) {
		return nil, fmt.Errorf("%v has path fields %v, but the route has %v", in, have, want)
	}
	return p, nil
}

var wildcard = regexp.MustCompile(`\{(\w+)(?:\.\.\.)?\}`)

// fieldOf reads the tag of a field. A member of the JSON body has no source.
func fieldOf(f reflect.StructField, index int) (field, error) {
	source, tag := sourceOf(f)
	if source == "" {
		if _, tagged := f.Tag.Lookup("json"); !tagged {
			return field{}, fmt.Errorf("field %s has no source tag", f.Name)
		}
		return field{}, nil
	}
	name, option, _ := strings.Cut(tag, ",")
	if name == "" || (option != "" && option != "optional") {
		return field{}, fmt.Errorf("field %s: tag %q", f.Name, tag)
	}
	target := reflect.New(f.Type).Interface()
	m, optional := target.(Optional)
	if optional {
		target = m.Optional()
	}
	if errors.Is(assign(target, ""), errUnsupported) {
		return field{}, fmt.Errorf("field %s: type %v is not supported for source %s", f.Name, f.Type, source)
	}
	return field{name: name, source: source, optional: optional || option != "", index: index}, nil
}

// sourceOf returns the source of a field and its tag, or "" for a member of the JSON body.
func sourceOf(f reflect.StructField) (source, tag string) {
	for _, source := range []string{"path", "query", "header", "form"} {
		if tag, ok := f.Tag.Lookup(source); ok {
			return source, tag
		}
	}
	return "", ""
}

// Reads reports whether a field comes from the source.
func (p *Plan) Reads(source string) bool {
	return slices.ContainsFunc(p.fields, func(f field) bool { return f.source == source })
}

// Headers returns the names of the headers that fields come from.
func (p *Plan) Headers() (names []string) {
	for _, f := range p.fields {
		if f.source == "header" {
			names = append(names, f.name)
		}
	}
	return names
}

// An Optional is a type whose member or parameter may be absent. Optional marks it as given and returns a pointer to its value.
type Optional interface{ Optional() any }

// TakesBody reports whether requests of the method may have a body.
func TakesBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}
