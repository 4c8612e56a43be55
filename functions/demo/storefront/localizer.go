package storefront

import (
	_ "embed"

	"melmastoon.ghasi.io/functions/demo/internal/page"
)

//go:embed pages/texts.json
var texts []byte

// Localizer holds the site's texts in one language, and its conventions for numbers, money and dates.
type Localizer = page.Localizer
