package frontdesk

import (
	"net/http"
	"sync"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
)

// errorPages returns the page of errors that occur before a clerk is known, for example of a malformed address. The page needs no other
// service.
func errorPages() func(*http.Request, int, http.Header) []byte {
	open := sync.OnceValues(readPages)
	return func(r *http.Request, status int, h http.Header) []byte {
		s, err := open()
		if err != nil {
			panic(err) // cannot fail: the files are embedded
		}
		c := s.clerk(r, time.Time{})
		c.Back = Home
		return page.RenderError(c.Show(View{Step: errorStep(status)}), c.Localizer.Tag, h)
	}
}

// errorStep returns the page of a status.
func errorStep(status int) string {
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "missing"
	case http.StatusTooManyRequests:
		return "busy"
	case http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "down"
	}
	return "wrong"
}
