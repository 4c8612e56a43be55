package bots

import "melmastoon.ghasi.io/shared/fault"

// The errors of callers that are taken for programs. They have one code: a caller that is blocked gets no challenge.
var (
	ErrSuspected = fault.New(fault.TooMany, "BFF.CONSUMER.SUSPECTED_BOT", "This looks like an automatic request. Solve the challenge and repeat the request with its response.")
	ErrBlocked   = ErrSuspected.Saying("Too many challenges have failed. Wait before you try again.").After(blockTime)
)
