package fn

import (
	"encoding"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/fault"
)

// A shape describes the structure of a JSON value: which members it may and must have. A nil shape has no members: at the top it
// accepts only an empty object.
type shape struct {
	members map[string]*shape // of an object with known members
	must    []string          // names of the required members, in the type's order
	items   *shape            // of each element or value; nil if any value is accepted
	open    bool              // any value is accepted
	null    bool              // null is accepted
}

// shapeOf derives the shape of a type as the JSON package encodes it. A type with its own decoder is a leaf.
func shapeOf(t reflect.Type, above []reflect.Type) (*shape, error) {
	if slices.Contains(above, t) {
		return &shape{open: true}, nil // recursive: the JSON package checks the rest
	}
	above = append(above, t)
	if m, ok := reflect.TypeAssert[maybe](reflect.New(t)); ok {
		return shapeOf(reflect.TypeOf(m.inner()).Elem(), above)
	}
	if t.Kind() == reflect.Pointer {
		s, err := shapeOf(t.Elem(), above)
		if err != nil {
			return nil, err
		}
		nullable := *s
		nullable.null = true
		return &nullable, nil
	}
	switch {
	case readsItself(t):
		return &shape{open: true, null: t == reflect.TypeFor[jsontext.Value]()}, nil
	case t.Kind() == reflect.Struct:
		s := &shape{members: map[string]*shape{}}
		return s, s.include(t, above)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return &shape{open: true}, nil // base64
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array, t.Kind() == reflect.Map:
		items, err := shapeOf(t.Elem(), above)
		return &shape{items: items}, err
	}
	return &shape{open: true}, nil
}

func readsItself(t reflect.Type) bool {
	switch reflect.New(t).Interface().(type) {
	case encoding.TextUnmarshaler, json.Unmarshaler, json.UnmarshalerFrom:
		return true
	}
	return false
}

// include adds the members of a struct and of its embedded structs. Fields from other sources are not members, so a body cannot
// set a path field: a body with an unknown member never reaches the decoder.
func (s *shape) include(t reflect.Type, above []reflect.Type) error {
	for f := range t.Fields() {
		tag, tagged := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		if f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct {
			if err := s.include(f.Type, above); err != nil {
				return err
			}
			continue
		}
		if name == "-" || !f.IsExported() || (!tagged && sourced(f)) {
			continue
		}
		if name == "" {
			name = f.Name
		}
		inner, err := shapeOf(f.Type, above)
		if err != nil {
			return err
		}
		s.members[name] = inner
		if _, optional := reflect.TypeAssert[maybe](reflect.New(f.Type)); !optional && !strings.Contains(options, "omit") {
			s.must = append(s.must, name)
		}
	}
	return nil
}

// sourced reports whether a field does not come from the JSON body.
func sourced(f reflect.StructField) bool {
	return slices.ContainsFunc(sources, func(source string) bool {
		_, ok := f.Tag.Lookup(source)
		return ok
	})
}

// check returns an error with all missing, unknown and null members of body, or an error if body is not a single strict JSON
// value. The JSON package checks the types of scalars later.
func (s *shape) check(body []byte) error {
	if s == nil {
		s = &shape{}
	}
	var tree any
	if err := json.Unmarshal(body, &tree); err != nil { // it rejects duplicate members and invalid UTF-8
		return malformed(err)
	}
	var c comparison
	c.value(tree, s, "", 0)
	switch {
	case c.tooDeep:
		return malformed(errTooDeep)
	case c.violations != nil:
		return fault.ErrValidation.With(c.violations...)
	}
	return nil
}
