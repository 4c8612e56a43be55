package showdocs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	eventschemas "melmastoon.ghasi.io/schemas/events"
)

// bundle returns the AsyncAPI document with the schemas of the events in it, so that tools need no other file.
func bundle() ([]byte, error) {
	var document any
	if err := read("asyncapi.json", &document); err != nil {
		return nil, err
	}
	document, err := embedded(document, "#")
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(document, json.Deterministic(true), jsontext.WithIndent("  "))
	return append(text, '\n'), err
}

// embedded replaces the references to event schemas below a place of the document, which is a JSON pointer. The reference to a deleted
// schema stays: scripts/catalogue opens this function before it writes the document anew.
func embedded(value any, at string) (_ any, err error) {
	switch v := value.(type) {
	case map[string]any:
		if target, ok := v["$ref"].(string); ok && strings.HasPrefix(target, "./events/") {
			schema, err := readSchema(path.Base(target), at)
			if errors.Is(err, fs.ErrNotExist) {
				return v, nil
			}
			return schema, err
		}
		for name, part := range v {
			if v[name], err = embedded(part, at+"/"+name); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, part := range v {
			if v[i], err = embedded(part, at+"/"+strconv.Itoa(i)); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// readSchema reads the schema of an event for a place in the document. It leaves out what describes the file: its id and draft, and the
// examples.
func readSchema(name, at string) (schema map[string]any, err error) {
	text, err := eventschemas.Files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	if err := parse(name, text, &schema); err != nil {
		return nil, err
	}
	for _, keyword := range []string{"$id", "$schema", "examples"} {
		delete(schema, keyword)
	}
	move(schema, at)
	return schema, nil
}

// move rewrites the references to the schema's own definitions, which have another place in the document.
func move(value any, to string) {
	switch v := value.(type) {
	case map[string]any:
		if target, ok := v["$ref"].(string); ok && strings.HasPrefix(target, "#/$defs/") {
			v["$ref"] = to + strings.TrimPrefix(target, "#")
		}
		for _, part := range v {
			move(part, to)
		}
	case []any:
		for _, part := range v {
			move(part, to)
		}
	}
}
