package fn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/contract"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// Event returns a function that consumes Spec.Subject. P declares the members of the payload that the function reads. An event
// is dead-lettered and acknowledged if it cannot be read, if it violates its contract, if the act returns [DeadLetter], or if its last
// attempt fails. Any other error causes a redelivery (decision 13).
func Event[P any](s Spec, build func(env.Env) (Handle[P], error)) Function {
	f := Function{Spec: s.settled(), In: reflect.TypeFor[P]()}
	f.build = func(e env.Env, s Spec) (endpoint, error) {
		to, _ := topic.PublisherKey.Get(e)
		handle, err := build(e)
		return eventEndpoint{
			spec: s,
			to:   to,
			handle: func(ctx context.Context, raw event.Raw) error {
				e, err := event.Decode[P](raw)
				if err != nil {
					return DeadLetter(err)
				}
				return handle(ctx, e)
			},
		}, err
	}
	return f
}

// OfTenant returns build with a handler that dead-letters events without a tenant.
func OfTenant[P any](build func(env.Env) (Handle[P], error)) func(env.Env) (Handle[P], error) {
	return func(e env.Env) (Handle[P], error) {
		handle, err := build(e)
		return func(ctx context.Context, e event.Event[P]) error {
			if e.Delivery.Tenant == nil {
				return DeadLetter(fault.ErrValidation.Saying("The event names no tenant."))
			}
			return handle(ctx, e)
		}, err
	}
}

// An eventEndpoint is the endpoint of an opened event function.
type eventEndpoint struct {
	spec   Spec
	to     topic.Publisher // of dead letters; nil if no publisher is configured
	handle func(context.Context, event.Raw) error
}

// acknowledged is 204 because every bus takes that for an acknowledgement; one emulator treats 202 as an error.
var acknowledged = answer{Status: http.StatusNoContent}

func (h eventEndpoint) act(ctx context.Context, r *http.Request, c *record) (answer, error) {
	if _, err := c.admit(ctx, r); err != nil {
		return answer{}, err
	}
	body, err := readBody(ctx, c, r, h.spec.BodyLimit)
	if errors.Is(err, fault.ErrTooLarge) { // of unknown size: it was not read to its end
		attributes := pushAttributes(r.Header)
		attributes[DeadLetterSize] = "more than " + strconv.FormatInt(h.spec.BodyLimit, 10)
		return h.deadLetter(ctx, c, attributes, []byte{}, err)
	}
	if err != nil {
		return answer{}, err
	}
	// The body is read first, because an unreadable event is dead-lettered in its original form.
	raw, err := event.Read(&http.Request{Header: r.Header, Body: io.NopCloser(bytes.NewReader(body))}, h.spec.BodyLimit)
	if permanent(err) {
		return h.deadLetter(ctx, c, pushAttributes(r.Header), body, err)
	}
	if err != nil {
		return answer{}, err
	}
	c.line.Subject, c.line.EventID, c.line.Attempt = raw.Envelope.Subject, raw.Envelope.EventID.String(), raw.Delivery.Attempt
	if raw.Envelope.TenantID != nil {
		c.line.Tenant = raw.Envelope.TenantID.String()
	}
	if !h.wanted(raw) {
		return acknowledged, nil
	}
	err = h.deliver(caused(ctx, raw, c), raw)
	if p, ok := errors.AsType[*deadLettered](err); ok {
		return h.deadLetterRaw(ctx, c, raw, p.reason)
	}
	if err != nil && raw.Delivery.Attempt >= h.spec.Attempts && h.spec.DeadLetter != "" { // the bus would not keep the cause
		return h.deadLetterRaw(context.WithoutCancel(ctx), c, raw, fmt.Errorf("given up after %d attempts: %w", raw.Delivery.Attempt, err))
	}
	return acknowledged, again5xx(err)
}

// deliver validates the event against its contract and calls the act.
func (h eventEndpoint) deliver(ctx context.Context, raw event.Raw) error {
	if raw.Envelope.Subject != h.spec.Subject {
		return DeadLetter(fmt.Errorf("fn: unexpected event %s", raw.Envelope.Subject))
	}
	if err := contract.ValidateIncoming(raw.Envelope.Subject, raw.Payload); permanent(err) {
		return DeadLetter(err)
	} else if err != nil {
		return err
	}
	raw.Delivery.Processor = h.spec.Name
	return h.handle(ctx, raw)
}

// wanted reports whether the event matches the subscription's filter, which one emulator ignores.
func (h eventEndpoint) wanted(raw event.Raw) bool {
	attributes := raw.Attributes()
	s := topic.Subscription{Name: h.spec.subscription(), Filter: h.spec.Filter}
	return s.Wants(func(name string) string { return attributes[name] })
}

// caused returns a context in which appended events have this event as their cause and continue its correlation id, its session
// and its trace.
func caused(ctx context.Context, raw event.Raw, c *record) context.Context {
	e := raw.Envelope
	ctx, c.line.Trace = observe.Begin(ctx, http.Header{"Traceparent": {e.TraceID}})
	o := event.OriginOf(ctx)
	o.TraceParent, o.CausationID = observe.Parent(c.line.Trace), &e.EventID
	if e.CorrelationID != "" {
		o.CorrelationID = e.CorrelationID
	}
	if e.SessionID != nil {
		o.Session = *e.SessionID
	}
	if e.TenantID != nil {
		o.Caller = e.TenantID.String()
	}
	return event.WithOrigin(ctx, o)
}

// permanent reports whether an error is caused by the form or the content of the event itself. Redelivery would not change that,
// so the event is dead-lettered at once.
func permanent(err error) bool {
	return err != nil && fault.From(err).Kind == fault.Invalid
}

// again5xx turns every error into a 5xx answer, which requests redelivery. A 4xx would do so too, but would count in the bus's
// metrics as an invalid request.
func again5xx(err error) error {
	if err == nil || fault.From(err).Kind.Status() >= http.StatusInternalServerError {
		return err
	}
	return fault.ErrInternal.Because(err)
}
