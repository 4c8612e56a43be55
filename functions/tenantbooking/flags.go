package tenantbooking

import "melmastoon.ghasi.io/functions/tenantbooking/internal/subject"

// FlagsIn is the collection of this service's flags.
const FlagsIn = subject.FlagsIn

// Sampling lists which events of this service are always published, and which are telemetry that may be sampled.
var Sampling = subject.Sampling

// Features lists the features of this service that flags can switch on.
var Features = subject.Features
