package storefront

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"time"

	"melmastoon.ghasi.io/functions/storefront/internal/page"
)

// errorPages returns the page of errors that occur before a visitor is known, for example of a malformed address. The page
// needs no other service.
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
		v := s.visitor(slugOf(r.URL.Path), r.Header, time.Time{})
		step := errorStep(status)
		if v.Slug == "" {
			step = "unknown" // has no link to the hotel
		}
		shown := v.Show(View{Step: step, Title: v.Localizer.T(step + ".title")})
		var text bytes.Buffer
		if err := shown.Template.Execute(&text, shown.Data); err != nil {
			panic(err) // cannot fail: the data is complete
		}
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'")
		h.Set("Content-Language", string(v.Localizer.Tag))
		return text.Bytes()
	}
}

// slugOf returns the slug in a path of the site, or "".
func slugOf(path string) string {
	slug, _, _ := strings.Cut(strings.TrimPrefix(path, "/site/"), "/")
	if !slugs.MatchString(slug) {
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
