package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/freetext"
)

// A model selects the form of a schema: what it does with members that it does not name.
type model int

const (
	open   model = iota // accepts them, and unknown values of open enums
	closed              // rejects them
)

// A registry compiles the schemas of the files <subject>.json, each form once, when it is first used.
type registry struct {
	files    fs.FS
	compiled sync.Map // of form to func() (*jsonschema.Schema, error)
}

type form struct {
	subject string
	model   model
}

func (r *registry) check(subject string, m model, payload []byte) ([]fault.Violation, error) {
	schema, err := r.schema(form{subject, m})
	if err != nil {
		return nil, err
	}
	return violations(schema, payload)
}

func (r *registry) schema(f form) (*jsonschema.Schema, error) {
	compile, _ := r.compiled.LoadOrStore(f, sync.OnceValues(func() (*jsonschema.Schema, error) { return r.compile(f) }))
	schema, err := compile.(func() (*jsonschema.Schema, error))()
	if err != nil {
		return nil, fmt.Errorf("contract: schema of %q: %w", f.subject, err)
	}
	return schema, nil
}

func (r *registry) compile(f form) (*jsonschema.Schema, error) {
	text, err := fs.ReadFile(r.files, f.subject+".json")
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if f.model == closed {
		seal(document)
	} else {
		widen(document)
	}
	const url = "event:schema"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.RegisterFormat(&jsonschema.Format{Name: "scrubbed", Validate: requireScrubbed})
	if err := compiler.AddResource(url, document); err != nil {
		return nil, err
	}
	return compiler.Compile(url)
}

// widen derives the open form of a schema: an open enum ("x-enum": "open") accepts any string, because a producer may publish a new
// value before this consumer is deployed with it.
func widen(schema any) {
	switch part := schema.(type) {
	case map[string]any:
		if part["x-enum"] == "open" {
			delete(part, "enum")
			part["type"] = "string"
		}
		widen(slices.Collect(maps.Values(part)))
	case []any:
		for _, member := range part {
			widen(member)
		}
	}
}

// requireScrubbed returns an error if a text contains contact or payment data. Texts are scrubbed on entry; this finds a forgotten one.
func requireScrubbed(value any) error {
	if text, ok := value.(string); ok && freetext.Scrub(text) != text {
		return errors.New("contains contact or payment data")
	}
	return nil
}

// seal derives the closed form of a schema: every object with declared members rejects all others, and free text must be scrubbed. It adds
// unevaluatedProperties, which takes the members of then, else and allOf into account. A condition stays open, because it only
// selects a branch. TestPublishedSchemas_canBeSealed lists the keywords that seal knows.
func seal(schema any) {
	object, ok := schema.(map[string]any)
	if !ok {
		return
	}
	if object["x-pii"] == "free_text" {
		object["format"] = "scrubbed"
	}
	sealParts(object)
	if declares(object) {
		object["unevaluatedProperties"] = false
	}
}

// sealParts seals the schemas of the members and items. A branch describes the same object as the schema that contains it, so
// only its parts are sealed.
func sealParts(schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for _, member := range properties {
		seal(member)
	}
	seal(schema["items"])
	seal(schema["additionalProperties"])
	definitions, _ := schema["$defs"].(map[string]any)
	for _, definition := range definitions {
		seal(definition)
	}
	branches, _ := schema["allOf"].([]any)
	for _, branch := range branches {
		if part, ok := branch.(map[string]any); ok {
			sealParts(part)
		}
	}
	for _, keyword := range []string{"then", "else"} {
		if branch, ok := schema[keyword].(map[string]any); ok {
			sealParts(branch)
		}
	}
}

// declares reports whether the schema or one of its branches declares members.
func declares(schema map[string]any) bool {
	for _, keyword := range []string{"if", "then", "else"} {
		if branch, ok := schema[keyword].(map[string]any); ok && declares(branch) {
			return true
		}
	}
	return schema["properties"] != nil
}
