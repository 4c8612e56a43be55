package documenttest

import (
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Give gives the store, with the patience that a busy test machine needs: no test fails because a neighbour was slow. One
// that was down is asked again at once.
func Give(e env.Env, s document.Store) env.Env {
	return env.Give(e.With("DOCUMENT_TIMEOUT", "20s").With("DOCUMENT_PAUSE", "1ns"), s)
}
