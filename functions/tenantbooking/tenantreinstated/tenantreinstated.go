// Package tenantreinstated reopens the site of a tenant that was suspended.
package tenantreinstated

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function consumes melmastoon.tenant.reinstated.v1.
var Function = tenantbooking.StatusChange(fn.Spec{
	Name:    "tenantbooking-tenantreinstated",
	Subject: "melmastoon.tenant.reinstated.v1",
	Uses:    fn.Uses{fn.Documents},
	Timeout: 10 * time.Second,
}, false)
