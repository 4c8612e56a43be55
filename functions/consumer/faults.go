package consumer

import "melmastoon.ghasi.io/shared/fault"

// ErrNoSession rejects a program's first call of a function that needs an idempotency key.
var ErrNoSession = fault.ErrUnauthenticated.Saying("Ask for the session first: the answer has a cookie to send with the next call.").Asking("Cookie")
