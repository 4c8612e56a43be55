package handoff

import "melmastoon.ghasi.io/shared/fault"

// The faults of a token, shared by both sites. The site with the handoff ledger returns ErrReplayed.
var (
	ErrSignatureInvalid = fault.New(fault.Unauthenticated, "BFF.CONSUMER.HANDOFF_SIGNATURE_INVALID", "This link is invalid, or was made for another hotel.").Asking("Handoff")
	ErrExpired          = fault.New(fault.Gone, "BFF.CONSUMER.HANDOFF_EXPIRED", "This link has expired. Links are valid for 30 minutes.")
	ErrReplayed         = fault.New(fault.Conflict, "BFF.CONSUMER.HANDOFF_REPLAYED", "This link was already used in another browser.")
)
