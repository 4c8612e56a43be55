package fault

import "time"

// The faults that any function may answer with. A service declares its own beside its nouns.
var (
	ErrMalformedJSON          = New(Invalid, "GENERAL.MALFORMED_JSON", "The body is not one well-formed JSON value.")
	ErrValidation             = New(Invalid, "GENERAL.VALIDATION_FAILED", "Some values are missing or not allowed.")
	ErrIdempotencyKeyRequired = New(Invalid, "GENERAL.IDEMPOTENCY_KEY_REQUIRED", "This request needs an Idempotency-Key header.")
	ErrIdempotencyKeyReused   = New(Unprocessable, "GENERAL.IDEMPOTENCY_KEY_REUSED", "This idempotency key was used for a different request.")
	ErrIdempotencyInProgress  = New(Conflict, "GENERAL.IDEMPOTENCY_IN_PROGRESS", "The first request with this idempotency key is still running.").After(time.Second)
	ErrUnauthenticated        = New(Unauthenticated, "GENERAL.UNAUTHENTICATED", "Who is calling could not be established.")
	ErrForbidden              = New(Forbidden, "GENERAL.FORBIDDEN", "This caller may not do this.")
	ErrNotFound               = New(NotFound, "GENERAL.RESOURCE_NOT_FOUND", "There is nothing here, or nothing that you may see.")
	ErrMethodNotAllowed       = New(MethodNotAllowed, "GENERAL.METHOD_NOT_ALLOWED", "This method is not offered here.")
	ErrVersionConflict        = New(Conflict, "GENERAL.VERSION_CONFLICT", "Someone else changed this at the same time.")
	ErrTooLarge               = New(TooLarge, "GENERAL.PAYLOAD_TOO_LARGE", "The body is larger than this function accepts.")
	ErrUnsupportedMedia       = New(UnsupportedMedia, "GENERAL.UNSUPPORTED_MEDIA_TYPE", "The body is not of a type that this function accepts.")
	ErrInternal               = New(Internal, "GENERAL.INTERNAL", "Something went wrong on our side.")
	ErrUnavailable            = New(Unavailable, "GENERAL.UNAVAILABLE", "This is not available right now.").After(2 * time.Second)
	ErrUpstreamUnavailable    = New(Unavailable, "BFF.UPSTREAM_UNAVAILABLE", "A service that is needed for this is not available right now.").After(4 * time.Second)
)
