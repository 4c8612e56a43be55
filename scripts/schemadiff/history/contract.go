// Package history compares the published contracts of a tree with those of an older one, and with every released version of each.
package history

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"melmastoon.ghasi.io/scripts/schemadiff/evolution"
	"melmastoon.ghasi.io/scripts/schemadiff/normal"
)

// A Contract is one published document: the schema of an event, or the OpenAPI document of a service.
type Contract struct {
	Name string // the file's path below schemas, such as events/melmastoon.reservation.held.v1.json
	Text []byte
}

// OpenAPI reports whether the contract is an OpenAPI document.
func (c Contract) OpenAPI() bool {
	return strings.HasSuffix(c.Name, ".yaml") || strings.HasSuffix(c.Name, ".yml")
}

// A Set has contracts by name.
type Set map[string]Contract

// patterns are the paths of the contracts.
var patterns = []string{"events/*.json", "http/*.yaml"}

// Read returns the contracts of a tree.
func Read(tree fs.FS) (Set, error) {
	set := Set{}
	for _, pattern := range patterns {
		names, err := fs.Glob(tree, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := fs.ReadFile(tree, name)
			if err != nil {
				return nil, err
			}
			set[name] = Contract{Name: name, Text: text}
		}
	}
	return set, nil
}

// Schema returns the canonical form of a JSON Schema, or an error if it is not valid.
func (c Contract) Schema() (normal.Schema, error) {
	document, err := normal.Parse(c.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	schema, err := normal.Of(document)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return schema, nil
}

// Diff returns the changes from an older form of a contract to a newer one.
func Diff(older, newer Contract) ([]evolution.Finding, error) {
	if older.OpenAPI() != newer.OpenAPI() {
		return nil, fmt.Errorf("%s and %s are contracts of different kinds", older.Name, newer.Name)
	}
	if bytes.Equal(older.Text, newer.Text) {
		return nil, nil
	}
	if older.OpenAPI() {
		return diffOpenAPI(older, newer)
	}
	was, err := older.Schema()
	if err != nil {
		return nil, err
	}
	is, err := newer.Schema()
	if err != nil {
		return nil, err
	}
	return evolution.Compare(was, is), nil
}

// successor returns the name of the next version of an event's schema, or "" if the name has no version.
func successor(name string) string {
	stem, ok := strings.CutSuffix(name, ".json")
	i := strings.LastIndex(stem, ".v")
	if !ok || i < 0 {
		return ""
	}
	var version int
	if _, err := fmt.Sscanf(stem[i:], ".v%d", &version); err != nil {
		return ""
	}
	return fmt.Sprintf("%s.v%d.json", stem[:i], version+1)
}

// sorted returns the names of both sets in order.
func sorted(a, b Set) []string {
	var names []string
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// short returns the name of a contract without folder and suffix.
func short(name string) string {
	return strings.TrimSuffix(path.Base(name), path.Ext(name))
}
