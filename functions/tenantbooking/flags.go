package tenantbooking

import (
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
)

// FlagsIn is the collection of this service's flags.
const FlagsIn = "bff-tenant-flags"

// OpenFlags returns the service's flags.
func OpenFlags(e env.Env) *flags.Flags { return flags.Open(e, FlagsIn, Sampling) }
