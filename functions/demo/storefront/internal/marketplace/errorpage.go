package marketplace

import (
	"net/http"
	"sync"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
)

// errorPages returns the page of errors that occur before a visitor is known, for example of a malformed address. The page needs no
// other service.
func errorPages() func(*http.Request, int, http.Header) []byte {
	open := sync.OnceValues(readPages)
	return func(r *http.Request, status int, h http.Header) []byte {
		m, err := open()
		if err != nil {
			panic(err) // cannot fail: the files are embedded
		}
		v := m.visitor(r, true, time.Time{})
		step := errorStep(status)
		return page.RenderError(v.Show(View{Step: step, Title: v.Localizer.T(step + ".title"), Back: Home}), v.Localizer.Tag, h)
	}
}

// errorStep returns the page of a status.
func errorStep(status int) string {
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "unknown"
	case http.StatusTooManyRequests:
		return "slow"
	case http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "down"
	}
	return "unclear"
}
