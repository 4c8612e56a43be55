// Package openapitest validates answers of functions against the OpenAPI documents in schemas/http.
package openapitest

import (
	"bytes"
	"fmt"
	"maps"
	"net/mail"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"melmastoon.ghasi.io/schemas"
)

// A Document is the OpenAPI document of one service, as decoded values and as a resource for the schema compiler.
type Document struct {
	Root any

	url      string
	mu       sync.Mutex // of the compiler
	compiler *jsonschema.Compiler
}

// Open reads the document of a service. If closed is true, its schemas reject members that they do not name.
func Open(service string, closed bool) (*Document, error) {
	text, err := schemas.HTTP.ReadFile("http/" + service + ".yaml")
	if err != nil {
		return nil, err
	}
	var tree any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	if closed {
		(&Document{Root: tree}).closeObjects(tree)
	}
	encoded, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
	if err != nil {
		return nil, err
	}
	d := &Document{Root: root, url: "https://openapi/" + service, compiler: jsonschema.NewCompiler()}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	d.compiler.RegisterFormat(&internationalEmail)
	return d, d.compiler.AddResource(d.url, root)
}

// internationalEmail is the format email with the characters of RFC 6531, which the services accept. Another format would be a breaking
// change of the contracts.
var internationalEmail = jsonschema.Format{Name: "email", Validate: func(v any) error {
	if s, ok := v.(string); ok {
		_, err := mail.ParseAddress(s)
		return err
	}
	return nil
}}

// closeObjects closes all object schemas: they reject members that are not described.
func (d *Document) closeObjects(value any) {
	switch v := value.(type) {
	case map[string]any:
		if parts, ok := v["allOf"].([]any); ok {
			delete(v, "allOf")
			maps.Copy(v, d.together(parts))
		}
		if v["properties"] != nil && v["type"] != nil && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			d.closeObjects(inner)
		}
	case []any:
		for _, inner := range v {
			d.closeObjects(inner)
		}
	}
}

// together merges the parts of an allOf into one object schema: closed separately, each would reject the members of the others.
func (d *Document) together(parts []any) map[string]any {
	properties, required := map[string]any{}, []any{}
	for _, part := range parts {
		part, _ = d.resolve(part, "")
		named, _ := Member(part, "properties").(map[string]any)
		maps.Copy(properties, named)
		needed, _ := Member(part, "required").([]any)
		required = append(required, needed...)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// At follows a pointer and then keys, resolving each $ref. It returns the value, or nil if it does not exist, and its
// pointer.
func (d *Document) At(pointer string, keys ...string) (any, string) {
	value := d.Root
	for key := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		value = Member(value, unescape(key))
	}
	for _, key := range keys {
		value, pointer = d.resolve(value, pointer)
		value, pointer = Member(value, key), pointer+"/"+Escape(key)
	}
	return d.resolve(value, pointer)
}

func (d *Document) resolve(value any, pointer string) (any, string) {
	if ref, ok := Member(value, "$ref").(string); ok {
		return d.At(strings.TrimPrefix(ref, "#"))
	}
	return value, pointer
}

// Operation returns the pointer to the operation of a route such as "GET /path".
func Operation(route string) string {
	method, path, _ := strings.Cut(route, " ")
	return "/paths/" + Escape(path) + "/" + strings.ToLower(method)
}

// Validate validates a JSON value against the schema at a pointer.
func (d *Document) Validate(pointer string, value any) error {
	d.mu.Lock()
	schema, err := d.compiler.Compile(d.url + "#" + pointer)
	d.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", pointer, err)
	}
	return schema.Validate(value)
}

// ValidateText validates encoded JSON against the schema at a pointer.
func (d *Document) ValidateText(pointer string, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return d.Validate(pointer, value)
}

// Member returns a member of an object, or an element of an array by its index, or nil if it does not exist.
func Member(value any, key string) any {
	if list, ok := value.([]any); ok {
		if n, err := strconv.Atoi(key); err == nil && n >= 0 && n < len(list) {
			return list[n]
		}
	}
	m, _ := value.(map[string]any)
	return m[key]
}

// Escape returns a key escaped for a JSON pointer.
func Escape(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

func unescape(key string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(key) }
