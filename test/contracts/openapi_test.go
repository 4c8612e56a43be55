// Package contracts holds what we publish about our borders against what we do there.
package contracts

import (
	"fmt"
	"reflect"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// A document is one OpenAPI file.
type document struct {
	*openapitest.Document
	t *testing.T
}

func load(t *testing.T, service string) document {
	t.Helper()
	return document{check.Got(openapitest.Open(service, false)).Must(t), t}
}

// body is where an operation's JSON body is described, or "".
func (d document) body(f fn.Function, keys ...string) string {
	value, pointer := d.At(openapitest.Operation(f.Spec.Route), append(keys, "content", "application/json", "schema")...)
	if value == nil {
		return ""
	}
	return pointer
}

func routes() (all []fn.Function) {
	for _, f := range melmastoon.Functions {
		if f.Spec.Route != "" {
			all = append(all, f)
		}
	}
	return all
}

func TestOpenAPI_types(t *testing.T) {
	t.Parallel()
	compared, loaded := 0, map[string]document{}
	for _, f := range routes() {
		d, ok := loaded[f.Spec.Service()]
		if !ok {
			d = load(t, f.Spec.Service())
			loaded[f.Spec.Service()] = d
		}
		for side, typ := range map[string]reflect.Type{d.body(f, "requestBody"): f.In, d.success(f): f.Out} {
			t.Run(f.Spec.Name+" "+side, func(t *testing.T) {
				if side == "" || typ.Kind() != reflect.Struct || typ == reflect.TypeFor[fn.Page]() || typ == reflect.TypeFor[fn.JSON]() {
					return
				}
				compared++
				for _, wrong := range d.compare(side, typ) {
					t.Error(wrong)
				}
			})
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// success is where the body of the usual answer is described.
func (d document) success(f fn.Function) string {
	for _, status := range []string{"200", "201", "202"} {
		if pointer := d.body(f, "responses", status); pointer != "" {
			return pointer
		}
	}
	return ""
}

// TestOpenAPI_examples checks every example in every document against the schema beside it.
func TestOpenAPI_examples(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(t *testing.T, d document) {
		if checked := d.examples(d.Root, ""); checked == 0 {
			t.Error("no example was checked")
		}
	})
}

// examples walks the document and returns how many examples it has checked.
func (d document) examples(value any, pointer string) (checked int) {
	d.t.Helper()
	switch v := value.(type) {
	case map[string]any:
		if v["schema"] != nil && (v["examples"] != nil || v["example"] != nil) {
			checked += d.check(v, pointer)
		}
		for key, child := range v {
			checked += d.examples(child, pointer+"/"+openapitest.Escape(key))
		}
	case []any:
		for i, child := range v {
			checked += d.examples(child, fmt.Sprint(pointer, "/", i))
		}
	}
	return checked
}

func (d document) check(media map[string]any, pointer string) (checked int) {
	d.t.Helper()
	named, _ := media["examples"].(map[string]any)
	values := map[string]any{"example": media["example"]}
	for name := range named {
		values[name], _ = d.At(pointer, "examples", name, "value")
	}
	for name, value := range values {
		if value == nil {
			continue
		}
		checked++
		check.NoError(d.t, d.Validate(pointer+"/schema", value), "%s: example %s", pointer, name)
	}
	return checked
}
