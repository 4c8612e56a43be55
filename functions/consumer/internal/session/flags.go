package session

import (
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
)

// FlagsIn is the document collection of this service's flags.
const FlagsIn = "bff-consumer-flags"

// OpenFlags opens the service's flags.
func OpenFlags(e env.Env) *flags.Flags { return flags.Open(e, FlagsIn, Sampling) }
