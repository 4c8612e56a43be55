package frontdesk

import (
	"net/http"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// errorPages returns the page of errors that occur before a clerk is known.
func errorPages() func(*http.Request, int, http.Header) []byte {
	return page.ErrorPages(readPages, func(s *site, r *http.Request, kind string) (fn.Page, locale.Tag) {
		c := s.clerk(r, time.Time{})
		c.Back = Home
		return c.Show(View{Step: kind}), c.Localizer.Tag
	})
}
