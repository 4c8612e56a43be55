// Package contracts holds what we publish about our borders against what we do there.
package contracts

import (
	"bytes"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/shared/fn"
)

// A document is one OpenAPI file, as plain values and as a resource that schemas can be compiled from.
type document struct {
	t        *testing.T
	url      string
	root     map[string]any
	compiler *jsonschema.Compiler
}

func load(t *testing.T, service string) *document {
	t.Helper()
	text, err := schemas.HTTP.ReadFile("http/" + service + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	d := &document{t, "https://openapi/" + service, value.(map[string]any), jsonschema.NewCompiler()}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(d.url, value); err != nil {
		t.Fatal(err)
	}
	return d
}

// at follows keys, and $ref wherever it meets one, and returns the value with the pointer that leads to it.
func (d *document) at(pointer string, keys ...string) (any, string) {
	value := any(d.root)
	for _, key := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		value = member(value, unescape(key))
	}
	for _, key := range keys {
		value, pointer = d.resolve(value, pointer)
		value, pointer = member(value, key), pointer+"/"+escape(key)
	}
	return d.resolve(value, pointer)
}

func (d *document) resolve(value any, pointer string) (any, string) {
	if ref, ok := member(value, "$ref").(string); ok {
		return d.at(strings.TrimPrefix(ref, "#"))
	}
	return value, pointer
}

func member(value any, key string) any {
	m, _ := value.(map[string]any)
	return m[key]
}

func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

func unescape(key string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
}

// members are the property names of a schema, those it takes on from allOf included.
func (d *document) members(pointer string) []string {
	schema, pointer := d.at(pointer)
	var names []string
	properties, _ := member(schema, "properties").(map[string]any)
	for name := range properties {
		names = append(names, name)
	}
	parts, _ := member(schema, "allOf").([]any)
	for _, part := range parts {
		if ref, ok := member(part, "$ref").(string); ok {
			names = append(names, d.members(strings.TrimPrefix(ref, "#"))...)
			continue
		}
		properties, _ := member(part, "properties").(map[string]any)
		for name := range properties {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// body is where an operation's JSON body is described, or "".
func (d *document) body(f fn.Function, keys ...string) string {
	method, path, _ := strings.Cut(f.Spec.Route, " ")
	operation := "/paths/" + escape(path) + "/" + strings.ToLower(method)
	value, pointer := d.at(operation, append(keys, "content", "application/json", "schema")...)
	if value == nil {
		return ""
	}
	return pointer
}

// fields are the JSON members of a Go struct, embedded structs flattened as encoders do.
func fields(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		switch {
		case name == "-":
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct:
			names = append(names, fields(f.Type)...)
		case tagged:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func routes() (all []fn.Function) {
	for _, f := range melmastoon.Functions {
		if f.Spec.Route != "" {
			all = append(all, f)
		}
	}
	return all
}

func TestOpenAPIDescribesTheTypes(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, f := range routes() {
		d := load(t, f.Spec.Service())
		for side, typ := range map[string]reflect.Type{d.body(f, "requestBody"): f.In, d.success(f): f.Out} {
			if side == "" || typ.Kind() != reflect.Struct || typ == reflect.TypeFor[fn.Page]() || typ == reflect.TypeFor[fn.JSON]() {
				continue
			}
			compared++
			if got, want := d.members(side), fields(typ); !slices.Equal(got, want) {
				t.Errorf("%s: %s\n   OpenAPI %v\n   Go      %v", f.Spec.Name, side, got, want)
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// success is where the body of the usual answer is described.
func (d *document) success(f fn.Function) string {
	for _, status := range []string{"200", "201", "202"} {
		if pointer := d.body(f, "responses", status); pointer != "" {
			return pointer
		}
	}
	return ""
}

// TestExamplesKeepTheirSchemas checks every example in every document against the schema beside it.
func TestExamplesKeepTheirSchemas(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(schemas.HTTP, "http/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		service := strings.TrimSuffix(strings.TrimPrefix(file, "http/"), ".yaml")
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			d := load(t, service)
			if checked := d.examples(d.root, ""); checked == 0 {
				t.Error("no example was checked")
			}
		})
	}
}

// examples walks the document and returns how many examples it has checked.
func (d *document) examples(value any, pointer string) (checked int) {
	d.t.Helper()
	switch v := value.(type) {
	case map[string]any:
		if v["schema"] != nil && (v["examples"] != nil || v["example"] != nil) {
			checked += d.check(v, pointer)
		}
		for key, child := range v {
			checked += d.examples(child, pointer+"/"+escape(key))
		}
	case []any:
		for i, child := range v {
			checked += d.examples(child, fmt.Sprint(pointer, "/", i))
		}
	}
	return checked
}

func (d *document) check(media map[string]any, pointer string) (checked int) {
	d.t.Helper()
	schema, err := d.compiler.Compile(d.url + "#" + pointer + "/schema")
	if err != nil {
		d.t.Errorf("%s: %v", pointer, err)
		return 0
	}
	named, _ := media["examples"].(map[string]any)
	values := map[string]any{"example": media["example"]}
	for name, example := range named {
		values[name] = member(example, "value")
	}
	for name, value := range values {
		if value == nil {
			continue
		}
		checked++
		if err := schema.Validate(value); err != nil {
			d.t.Errorf("%s: example %s: %v", pointer, name, err)
		}
	}
	return checked
}
