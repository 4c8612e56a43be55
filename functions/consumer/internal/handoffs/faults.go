package handoffs

import "melmastoon.ghasi.io/shared/fault"

// ErrTenantSuspended rejects a handoff to a suspended tenant.
var ErrTenantSuspended = fault.New(fault.Forbidden, "BFF.CONSUMER.TENANT_SUSPENDED", "This hotel does not accept bookings at the moment.")
