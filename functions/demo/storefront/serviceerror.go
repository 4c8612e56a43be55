package storefront

import "melmastoon.ghasi.io/functions/demo/internal/page"

// A ServiceError is an error response of the booking service.
type ServiceError = page.ServiceError

// ServiceErrorOf returns the ServiceError in an error. Functions import it from here, with the rest of the site.
func ServiceErrorOf(err error) *ServiceError { return page.ServiceErrorOf(err) }

const (
	unknownTenant     = "TENANT.UNKNOWN"
	suspendedTenant   = "TENANT.SUSPENDED"
	holdExpired       = "RESERVATION.HOLD_EXPIRED"
	overbooked        = "RESERVATION.OVERBOOKING_BLOCKED"
	illegalTransition = "RESERVATION.ILLEGAL_TRANSITION"
	illegalStep       = "BFF.TENANT.ILLEGAL_STEP"
	draftClosed       = "BFF.TENANT.DRAFT_CLOSED"
	declined          = "PAYMENT.DECLINED"
	rateLimited       = "GENERAL.RATE_LIMITED"
)

// Problems that the site finds itself, or says more exactly than the booking service.
const (
	dayOver = "SITE.DAY_OVER" // the day of arrival is over at the hotel
	tooLong = "SITE.TOO_LONG" // more nights than the hotel's site books at once
	tooMany = "SITE.TOO_MANY" // more rooms times nights

	tooManyHolds = "SITE.TOO_MANY_HOLDS" // more rooms than the visitor may hold without a payment, or held too often
)
