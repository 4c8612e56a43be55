package fn

import (
	"net/http"
	"slices"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/fn/decode"
)

const maxKeyLength = 255

// idempotencyKey reads the client's key from either header, quoted or bare. A malformed key is rejected even if the function
// requires no key, because the client relies on it.
func idempotencyKey(h http.Header, required bool) (string, error) {
	given := slices.Concat(h["Idempotency-Key"], h["X-Idempotency-Key"])
	if len(given) == 0 {
		if required {
			return "", fault.ErrIdempotencyKeyRequired
		}
		return "", nil
	}
	key, rule := unquoted(given[0]), ""
	for _, other := range given[1:] {
		if unquoted(other) != key {
			rule = decode.Once
		}
	}
	if rule == "" && !visible(key, maxKeyLength) {
		rule = decode.Form
	}
	if rule != "" {
		return "", fault.ErrValidation.With(decode.Violation("/Idempotency-Key", rule))
	}
	return key, nil
}

func unquoted(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}
