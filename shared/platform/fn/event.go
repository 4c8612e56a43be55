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

// Event makes a function that hears Spec.Subject. P declares the members of the payload that it reads. An event that
// cannot be read, breaks its contract, or is parked by the act goes to the dead letters and is acknowledged.
func Event[P any](s Spec, build func(env.Env) (Handle[P], error)) Function {
	f := Function{Spec: s.settled(), In: reflect.TypeFor[P]()}
	f.build = func(e env.Env, s Spec) (endpoint, error) {
		g, err := newGate(e, s)
		if err != nil {
			return nil, err
		}
		to, _ := topic.Open(e)
		handle, err := build(e)
		return eventEndpoint{
			spec: s,
			gate: g,
			lot: deadLetters{
				name:  s.Name,
				topic: s.DeadLetter,
				to:    to,
			},
			handle: func(ctx context.Context, raw event.Raw) error {
				heard, err := event.Decode[P](raw)
				if err != nil {
					return DeadLetter(err)
				}
				return handle(ctx, heard)
			},
		}, err
	}
	return f
}

// An eventEndpoint is the endpoint of an event function that was opened.
type eventEndpoint struct {
	spec   Spec
	gate   auth
	lot    deadLetters
	handle func(context.Context, event.Raw) error
}

// acknowledged is 204 because every bus takes that for an acknowledgement; one emulator takes 202 for a refusal.
var acknowledged = answer{Status: http.StatusNoContent}

func (h eventEndpoint) act(ctx context.Context, r *http.Request, c *record) (answer, error) {
	if _, err := h.gate.admit(ctx, r, c); err != nil {
		return answer{}, err
	}
	body, err := readBody(ctx, c, r, h.spec.BodyLimit)
	if err != nil {
		return answer{}, err
	}
	// The body is read first, because an event that cannot be read is parked as it came.
	raw, err := event.Read(&http.Request{Header: r.Header, Body: io.NopCloser(bytes.NewReader(body))}, h.spec.BodyLimit)
	if hopeless(err) {
		return h.deadLetter(ctx, c, came(r.Header), body, err)
	}
	if err != nil {
		return answer{}, err
	}
	c.handle(raw)
	if !h.wanted(raw) {
		return acknowledged, nil
	}
	err = h.deliver(caused(ctx, raw, c), raw)
	if p, ok := errors.AsType[*deadLettered](err); ok {
		return h.deadLetterRaw(ctx, c, raw, p.reason)
	}
	return acknowledged, again5xx(err)
}

// handle holds the event to its contract and lets the act handle it.
func (h eventEndpoint) deliver(ctx context.Context, raw event.Raw) error {
	if raw.Envelope.Subject != h.spec.Subject {
		return DeadLetter(fmt.Errorf("fn: unexpected event %s", raw.Envelope.Subject))
	}
	if err := contract.ValidateIncoming(raw.Envelope.Subject, raw.Payload); hopeless(err) {
		return DeadLetter(err)
	} else if err != nil {
		return err
	}
	raw.Delivery.Processor = h.spec.Name
	return h.handle(ctx, raw)
}

// wanted checks what the subscription is to let through, which one emulator ignores. Most events are for everybody.
func (h eventEndpoint) wanted(raw event.Raw) bool {
	if len(h.spec.Filter) == 0 && raw.Extensions[event.ReplayTo] == "" {
		return true
	}
	attributes := raw.Attributes()
	s := topic.Subscription{Name: h.spec.Name, Filter: h.spec.Filter}
	return s.Wants(func(name string) string { return attributes[name] })
}

// caused returns a context in which events that the handling appends name this one as their cause, and continue its
// correlation id, its session and its trace.
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

// handle notes which event the call is about.
func (c *record) handle(raw event.Raw) {
	c.line.Subject, c.line.EventID, c.line.Attempt = raw.Envelope.Subject, raw.Envelope.EventID.String(), raw.Delivery.Attempt
	if raw.Envelope.TenantID != nil {
		c.line.Tenant = raw.Envelope.TenantID.String()
	}
}

// hopeless reports whether an error is about the form or the content of the event itself, which another delivery would not
// change: then it is parked at once.
func hopeless(err error) bool {
	return err != nil && fault.From(err).Kind == fault.Invalid
}

// again5xx makes every error an answer of 5xx, which asks for another delivery. A 4xx would ask for one too, but would read in
// the bus's own metrics as if it had sent something wrong.
func again5xx(err error) error {
	if err == nil || fault.From(err).Kind.Status() >= http.StatusInternalServerError {
		return err
	}
	return fault.ErrInternal.Because(err)
}

func (h eventEndpoint) deadLetterRaw(ctx context.Context, c *record, raw event.Raw, reason error) (answer, error) {
	data, err := raw.Data()
	if err != nil {
		return answer{}, err
	}
	attributes := raw.Attributes()
	attributes[deadLetterAttempt] = strconv.Itoa(raw.Delivery.Attempt)
	return h.deadLetter(ctx, c, attributes, data, reason)
}

// publish acknowledges an event once it is in the dead letters; if it cannot be put there, another delivery will try again.
func (h eventEndpoint) deadLetter(ctx context.Context, c *record, attributes map[string]string, data []byte, reason error) (answer, error) {
	if err := h.lot.publish(ctx, attributes, data, reason); err != nil {
		return answer{}, fault.ErrInternal.Because(err)
	}
	c.line.Parked = reason.Error()
	return acknowledged, nil
}
