package storefront

import (
	"errors"
	"strings"

	"melmastoon.ghasi.io/shared/fault"
)

// A Refusal is the booking service's no. Its code says why; a service that cannot be reached says no too.
type Refusal struct {
	Code       string
	Violations []fault.Violation
}

func (r *Refusal) Error() string { return "the booking service refused: " + r.Code }

// RefusalOf is the refusal in an error; any other error is that of a service that cannot be reached.
func RefusalOf(err error) *Refusal {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r
	}
	return &Refusal{Code: fault.ErrUpstreamUnavailable.Code}
}

// OfInvitation reports whether the invitation was refused, and not the visit.
func (r *Refusal) OfInvitation() bool {
	return strings.HasPrefix(r.Code, "BFF.CONSUMER.HANDOFF_") || r.Code == fault.ErrValidation.Code
}

// OfPrice reports whether the price is another one than the guest was shown.
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

// Fields are the guest's members that a refusal complains about.
func (r *Refusal) Fields() map[string]bool {
	wrong := map[string]bool{}
	for _, v := range r.Violations {
		wrong[v.Pointer[strings.LastIndexByte(v.Pointer, '/')+1:]] = true
	}
	return wrong
}
