package frontdesk_test

import (
	"testing"

	"melmastoon.ghasi.io/functions/demo/internal/page/pagetest"
)

func TestTexts_complete(t *testing.T) {
	t.Parallel()
	pagetest.CheckTexts(t, "en", "fa-AF", "ps-AF")
}
