package showdocs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A schema is the part of a JSON Schema that the page shows.
type schema struct {
	Description string            `json:"description"`
	Type        any               `json:"type"`
	Format      string            `json:"format"`
	Pattern     string            `json:"pattern"`
	Enum        []any             `json:"enum"`
	Open        string            `json:"x-enum"`
	Personal    string            `json:"x-pii"`
	Required    []string          `json:"required"`
	Properties  map[string]schema `json:"properties"`
	Items       *schema           `json:"items"`
	Publisher   string            `json:"x-publisher"`
	Consumers   []string          `json:"x-consumers"`
	OrderingKey string            `json:"x-ordering-key"`
	Retention   struct {
		Class  string `json:"class"`
		Period string `json:"period"`
	} `json:"x-retention"`
	Sampling struct {
		Rate float64 `json:"rate"`
	} `json:"x-sampling"`
}

// A member is one row of a table of members.
type member struct {
	Path, Type, Description string
	Required                bool
	Personal                string
}

// members returns the members of an object and of the objects in it, each after its parent.
func (s schema) members(path string, all []member) []member {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, at := s.Properties[name], path+name
		all = append(all, member{Path: at, Type: p.kind(), Description: p.Description, Required: slices.Contains(s.Required, name), Personal: p.Personal})
		all = p.members(at+".", all)
		if p.Items != nil {
			all = p.Items.members(at+"[].", all)
		}
	}
	return all
}

// kind describes the type of a value, with its format, pattern or allowed values.
func (s schema) kind() string {
	kind := "any"
	switch t := s.Type.(type) {
	case string:
		kind = t
	case []any:
		kind = strings.Trim(strings.ReplaceAll(fmt.Sprint(t), " ", " or "), "[]")
	}
	if s.Items != nil {
		kind += " of " + s.Items.kind()
	}
	if len(s.Enum) > 0 {
		values := make([]string, 0, len(s.Enum))
		for _, v := range s.Enum {
			values = append(values, fmt.Sprint(v))
		}
		kind = "one of " + strings.Join(values, ", ")
		if s.Open == "open" {
			kind += ", or a later value"
		}
	}
	for _, more := range []string{s.Format, s.Pattern} {
		if more != "" {
			kind += " " + more
		}
	}
	return kind
}
