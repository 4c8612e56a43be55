// Package errordocs generates the list of error codes: statuses and details from the faults in the Go files, operations from the
// descriptions of responses in the OpenAPI documents.
package errordocs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"melmastoon.ghasi.io/shared/platform/fn"
)

// File is the path of the list, from the root of the tree.
const File = "schemas/errors.json"

// An Entry describes one error code. Type is the type of its problems (RFC 9457).
type Entry struct {
	Code       string      `json:"code"`
	Type       string      `json:"type"`
	Statuses   []int       `json:"statuses"`
	Details    []string    `json:"details"`
	Operations []Operation `json:"operations"`
}

// An Operation is an operation of an OpenAPI document that may return a code. Its text is service/tag/id.
type Operation struct{ Service, Tag, ID string }

// MarshalText returns the operation as text.
func (o Operation) MarshalText() ([]byte, error) {
	return []byte(o.Service + "/" + o.Tag + "/" + o.ID), nil
}

// UnmarshalText reads the text of MarshalText.
func (o *Operation) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), "/")
	if len(parts) != 3 {
		return fmt.Errorf("errordocs: %q is not service/tag/id", text)
	}
	*o = Operation{Service: parts[0], Tag: parts[1], ID: parts[2]}
	return nil
}

// Text returns the list of all codes as JSON. Any operation may return a code whose list of operations is empty, for example
// GENERAL.RATE_LIMITED. Text fails if a document names a code that no fault declares.
func Text(source, documents fs.FS) ([]byte, error) {
	declared, err := declarations(source)
	if err != nil {
		return nil, err
	}
	named, err := mentions(documents)
	if err != nil {
		return nil, err
	}
	for code, by := range named {
		if declared[code] == nil {
			return nil, fmt.Errorf("errordocs: %s is named by %s of %s, and no fault declares it", code, by[0].ID, by[0].Service)
		}
	}
	all := []Entry{}
	for _, code := range slices.Sorted(maps.Keys(declared)) {
		found := declared[code]
		if len(found.details) == 0 { // such a fault is only compared with errors, and never sent
			continue
		}
		all = append(all, Entry{Code: "MELMASTOON." + code, Type: fn.TypeURI(code), Statuses: found.statuses, Details: found.details, Operations: sorted(named[code])})
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(all)
	return text.Bytes(), err
}

func sorted(operations []Operation) []Operation {
	operations = append([]Operation{}, operations...) // nil would be encoded as null
	slices.SortFunc(operations, func(a, b Operation) int { return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.ID, b.ID)) })
	return slices.Compact(operations)
}
