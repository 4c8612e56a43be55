package contracts

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// An object is what a schema says of an object: where each member is described, which are always there, and whether there may
// be null in its place.
type object struct {
	members  map[string]string
	required []string
	null     bool
}

// object reads a schema with what it takes on from allOf, or with its one alternative to null.
func (d document) object(pointer string) object {
	schema, pointer := d.At(pointer)
	o := object{members: map[string]string{}}
	if kinds, ok := openapitest.Member(schema, "type").([]any); ok {
		o.null = slices.Contains(kinds, any("null"))
	}
	properties, _ := openapitest.Member(schema, "properties").(map[string]any)
	for name := range properties {
		o.members[name] = pointer + "/properties/" + openapitest.Escape(name)
	}
	o.required = texts(openapitest.Member(schema, "required"))
	for _, how := range []string{"allOf", "anyOf"} {
		parts, _ := openapitest.Member(schema, how).([]any)
		for n, part := range parts {
			if openapitest.Member(part, "type") == "null" {
				o.null = true
				continue
			}
			inner := d.object(pointer + "/" + how + "/" + strconv.Itoa(n))
			maps.Copy(o.members, inner.members)
			o.required, o.null = append(o.required, inner.required...), o.null || inner.null
		}
	}
	return o
}

func texts(list any) (all []string) {
	elements, _ := list.([]any)
	for _, element := range elements {
		all = append(all, fmt.Sprint(element))
	}
	return all
}

// A field is a JSON member of a Go struct.
type field struct {
	of        reflect.Type
	mayLack   bool // it is not always there
	mayBeNull bool
}

// fields are the JSON members of a Go struct, embedded structs flattened as encoders do.
func fields(t reflect.Type) map[string]field {
	found := map[string]field{}
	for f := range t.Fields() {
		tag, tagged := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case name == "-":
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct:
			maps.Copy(found, fields(f.Type))
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Pointer: // its members are there or not together
			for inner, one := range fields(f.Type.Elem()) {
				one.mayLack = true
				found[inner] = one
			}
		case tagged:
			one := field{of: f.Type, mayLack: strings.Contains(options, "omit")}
			one.mayBeNull = f.Type.Kind() == reflect.Pointer && !one.mayLack
			if isMaybe(f.Type) {
				one = field{of: f.Type.Field(0).Type, mayLack: true}
			}
			found[name] = one
		}
	}
	return found
}

func isMaybe(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Maybe[") && t.PkgPath() == reflect.TypeFor[fn.Function]().PkgPath()
}

// leaf reports whether a type is written as one thing, however it is made.
func leaf(t reflect.Type) bool {
	switch reflect.New(t).Interface().(type) {
	case encoding.TextMarshaler, encoding.TextUnmarshaler, json.MarshalerTo, json.UnmarshalerFrom:
		return true
	}
	return false
}

// compare says where a schema and a Go type differ, as deep as both go.
func (d document) compare(pointer string, t reflect.Type) (wrong []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case leaf(t):
		return nil
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		return d.inside(pointer, "items", t.Elem())
	case t.Kind() == reflect.Map:
		return d.inside(pointer, "additionalProperties", t.Elem())
	case t.Kind() != reflect.Struct:
		return nil
	}
	described, made := d.object(pointer), fields(t)
	if got, want := slices.Sorted(maps.Keys(described.members)), slices.Sorted(maps.Keys(made)); !slices.Equal(got, want) {
		return []string{fmt.Sprintf("%s\n   OpenAPI %v\n   Go      %v", pointer, got, want)}
	}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		f, at := made[name], described.members[name]
		if always := slices.Contains(described.required, name); always == f.mayLack {
			wrong = append(wrong, fmt.Sprintf("%s/%s is required: %v, and may lack: %v", pointer, name, always, f.mayLack))
		}
		if null := d.object(at).null; f.of.Kind() == reflect.Pointer && null != f.mayBeNull {
			wrong = append(wrong, fmt.Sprintf("%s/%s is described as null: %v, and may be: %v", pointer, name, null, f.mayBeNull))
		}
		wrong = append(wrong, d.compare(at, f.of)...)
	}
	return wrong
}

// inside compares what a list or a map is made of. Of scalars nothing need be said.
func (d document) inside(pointer, key string, t reflect.Type) []string {
	_, at := d.At(pointer)
	if inner, _ := d.At(at, key); inner != nil {
		return d.compare(at+"/"+key, t)
	}
	if leaf(t) || t.Kind() != reflect.Struct {
		return nil
	}
	return []string{pointer + " does not say what is in it"}
}
