package storefront

import (
	"errors"
	"strings"

	"melmastoon.ghasi.io/shared/fault"
)

// A Refusal is an error response of the booking service. If the service is unavailable, Code says so.
type Refusal struct {
	Code       string
	Violations []fault.Violation
}

func (r *Refusal) Error() string { return "storefront: the booking service returned " + r.Code }

// RefusalOf returns the Refusal in an error. Any other error means that the service is unavailable.
func RefusalOf(err error) *Refusal {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r
	}
	return &Refusal{Code: fault.ErrUpstreamUnavailable.Code}
}

// OfInvitation reports whether the handoff was rejected, and not the visit.
func (r *Refusal) OfInvitation() bool {
	return strings.HasPrefix(r.Code, "BFF.CONSUMER.HANDOFF_") || r.Code == fault.ErrValidation.Code
}

// OfPrice reports whether the price differs from the one that the guest was shown.
func (r *Refusal) OfPrice() bool { return r.Code == priceChanged }

const (
	inProgress      = "GENERAL.IDEMPOTENCY_IN_PROGRESS"
	unknownTenant   = "TENANT.UNKNOWN"
	suspendedTenant = "TENANT.SUSPENDED"
	holdExpired     = "RESERVATION.HOLD_EXPIRED"
	priceChanged    = "BFF.TENANT.PRICE_CHANGED"
	illegalStep     = "BFF.TENANT.ILLEGAL_STEP"
	declined        = "PAYMENT.DECLINED"
)

// Fields returns the names of the form's fields with violations.
func (r *Refusal) Fields() map[string]bool {
	wrong := map[string]bool{}
	for _, v := range r.Violations {
		wrong[v.Pointer[strings.LastIndexByte(v.Pointer, '/')+1:]] = true
	}
	return wrong
}
