package page

import (
	"bytes"
	"net/http"
	"sync"

	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Kinds of errors that have a page.
const (
	Missing = "missing"
	Busy    = "busy"
	Down    = "down"
	Wrong   = "wrong" // any other error
)

// ErrorPages returns the page of errors that occur before a visitor is known, for example of a malformed address. open reads the embedded
// files of a site, and show returns the page of a kind with its language. The page needs no other service.
func ErrorPages[S any](open func() (S, error), show func(site S, r *http.Request, kind string) (fn.Page, locale.Tag)) func(*http.Request, int, http.Header) []byte {
	once := sync.OnceValues(open)
	return func(r *http.Request, status int, h http.Header) []byte {
		site, err := once()
		if err != nil {
			panic(err) // cannot fail: the files are embedded
		}
		shown, language := show(site, r, kindOf(status))
		return renderError(shown, language, h)
	}
}

func kindOf(status int) string {
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return Missing
	case http.StatusTooManyRequests:
		return Busy
	case http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return Down
	}
	return Wrong
}

// renderError returns the body of an error page and sets its headers. It panics if the template fails, because the data of an error
// page never depends on a request's content.
func renderError(shown fn.Page, language locale.Tag, h http.Header) []byte {
	var text bytes.Buffer
	if err := shown.Template.Execute(&text, shown.Data); err != nil {
		panic(err)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'")
	h.Set("Content-Language", string(language))
	return text.Bytes()
}
