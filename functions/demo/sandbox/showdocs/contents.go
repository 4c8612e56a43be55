package showdocs

import (
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/schemas"
)

var templates = template.Must(template.New("").ParseFS(own, "pages/*.html"))

// A view is the data of the template frame.html, which encloses each page.
type view struct {
	Name     string // of the template
	Page     string
	Title    string
	Services []service
	Content  any
}

// A service is one OpenAPI document.
type service struct {
	Name, Title string
	Operations  int
}

var (
	titles     = regexp.MustCompile(`(?m)^  title: "?(.*?)"?$`)
	operations = regexp.MustCompile(`(?m)^ +operationId: `)
)

// readServices reads the OpenAPI documents. It finds titles and operations by pattern, without a YAML parser.
func readServices() (all []service, err error) {
	files, err := fs.Glob(schemas.HTTP, "http/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	for _, name := range files {
		text, err := schemas.HTTP.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("docs: %w", err)
		}
		title := titles.FindSubmatch(text)
		if title == nil {
			return nil, fmt.Errorf("docs: %s has no title", name)
		}
		all = append(all, service{Name: strings.TrimSuffix(path.Base(name), ".yaml"), Title: string(title[1]), Operations: len(operations.FindAll(text, -1))})
	}
	return all, nil
}

// A code is one error code with its problem type and the operations that may return it.
type code struct {
	Code       string      `json:"code"`
	Type       string      `json:"type"`
	Statuses   []int       `json:"statuses"`
	Details    []string    `json:"details"`
	Operations []operation `json:"operations"`
}

// An operation is an operation of an OpenAPI document.
type operation struct{ Service, Tag, ID string }

// UnmarshalText reads service/tag/id.
func (o *operation) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), "/")
	if len(parts) != 3 {
		return fmt.Errorf("docs: %q is not service/tag/id", text)
	}
	*o = operation{Service: parts[0], Tag: parts[1], ID: parts[2]}
	return nil
}

// Anchor returns the path of the code's type, which is its anchor on the page.
func (c code) Anchor() string {
	return strings.TrimPrefix(c.Type, "https://errors.melmastoon.ghasi.io/")
}

func readErrors() (all []code, err error) { return all, read("errors.json", &all) }

func read(name string, into any) error {
	text, err := schemas.Derived.ReadFile(name)
	if err != nil {
		return fmt.Errorf("docs: %w", err)
	}
	return parse(name, text, into)
}

func parse(name string, text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("docs: %s: %w", name, err)
	}
	return nil
}
