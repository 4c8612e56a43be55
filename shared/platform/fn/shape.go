package fn

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A shape is what a JSON value may look like, as far as presence is concerned. A nil shape has no members: an empty
// object is all that fits it at the top.
type shape struct {
	members map[string]member // of an object whose members are known
	names   []string          // of the members, in the type's order
	items   *shape            // of each element or value; nil where anything goes
	open    bool              // anything goes
	null    bool              // null is a value
}

type member struct {
	*shape
	index    int
	required bool
}

// maxItems is how many members an object may have: presence is kept in the bits of one word.
const maxItems = 64

// shapeOf reads a type as the JSON package does. A type that reads itself is a leaf.
func shapeOf(t reflect.Type, above []reflect.Type) (*shape, error) {
	if slices.Contains(above, t) {
		return &shape{open: true}, nil // recursive: the JSON package looks after the rest
	}
	above = append(above, t)
	if m, ok := reflect.New(t).Interface().(maybe); ok {
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
		return structShape(t, above)
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
	case encoding.TextUnmarshaler, json.Unmarshaler, json.UnmarshalerFrom, *jsontext.Value:
		return true
	}
	return false
}

func structShape(t reflect.Type, above []reflect.Type) (*shape, error) {
	s := &shape{members: map[string]member{}}
	return s, s.include(t, above)
}

// include adds the members of a struct, those of embedded structs as its own. What comes from elsewhere is no member, so
// nobody can set a path field in a body: the decoder never sees a body with a member that is not included here.
func (s *shape) include(t reflect.Type, above []reflect.Type) error {
	for i := range t.NumField() {
		f := t.Field(i)
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
		_, absent := reflect.New(f.Type).Interface().(maybe)
		s.members[name] = member{shape: inner, index: len(s.names), required: !absent && !strings.Contains(options, "omit")}
		s.names = append(s.names, name)
	}
	if len(s.names) > maxItems {
		return fmt.Errorf("%v has more than %d members", t, maxItems)
	}
	return nil
}

// sourced reports whether a field comes from somewhere else than the body.
func sourced(f reflect.StructField) bool {
	return slices.ContainsFunc(sources, func(source string) bool {
		_, ok := f.Tag.Lookup(source)
		return ok
	})
}

// check reports everything that is missing, unknown or null in body, or that it is not one strict JSON value.
func (s *shape) check(body []byte) error {
	if s == nil {
		s = &shape{}
	}
	w := walk{dec: jsontext.NewDecoder(bytes.NewBuffer(body)), zeros: bytes.Contains(body, []byte(`\u0000`))}
	if err := w.value(s); err != nil {
		return malformed(err)
	}
	return w.end()
}
