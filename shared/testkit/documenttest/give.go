package documenttest

import (
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Give adds the store to the environment, with timeouts for a busy test machine. The circuit breaker closes again
// immediately.
func Give(e env.Env, s document.Store) env.Env {
	return document.StoreKey.With(e.With("DOCUMENT_TIMEOUT", "20s").With("DOCUMENT_PAUSE", "1ns"), s)
}
