package marketplace

import (
	"net/http"
	"time"

	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// errorSteps are the pages of the kinds of errors.
var errorSteps = map[string]string{page.Missing: "unknown", page.Busy: "slow", page.Down: "down", page.Wrong: "unclear"}

// errorPages returns the page of errors that occur before a visitor is known.
func errorPages() func(*http.Request, int, http.Header) []byte {
	return page.ErrorPages(readPages, func(m *market, r *http.Request, kind string) (fn.Page, locale.Tag) {
		v := m.visitor(r, true, time.Time{})
		step := errorSteps[kind]
		return v.Show(View{Step: step, Title: v.Localizer.T(step + ".title"), Back: Home}), v.Localizer.Tag
	})
}
