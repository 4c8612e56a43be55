package handoff

import "melmastoon.ghasi.io/shared/fault"

// The faults of a token, the same on whichever site they are met. ErrReplayed is for who keeps the ledger.
var (
	ErrSignatureInvalid = fault.New(fault.Unauthenticated, "BFF.CONSUMER.HANDOFF_SIGNATURE_INVALID", "This link is not one that we made for this hotel.").Asking("Handoff")
	ErrExpired          = fault.New(fault.Gone, "BFF.CONSUMER.HANDOFF_EXPIRED", "This link was good for 30 minutes, which are over.")
	ErrReplayed         = fault.New(fault.Conflict, "BFF.CONSUMER.HANDOFF_REPLAYED", "This link was opened before, in another browser.")
)
