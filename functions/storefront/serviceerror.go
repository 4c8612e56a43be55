package storefront

import "melmastoon.ghasi.io/functions/storefront/internal/page"

// A ServiceError is an error response of the booking service.
type ServiceError = page.ServiceError

// ServiceErrorOf returns the ServiceError in an error. Functions import it from here, with the rest of the site.
func ServiceErrorOf(err error) *ServiceError { return page.ServiceErrorOf(err) }

const (
	unknownTenant   = "TENANT.UNKNOWN"
	suspendedTenant = "TENANT.SUSPENDED"
	holdExpired     = "RESERVATION.HOLD_EXPIRED"
	illegalStep     = "BFF.TENANT.ILLEGAL_STEP"
	declined        = "PAYMENT.DECLINED"
)
