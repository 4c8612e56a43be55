package fn

import (
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A plan describes how a request is decoded into an In. It is made once, when a function is built, so that an unsupported type
// is an error then and not at the first request.
type plan struct {
	fields []field // fields from path, query, headers and form
	query  bool    // whether any field comes from the query
	form   bool    // whether the body is a form
	shape  *shape  // the shape of the JSON body; nil if In has no members
}

// A field is a field of In that is not a member of the JSON body.
type field struct {
	name     string
	source   string
	optional bool
	index    int
}

// sources are the tags that name the source of a field.
var sources = []string{"path", "query", "header", "form"}

// planFor reads the tags of a request type. The wildcards of the path and the path fields must be equal, except for the
// wildcards that the middleware reads.
func planFor(in reflect.Type, route string, taken ...string) (*plan, error) {
	if in.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v is not a struct", in)
	}
	p := &plan{}
	members := 0
	for i := range in.NumField() {
		f, found, err := fieldOf(in.Field(i), i)
		switch {
		case err != nil:
			return nil, err
		case found:
			p.add(f)
		default:
			members++
		}
	}
	if members > 0 {
		var err error
		if p.shape, err = shapeOf(in, nil); err != nil {
			return nil, err
		}
	}
	if p.form && p.shape != nil {
		return nil, fmt.Errorf("%v has both JSON members and form fields", in)
	}
	return p, p.checkPath(in, route, taken)
}

func fieldOf(f reflect.StructField, index int) (field, bool, error) {
	for _, source := range sources {
		tag, ok := f.Tag.Lookup(source)
		if !ok {
			continue
		}
		name, option, _ := strings.Cut(tag, ",")
		if name == "" || (option != "" && option != "optional") {
			return field{}, false, fmt.Errorf("field %s: tag %q", f.Name, tag)
		}
		target := reflect.New(f.Type).Interface()
		m, optional := target.(maybe)
		if optional {
			target = m.inner()
		}
		if !assignable(target) {
			return field{}, false, fmt.Errorf("field %s: type %v is not supported for source %s", f.Name, f.Type, source)
		}
		return field{name: name, source: source, optional: optional || option != "", index: index}, true, nil
	}
	if _, tagged := f.Tag.Lookup("json"); !tagged {
		return field{}, false, fmt.Errorf("field %s has no source tag", f.Name)
	}
	return field{}, false, nil
}

func (p *plan) add(f field) {
	p.fields = append(p.fields, f)
	p.query = p.query || f.source == "query"
	p.form = p.form || f.source == "form"
}

var wildcard = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{(\w+)(?:\.\.\.)?\}`)
})

func (p *plan) checkPath(in reflect.Type, route string, taken []string) error {
	var want []string
	have := slices.Clone(taken)
	for _, m := range wildcard().FindAllStringSubmatch(route, -1) {
		want = append(want, m[1])
	}
	for _, f := range p.fields {
		if f.source == "path" {
			have = append(have, f.name)
		}
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(want, have) {
		return fmt.Errorf("%v has path fields %v, but the route has %v", in, have, want)
	}
	return nil
}

// takesBody reports whether requests of the method may have a body.
func takesBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}
