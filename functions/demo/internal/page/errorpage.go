package page

import (
	"bytes"
	"net/http"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// RenderError returns the body of an error page and sets its headers. It panics if the template fails, because the data of an error
// page never depends on a request's content.
func RenderError(shown fn.Page, language locale.Tag, h http.Header) []byte {
	var text bytes.Buffer
	if err := shown.Template.Execute(&text, shown.Data); err != nil {
		panic(err)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'")
	h.Set("Content-Language", string(language))
	return text.Bytes()
}
