package sandbox

import (
	"fmt"

	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/id"
)

// Pages knows at which public address the sandbox's pages are.
type Pages struct{ public string }

// OpenPages reads the address from PUBLIC_URL.
func OpenPages(e env.Env) (Pages, error) {
	var c struct {
		Public string `env:"PUBLIC_URL,required"`
	}
	if err := e.Load(&c); err != nil {
		return Pages{}, fmt.Errorf("pages: %w", err)
	}
	return Pages{c.Public}, nil
}

// Checkout is where a guest pays an intent.
func (p Pages) Checkout(i id.Intent) string {
	return p.public + "/sandbox/payment/v1/checkout/" + i.String()
}
