package storefront

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
)

// errorPages returns the page of errors that occur before a visitor is known, for example of a malformed address, and of paths without
// a function, if the request reaches this service. The page needs no other service.
func errorPages() func(*http.Request, int, http.Header) []byte {
	open := sync.OnceValues(func() (*site, error) {
		translated, err := page.ReadTranslations(texts)
		if err != nil {
			return nil, err
		}
		pages, err := parsePages()
		return &site{translations: translated, pages: pages}, err
	})
	return func(r *http.Request, status int, h http.Header) []byte {
		s, err := open()
		if err != nil {
			panic(err) // cannot fail: the files are embedded
		}
		v := s.visitor(slugOf(r.URL.Path), r, time.Time{})
		step := errorStep(status)
		switch {
		case step == "missing" && !strings.HasPrefix(r.URL.Path, "/site/"):
			step = "nowhere"
		case v.Slug == "":
			step = "unknown" // has no link to the hotel
		}
		return page.RenderError(v.Show(View{Step: step, Title: v.Localizer.T(step + ".title")}), v.Localizer.Tag, h)
	}
}

// slugOf returns the slug in a path of the site, or "".
func slugOf(path string) string {
	below, ok := strings.CutPrefix(path, "/site/")
	slug, _, _ := strings.Cut(below, "/")
	if !ok || !slugs.MatchString(slug) {
		return ""
	}
	return slug
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
