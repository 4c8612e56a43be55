// Package eventdocs derives the documents about events from the published schemas and the catalogue.
package eventdocs

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// A Schema is the schema of one subject, with its annotations.
type Schema struct {
	Subject     string         `json:"-"`
	ID          string         `json:"$id"`
	Title       string         `json:"title"` // a name, from which generators of code derive theirs
	Description string         `json:"description"`
	Publisher   string         `json:"x-publisher"`
	Consumers   []string       `json:"x-consumers"`
	Retention   Retention      `json:"x-retention"`
	Sampling    Sampling       `json:"x-sampling"`
	OrderingKey string         `json:"x-ordering-key"`
	Deprecated  string         `json:"deprecatedSince"` // a date, or ""
	Body        map[string]any `json:"-"`               // the whole document
}

// Retention is how long stored events are kept, and under which rules.
type Retention struct {
	Class  string `json:"class"`
	Period string `json:"period"`
}

// Sampling is the share of events that are published. An act that is repeated within the debounce interval publishes no second event.
type Sampling struct {
	Rate         float64 `json:"rate"`
	Configurable bool    `json:"configurable"`
	Debounce     string  `json:"debounce"`
	Per          string  `json:"per"`
}

// Read returns the schemas of a file system with <subject>.json, ordered by subject.
func Read(files fs.FS) ([]Schema, error) {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	read := make([]Schema, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		s := &read[i]
		s.Subject = strings.TrimSuffix(path.Base(name), ".json")
		if err := json.Unmarshal(text, s); err != nil {
			return nil, fmt.Errorf("eventdocs: %s: %w", name, err)
		}
		if err := json.Unmarshal(text, &s.Body); err != nil {
			return nil, fmt.Errorf("eventdocs: %s: %w", name, err)
		}
	}
	return read, nil
}

// personal returns the members that are marked as personal data, without repetitions.
func (s Schema) personal() (names []string) {
	collect(s.Body, &names)
	slices.Sort(names)
	return slices.Compact(names)
}

// collect appends the names of marked members at any depth.
func collect(schema any, names *[]string) {
	switch v := schema.(type) {
	case map[string]any:
		properties, _ := v["properties"].(map[string]any)
		for name, member := range properties {
			if m, ok := member.(map[string]any); ok && m["x-pii"] != nil {
				*names = append(*names, name)
			}
		}
		for _, part := range v {
			collect(part, names)
		}
	case []any:
		for _, part := range v {
			collect(part, names)
		}
	}
}
