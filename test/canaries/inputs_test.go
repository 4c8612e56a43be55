package canaries

import (
	"encoding"
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/test/system"
)

// inputs are all places of a route where text can be typed, as "GET /path query name".
func inputs(a *canarySet, f fn.Function) (found []string) {
	if f.Spec.Route != "" {
		found = slices.Sorted(maps.Keys(texts(a, f)))
	}
	return found
}

// inner is the type in a Maybe, behind a pointer or in a list.
func inner(t reflect.Type) reflect.Type {
	switch {
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice:
		return inner(t.Elem())
	case t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Maybe["):
		return inner(t.Field(0).Type)
	}
	return t
}

// takesText reports whether a value accepts free text.
func takesText(a *canarySet, t reflect.Type) bool {
	if t.Kind() != reflect.String {
		return false
	}
	u, reads := reflect.TypeAssert[encoding.TextUnmarshaler](reflect.New(t))
	return !reads || slices.ContainsFunc([]string{a.mark, "nobody@example.com", "+93 70 000 0000", "4111111111111111"}, func(text string) bool {
		return u.UnmarshalText([]byte(text)) == nil
	})
}

// members calls found with each text of a JSON body and its type.
func members(a *canarySet, at string, t reflect.Type, depth int, found func(at string, in reflect.Type)) {
	if _, itself := reflect.TypeAssert[encoding.TextUnmarshaler](reflect.New(t)); itself || t.Kind() != reflect.Struct || depth > 6 {
		return
	}
	for f := range t.Fields() {
		tag, tagged := f.Tag.Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		if f.Anonymous && !tagged {
			members(a, at, f.Type, depth, found)
			continue
		}
		if !tagged || name == "-" || !f.IsExported() {
			continue
		}
		in := inner(f.Type)
		if takesText(a, in) {
			found(at+" "+name, in)
		}
		members(a, at+" "+name, in, depth+1, found)
	}
}

// recordInputs notes which inputs of a route a request has canaries in.
func recordInputs(a *canarySet, route string, r system.Request, into map[string]bool) {
	note := func(where string, text string) {
		if len(a.find([]byte(text))) > 0 {
			into[where] = true
		}
	}
	if _, query, ok := strings.Cut(r.Path, "?"); ok {
		values, _ := url.ParseQuery(query) // what cannot be read has not been typed
		for name := range values {
			note(route+" query "+name, values.Get(name))
		}
	}
	note(route+" header Idempotency-Key", r.Key)
	for name, text := range r.Header {
		note(route+" header "+name, text)
	}
	switch body := r.Body.(type) {
	case nil:
	case string:
		values, _ := url.ParseQuery(body) // as above
		for name := range values {
			note(route+" form "+name, values.Get(name))
		}
	default:
		text, _ := json.Marshal(body) // it is sent right after
		var tree any
		_ = json.Unmarshal(text, &tree)
		walk(route+" json", tree, note)
	}
}

func walk(at string, tree any, note func(where, text string)) {
	switch v := tree.(type) {
	case map[string]any:
		for name, value := range v {
			walk(at+" "+name, value, note)
		}
	case []any:
		for _, value := range v {
			walk(at, value, note)
		}
	case string:
		note(at, v)
	}
}
