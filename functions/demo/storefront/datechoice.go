package storefront

import (
	"melmastoon.ghasi.io/functions/demo/internal/page"
	"melmastoon.ghasi.io/shared/stay"
)

// A ChosenDate is a date as a form submits it. Functions import it from here, with the rest of the site.
type ChosenDate = page.ChosenDate

// DateChoice returns the selectors for a field of the search with its current value.
func (v View) DateChoice(name, label, value string) page.DateChoice {
	return v.Localizer.DateChoice(name, label, value, stay.DateOf(v.At.In(v.Localizer.Zone)))
}
