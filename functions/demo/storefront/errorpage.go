package storefront

import (
	"net/http"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// errorPages returns the page of errors that occur before a visitor is known, and of paths without a function, if the request reaches
// this service.
func errorPages() func(*http.Request, int, http.Header) []byte {
	open := func() (*site, error) {
		translated, err := page.ReadTranslations(texts)
		if err != nil {
			return nil, err
		}
		pages, err := parsePages()
		return &site{translations: translated, pages: pages}, err
	}
	return page.ErrorPages(open, func(s *site, r *http.Request, step string) (fn.Page, locale.Tag) {
		v := s.visitor(slugOf(r.URL.Path), r, time.Time{})
		switch {
		case step == page.Missing && !strings.HasPrefix(r.URL.Path, "/site/"):
			step = "nowhere"
		case v.Slug == "":
			step = "unknown" // has no link to the hotel
		}
		return v.Show(View{Step: step, Title: v.Localizer.T(step + ".title")}), v.Localizer.Tag
	})
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
