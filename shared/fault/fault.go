// Package fault is the error that crosses borders: what a caller may know of a failure, and the cause only we may see.
package fault

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A Fault is a failure with a name that callers can rely on. Declare faults as variables with New and return them,
// enriched by With, Because, After, Saying or Asking, each of which leaves the original as it was.
type Fault struct {
	Kind       Kind
	Code       string // without the platform's "MELMASTOON."
	Detail     string // a sentence for whoever called; never internals, never input
	Violations []Violation
	RetryAfter time.Duration // zero: nothing is known about when a repeat could succeed
	Challenge  string        // of an Unauthenticated one: what would let the caller in (RFC 9110, 11.6.1); "" is a bearer's token
	cause      error
}

// A Violation says which member of the input broke which rule.
type Violation struct {
	Pointer string `json:"pointer"` // RFC 6901, "" is the whole body
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// New returns a fault of that kind, code and detail.
func New(k Kind, code, detail string) *Fault {
	return &Fault{Kind: k, Code: code, Detail: detail}
}

// Error is for logs: callers are shown Code and Detail only.
func (f *Fault) Error() string {
	s := f.Code + ": " + f.Detail
	if f.cause != nil {
		s += ": " + f.cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.cause }

// Is makes every variant of a fault match the declared one: the code is what they share.
func (f *Fault) Is(target error) bool {
	t, ok := target.(*Fault)
	return ok && t.Code == f.Code
}

// Because returns the fault with the error that led to it. The cause is logged, never shown.
func (f *Fault) Because(cause error) *Fault {
	c := *f
	c.cause = cause
	return &c
}

// With returns the fault with further violations.
func (f *Fault) With(v ...Violation) *Fault {
	c := *f
	c.Violations = slices.Concat(f.Violations, v)
	return &c
}

// After returns the fault with the time after which a repeat may succeed.
func (f *Fault) After(d time.Duration) *Fault {
	c := *f
	c.RetryAfter = d
	return &c
}

// Saying returns the fault with another detail.
func (f *Fault) Saying(detail string) *Fault {
	c := *f
	c.Detail = detail
	return &c
}

// Asking returns the fault with what would let the caller in: the scheme of a challenge. Neither browsers nor we know any scheme
// for what is no bearer's token: its name only says where to look.
func (f *Fault) Asking(challenge string) *Fault {
	c := *f
	c.Challenge = challenge
	return &c
}

// Retriable reports whether the very same request may succeed later.
func (f *Fault) Retriable() bool {
	return f.RetryAfter > 0 || f.Kind == TooMany || f.Kind == Unavailable || f.Kind == Timeout
}

// From returns the fault that err is or wraps. What was added around the fault stays with it as its cause, for the log.
// Time that ran out, or a caller that left, is ErrUnavailable; any other error is ErrInternal. From(nil) is nil.
func From(err error) *Fault {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Fault](err); ok {
		if err == error(f) {
			return f
		}
		return f.Because(err)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return ErrUnavailable.Because(err)
	}
	return ErrInternal.Because(err)
}
