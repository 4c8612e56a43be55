package errordocs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"strings"
)

// PagesFile is the path of the pages, from the root of the tree.
const PagesFile = "terraform/problems.json"

//go:embed pages.html
var pages string

var templates = template.Must(template.New("").Parse(pages))

// Path returns the path of the type, which is that of the code's page. The page "index.html" lists all codes.
func (e Entry) Path() string {
	_, path, _ := strings.Cut(strings.TrimPrefix(e.Type, "https://"), "/")
	return path
}

// Pages returns the pages of the codes in a list of Text, as a JSON object from path to page. Terraform serves them at the host of the types.
func Pages(list []byte) ([]byte, error) {
	var all []Entry
	if err := json.Unmarshal(list, &all); err != nil {
		return nil, err
	}
	var index strings.Builder
	if err := templates.ExecuteTemplate(&index, "index", all); err != nil {
		return nil, err
	}
	rendered := map[string]string{"index.html": index.String()}
	for _, e := range all {
		var page strings.Builder
		if err := templates.ExecuteTemplate(&page, "code", e); err != nil {
			return nil, err
		}
		rendered[e.Path()] = page.String()
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(rendered)
	return text.Bytes(), err
}
