// Package fault defines the errors that cross service boundaries: the part that callers may see, and the internal cause.
// The title of a problem is translated for guests. Its detail is English; clients choose texts by the code.
package fault

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// A Fault is an error with a stable code. Declare faults as variables with New and return copies made by With, Because, After,
// Saying, Asking or Showing; these do not change the original.
type Fault struct {
	Kind       Kind
	Code       string // without the platform's "MELMASTOON."
	Detail     string // a sentence for the caller; no internals and no input
	Violations []Violation
	RetryAfter time.Duration  // zero if unknown
	Challenge  string         // challenge of an Unauthenticated fault (RFC 9110, 11.6.1); "" means Bearer
	Members    map[string]any // extension members of the problem (RFC 9457, 3.2)
	cause      error
}

// A Violation names a member of the input and the rule that it violates.
type Violation struct {
	Pointer string `json:"pointer"` // RFC 6901; "" is the whole body
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// New returns a fault of that kind, code and detail.
func New(k Kind, code, detail string) *Fault {
	return &Fault{Kind: k, Code: code, Detail: detail}
}

// Error returns the text for logs: callers see only Code and Detail.
func (f *Fault) Error() string {
	s := f.Code + ": " + f.Detail
	if f.cause != nil {
		s += ": " + f.cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.cause }

// Is reports whether target is a fault with the same code, so that every copy matches the declared fault.
func (f *Fault) Is(target error) bool {
	t, ok := target.(*Fault)
	return ok && t.Code == f.Code
}

// Because returns the fault with a cause. The cause is logged, never shown.
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

// After returns the fault with the time after which a retry may succeed.
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

// Asking returns the fault with the scheme of its challenge. For credentials other than bearer tokens there is no registered
// scheme: its name only says where to look.
func (f *Fault) Asking(challenge string) *Fault {
	c := *f
	c.Challenge = challenge
	return &c
}

// Showing returns the fault with further extension members of the problem.
func (f *Fault) Showing(members map[string]any) *Fault {
	c := *f
	c.Members = maps.Clone(f.Members)
	if c.Members == nil {
		c.Members = map[string]any{}
	}
	maps.Copy(c.Members, members)
	return &c
}

// Retriable reports whether the same request may succeed later.
func (f *Fault) Retriable() bool {
	return f.RetryAfter > 0 || f.Kind == TooMany || f.Kind == Unavailable || f.Kind == Timeout
}

// From returns the fault that err is or wraps. Text that was wrapped around the fault becomes its cause, for the log. An
// exceeded deadline and a canceled context are ErrUnavailable; any other error is ErrInternal. From(nil) returns nil.
func From(err error) *Fault {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Fault](err); ok {
		if err == error(f) { //nolint:errorlint // a wrapped fault keeps its wrapper as its cause
			return f
		}
		return f.Because(err)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return ErrUnavailable.Because(err)
	}
	return ErrInternal.Because(err)
}
