package page

import (
	"embed"
	"html/template"
	"io/fs"
)

//go:embed *.html
var own embed.FS

// Templates parses the templates of a site, which are in its folder pages, beside those of all sites. "page" wraps each of the others.
func Templates(site fs.FS) (*template.Template, error) {
	shared, err := template.New("page.html").ParseFS(own, "*.html")
	if err != nil {
		return nil, err
	}
	return shared.ParseFS(site, "pages/*.html")
}
