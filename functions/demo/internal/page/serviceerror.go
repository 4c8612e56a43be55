package page

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A ServiceError is an error response of a service. If the service is unavailable, Code says so.
type ServiceError struct {
	Code       string
	Status     int // 0 if the service is unavailable
	Violations []fault.Violation
	RetryAfter int    // in seconds, or 0
	Challenge  bool   // whether the visitor may solve a challenge and repeat the request
	ViewToken  string // opens the booking that the error is about, if the service returned one
	Due        string // what the guest still has to pay, in micro units, if the error is about that
	Handoff    any    // the guest's choices on the consumer site, if the service returned them with a handoff that it rejected
}

func (r *ServiceError) Error() string { return "page: the service returned " + r.Code }

// ServiceErrorOf returns the ServiceError in an error. Any other error means that the service is unavailable.
func ServiceErrorOf(err error) *ServiceError {
	if r, ok := errors.AsType[*ServiceError](err); ok {
		return r
	}
	return &ServiceError{Code: fault.ErrUpstreamUnavailable.Code}
}

// RetryIn adds Retry-After to the reply of a page that asks the visitor to wait: the time that the service named, or the usual one.
func (r *ServiceError) RetryIn(reply fn.Reply, answer fn.Answer) fn.Reply {
	if answer != fn.TooMany && answer != fn.Unavailable {
		return reply
	}
	return reply.After(cmp.Or(time.Duration(r.RetryAfter)*time.Second, fault.ErrUpstreamUnavailable.RetryAfter))
}

// IsAmbiguous reports whether an attempt under the same idempotency key may have succeeded, this one or an earlier one, because no answer
// of the service refuses it. The form must then keep its key.
func (r *ServiceError) IsAmbiguous() bool {
	return r.Status == 0 || r.Status == http.StatusTooManyRequests || r.Status >= http.StatusInternalServerError || r.Code == inProgress
}

// IsHandoff reports whether the handoff was rejected, and not the session.
func (r *ServiceError) IsHandoff() bool {
	return strings.HasPrefix(r.Code, "BFF.CONSUMER.HANDOFF_") || r.Code == fault.ErrValidation.Code
}

// IsPenaltyChange reports whether a cancellation costs more than the guest was shown.
func (r *ServiceError) IsPenaltyChange() bool { return r.Code == "RESERVATION.PENALTY_CHANGED" }

// IsPriceChange reports whether the price differs from the one that the guest was shown.
func (r *ServiceError) IsPriceChange() bool { return r.Code == priceChanged }

const (
	inProgress   = "GENERAL.IDEMPOTENCY_IN_PROGRESS"
	priceChanged = "BFF.TENANT.PRICE_CHANGED"
)

// InvalidFields returns the names of the form's fields with violations.
func (r *ServiceError) InvalidFields() map[string]bool {
	wrong := map[string]bool{}
	for _, v := range r.Violations {
		wrong[v.Pointer[strings.LastIndexByte(v.Pointer, '/')+1:]] = true
	}
	return wrong
}
