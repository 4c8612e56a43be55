package storefront

import "melmastoon.ghasi.io/shared/fault"

// ErrTenantUnknown is the one failure that is no page: there is no hotel whose page it could be.
var ErrTenantUnknown = fault.New(fault.NotFound, "TENANT.UNKNOWN", "There is no such hotel site.")
