package tenantbooking_test

import (
	"fmt"
	"net/http"
	"testing"

	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestHold_shownPrice holds with another total than the quote's: no rooms are held. With the quote's total
// the rooms are held, also by a second click.
func TestHold_shownPrice(t *testing.T) {
	t.Parallel()
	g := tenantbookingtest.Build(t, funnel()...).Guest(0)
	var quoted struct {
		Total struct {
			Amount   int64  `json:"amountMinor"`
			Currency string `json:"currency"`
		} `json:"total"`
	}
	g.Must(http.StatusCreated, "POST", "/quote", g.QuoteBody()).Into(t, &quoted)
	saw := func(more int64, exponent int) string {
		return fmt.Sprintf(`{"draftId":%q,"quoteId":%q,"total":{"amountMinor":%d,"currency":%q,"exponent":%d}}`,
			g.Draft, g.Quote, quoted.Total.Amount+more, quoted.Total.Currency, exponent)
	}
	changed := func(when string) {
		t.Helper()
		for _, more := range []int64{-990, 990} {
			g.Send("POST", "/hold", saw(more, 2)).WantProblem(t, http.StatusConflict, "BFF.TENANT.PRICE_CHANGED")
		}
	}
	changed("quoted")
	if state, _ := g.State(); state != "quoting" {
		t.Errorf("the draft is %s, want quoting", state)
	}
	check.Equal(t, len(g.Platform.Stays()), 0, "reservations")
	check.Equal(t, g.Send("POST", "/hold", saw(0, 0)).Code(), "GENERAL.VALIDATION_FAILED", "an amount with another exponent")
	for range 2 {
		g.Must(http.StatusCreated, "POST", "/hold", saw(0, 2))
	}
	changed("held")
	stays := g.Platform.Stays()
	check.MustEqual(t, len(stays), 1, "reservations")
	check.Equal(t, stays[0].State, "held", "the reservation")
}
