package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/id"
)

// A Draft is an event before Seal adds the cause and the time. Domain types return drafts: reservation.Confirmed(r).
type Draft struct {
	Subject          Subject
	Tenant           id.Tenant // zero if the event belongs to no tenant
	OrderingKey      string
	AggregateVersion int
	Residency        string      // the region the tenant's data must stay in, if the producer knows it
	Session          string      // the visitor's session; the Origin's if empty
	Attribution      *Attributed // the campaign that brought the visitor, if any
	Payload          any         // marshals to a JSON object
	Extensions       Extensions  // additional attributes that subscriptions filter by
	ID               id.Event    // generated if zero; derived from the act if the producer may repeat it
}

// An Origin describes the cause of events. The context carries it from the start of a call to its events.
type Origin struct {
	RequestID     string
	TraceParent   string
	CorrelationID string    // of the first request in the chain; this request's if empty
	CausationID   *id.Event // the event that is being handled, if any
	Session       string
	Instance      string // of the running function
	Caller        string // the client's address, or a service or staff of one tenant; not part of an event
}

type originKey struct{}

// WithOrigin returns the context of a call caused by o.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf returns the context's Origin, or the zero Origin.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}

// Seal turns the draft into an event that happens now, caused by o.
func (d Draft) Seal(now time.Time, o Origin) (Raw, error) {
	if d.Subject.Name == "" || d.Subject.Version < 1 || d.Subject.Producer == "" {
		return Raw{}, errors.New("event: seal: the subject is not declared")
	}
	payload, err := json.Marshal(d.Payload, Encoding)
	if err != nil {
		return Raw{}, fmt.Errorf("event: seal %s: payload%s", d.Subject.Name, place(err))
	}
	if err := d.Extensions.check(); err != nil {
		return Raw{}, fmt.Errorf("event: seal %s: %w", d.Subject.Name, err)
	}
	raw := Raw{Envelope: d.envelope(now, o), Payload: payload, Extensions: maps.Clone(d.Extensions)}
	if d.Subject.Flat {
		raw.Extensions = d.metadata().extensions().and(d.Extensions)
	}
	return raw.delivered(Delivery{}), nil
}

func (d Draft) metadata() Metadata {
	return Metadata{
		DataResidency:    d.Residency,
		OrderingKey:      d.OrderingKey,
		AggregateVersion: d.AggregateVersion,
	}
}

func (d Draft) envelope(now time.Time, o Origin) Envelope {
	e := Envelope{
		EventID:          d.ID,
		Subject:          d.Subject.Name,
		Version:          d.Subject.Version,
		OccurredAt:       Time(now),
		Producer:         d.Subject.Producer,
		ProducerInstance: o.Instance,
		SessionID:        orNull(cmp.Or(d.Session, o.Session)),
		RequestID:        o.RequestID,
		TraceID:          o.TraceParent,
		CausationID:      o.CausationID,
		CorrelationID:    cmp.Or(o.CorrelationID, o.RequestID),
		SchemaURI:        d.Subject.SchemaURI,
		RetentionClass:   d.Subject.Retention.Class,
		SamplingRate:     1 / float64(max(1, d.Subject.OneIn)),
		Attribution:      d.Attribution,
	}
	if !d.Subject.Flat {
		e.ProducedBy, e.Metadata = &ProducedBy{d.Subject.Producer, o.Instance}, d.metadata()
	}
	if e.EventID.IsZero() {
		e.EventID = id.New[id.Event]()
	}
	if !d.Tenant.IsZero() {
		e.TenantID = &d.Tenant
	}
	return e
}

// delivered adds the data of a delivery, and the fields that all copies of the event share, regardless of the transport.
func (r Raw) delivered(d Delivery) Raw {
	e := r.Envelope
	d.EventID, d.Subject, d.Tenant = e.EventID, e.Subject, e.TenantID
	d.OrderingKey = cmp.Or(d.OrderingKey, e.Metadata.OrderingKey, r.Extensions[partitionKey])
	r.Delivery = d
	return r
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
