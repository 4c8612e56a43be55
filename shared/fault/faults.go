package fault

import "time"

// The faults of all functions. A service declares its own in its domain packages.
var (
	ErrMalformedJSON          = New(Invalid, "GENERAL.MALFORMED_JSON", "The body is not well-formed JSON.")
	ErrValidation             = New(Invalid, "GENERAL.VALIDATION_FAILED", "Some members are missing or invalid. See violations.")
	ErrIdempotencyKeyRequired = New(Invalid, "GENERAL.IDEMPOTENCY_KEY_REQUIRED", "This request needs an Idempotency-Key header.")
	ErrIdempotencyKeyReused   = New(Unprocessable, "GENERAL.IDEMPOTENCY_KEY_REUSED", "This idempotency key was used for a different request.")
	ErrIdempotencyInProgress  = New(Conflict, "GENERAL.IDEMPOTENCY_IN_PROGRESS", "The first request with this idempotency key is still running.").After(time.Second)
	ErrUnauthenticated        = New(Unauthenticated, "GENERAL.UNAUTHENTICATED", "Authentication is required.")
	ErrForbidden              = New(Forbidden, "GENERAL.FORBIDDEN", "You are not allowed to do this.")
	ErrNotFound               = New(NotFound, "GENERAL.RESOURCE_NOT_FOUND", "Not found, or you do not have access.")
	ErrMethodNotAllowed       = New(MethodNotAllowed, "GENERAL.METHOD_NOT_ALLOWED", "This route does not support this method.")
	ErrVersionConflict        = New(Conflict, "GENERAL.VERSION_CONFLICT", "It was changed by another request. Read it again and retry.")
	ErrStale                  = New(PreconditionFailed, "GENERAL.VERSION_CONFLICT", "It was changed by another request. Read it again and retry.") // of If-Match
	ErrTooLarge               = New(TooLarge, "GENERAL.PAYLOAD_TOO_LARGE", "The body exceeds the size limit of this route.")
	ErrURITooLong             = New(URITooLong, "GENERAL.URI_TOO_LONG", "The address of the request is longer than 8 KiB.")
	ErrUnsupportedMedia       = New(UnsupportedMedia, "GENERAL.UNSUPPORTED_MEDIA_TYPE", "This route does not accept this content type.")
	ErrInternal               = New(Internal, "GENERAL.INTERNAL", "Something went wrong on our side.")
	ErrUnavailable            = New(Unavailable, "GENERAL.UNAVAILABLE", "The service is temporarily unavailable. Try again.").After(2 * time.Second)
	ErrUpstreamUnavailable    = New(Unavailable, "BFF.UPSTREAM_UNAVAILABLE", "A service that this request needs is temporarily unavailable. Try again.").After(4 * time.Second)
)
