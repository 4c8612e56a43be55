// Package tenantsuspended closes the site of a tenant that was suspended.
package tenantsuspended

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.tenant.suspended.v1.
var Function = tenantbooking.StatusChange(fn.Spec{
	Name:    "tenantbooking-tenantsuspended",
	Subject: "melmastoon.tenant.suspended.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, true)
