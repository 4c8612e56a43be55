package booking

import (
	"context"
	"errors"
	"net/http"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Refusals publishes flow.error_encountered for the errors that guests are shown. The middleware of the service passes every error
// of a call to Publish, so acts do not publish errors themselves.
type Refusals struct {
	drafts         Drafts
	publishTimeout time.Duration
	grace          time.Duration
}

const (
	refusalTimeout = 300 * time.Millisecond // for publishing, because the guest waits for the response
	refusalGrace   = 25 * time.Millisecond  // for publishing after the deadline of the call, which a response may exceed by 50 ms
)

// OpenRefusals returns Refusals with its stores.
func OpenRefusals(e env.Env) *Refusals {
	return &Refusals{drafts: OpenDrafts(e), publishTimeout: e.Timeout(refusalTimeout), grace: e.Timeout(refusalGrace)}
}

// A flow records which draft a call has read or stored, and whether its error was published.
type flow struct {
	draft     *Draft // as last read or stored; nil if the call has no draft
	published bool   // Save has published the error with the draft
}

type flowKey struct{}

func flowOf(ctx context.Context) *flow {
	if f, ok := ctx.Value(flowKey{}).(*flow); ok {
		return f
	}
	return &flow{}
}

// Watch returns a context in which the store records the draft of a call. Publish reads it from the same context.
func (r *Refusals) Watch(ctx context.Context) context.Context {
	return context.WithValue(ctx, flowKey{}, &flow{})
}

// stored records a copy of the draft as it is in the database, because the act may change its own without storing it.
func (f *flow) stored(d *Draft, events ...event.Draft) {
	kept := *d
	f.draft = &kept
	for _, e := range events {
		f.published = f.published || e.Subject.Name == subject.ErrorEncounteredV1.Name
	}
}

// Publish publishes an error that the visitor is shown. It ignores malformed input, which the client corrects before the guest
// continues, and calls without a session. The event is telemetry, so a failure to publish is ignored.
func (r *Refusals) Publish(ctx context.Context, v session.Visitor, h http.Header, shown error, now time.Time) {
	f, call := fault.From(shown), flowOf(ctx)
	if f == nil || f.Kind == fault.Invalid || call.published {
		return
	}
	if f.Is(handoff.ErrReplayed) {
		return // Arrivals.Accept has published the replay, with the hashes of the second client
	}
	ctx, cancel := r.within(ctx)
	defer cancel()
	if call.draft != nil {
		_ = r.drafts.publishError(ctx, call.draft, shown, now)
		return
	}
	if v.Session.ID.IsZero() {
		if f.Is(fault.ErrUnauthenticated) || attribution.DeviceOf(h) == attribution.Other {
			return // no session is stored for this caller
		}
		v.Session = session.Begin(session.FromHeaders(v.Tenant, h)) // the event needs an id; the session is not stored
	}
	_ = r.drafts.append(ctx, v.Tenant.ID, v.Session.Silent(), session.NewEvent(v, subject.ErrorEncounteredV1, visitError{
		Tenant:     v.Tenant.ID,
		Session:    v.Session.ID,
		shownError: shownErrorOf(f, serviceOf(shown), now),
	}))
}

// within returns the context for publishing. It is not cancelled with the call, and ends at the latest after the grace period
// that follows the call's deadline.
func (r *Refusals) within(ctx context.Context) (context.Context, context.CancelFunc) {
	wait := r.publishTimeout
	if until, ok := ctx.Deadline(); ok {
		wait = min(wait, max(0, time.Until(until))+r.grace)
	}
	return context.WithTimeout(context.WithoutCancel(ctx), wait)
}

// A shownError holds the members that are common to all error events.
type shownError struct {
	Code       string    `json:"errorCode"`
	Upstream   string    `json:"upstream,omitzero"`
	OccurredAt time.Time `json:"occurredAt"`
	Actionable bool      `json:"userActionable"`
	RetryAfter int       `json:"retryAfterSec"`
}

func shownErrorOf(f *fault.Fault, upstream string, now time.Time) shownError {
	return shownError{
		Code:       publicCode(f),
		Upstream:   upstream,
		OccurredAt: event.Time(now),
		Actionable: f.Kind.Status() < 500,
		RetryAfter: int(f.RetryAfter / time.Second),
	}
}

func publicCode(f *fault.Fault) string { return "MELMASTOON." + f.Code }

// A visitError is the payload of an error outside of a draft.
type visitError struct {
	Tenant  id.Tenant        `json:"tenantId"`
	Session id.TenantSession `json:"sessionId"`
	shownError
}

// publishError publishes an error and records it in the draft. If the draft has ended, or if the guest was shown the same error
// last, it only publishes, so that reloading a page does not create a new version of the draft.
func (s Drafts) publishError(ctx context.Context, d *Draft, shown error, now time.Time) error {
	upstream := serviceOf(shown)
	only := d.errorEvent(fault.From(shown), upstream, now)
	only.AggregateVersion = 0 // no version of the draft contains it
	if !d.State.Ended() && !d.hasShown(shown) {
		err := s.Save(ctx, d, d.RecordError(shown, upstream, now))
		if !errors.Is(err, fault.ErrVersionConflict) {
			return err
		}
	}
	return s.append(ctx, d.Tenant, d.silences(), only)
}

// hasShown reports whether the error is the one that the guest was shown last.
func (d *Draft) hasShown(err error) bool {
	if len(d.Errors) == 0 {
		return false
	}
	last := d.Errors[len(d.Errors)-1]
	return last.State == d.State && last.Code == publicCode(fault.From(err))
}

// append publishes the sampled events in a separate transaction.
func (s Drafts) append(ctx context.Context, t id.Tenant, silent bool, events ...event.Draft) error {
	sampled := s.flags.Sampled(silent, events...)
	if len(sampled) == 0 {
		return nil
	}
	return s.db.InTenant(ctx, t, func(tx postgres.Tx) error { return s.outbox.Append(ctx, tx, sampled...) })
}

// A serviceError is an error that another service caused.
type serviceError struct {
	service string
	cause   error
}

// Error returns the text for logs.
func (e *serviceError) Error() string { return e.cause.Error() }

// Unwrap returns the error of the service.
func (e *serviceError) Unwrap() error { return e.cause }

// wrapServiceError wraps the error of a client's method with the name of its service. Methods defer it.
func wrapServiceError(service string, err *error) {
	if *err != nil {
		*err = &serviceError{service: service, cause: *err}
	}
}

// serviceOf returns the name of the service that caused an error, as in events, or "".
func serviceOf(err error) string {
	if e, ok := errors.AsType[*serviceError](err); ok {
		return e.service
	}
	return ""
}
