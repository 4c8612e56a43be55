package storefront_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/demo/internal/page/pagetest"
)

func TestTexts_complete(t *testing.T) {
	t.Parallel()
	pagetest.CheckTexts(t, "ar-AE", "en", "fa-AF", "fa-IR", "ps-AF", "ur-PK")
}
