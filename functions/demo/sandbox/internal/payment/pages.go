package payment

import (
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Pages returns the public addresses of the sandbox's pages.
type Pages struct{ public string }

// OpenPages reads the address from PUBLIC_URL.
func OpenPages(e env.Env) (Pages, error) {
	public, err := standin.PublicURL(e)
	return Pages{public}, err
}

// Checkout returns the address of the page where a guest pays an intent. The page shows the time before which to pay,
// if there is one.
func (p Pages) Checkout(i id.Intent, before time.Time) string {
	page := p.public + "/sandbox/payment/v1/checkout/" + i.String()
	if before.IsZero() {
		return page
	}
	return page + "?" + url.Values{"before": {before.UTC().Format(time.RFC3339)}}.Encode()
}
