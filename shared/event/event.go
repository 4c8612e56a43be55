// Package event defines the events that services publish: the platform's envelope around a payload, and their form as
// CloudEvents.
//
// Domain types return a Draft; Seal fills the envelope; Attributes and Data return the message; Read decodes any transport form
// into the same Raw; Decode returns the members that a consumer declares.
package event

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
)

// A Subject is a kind of event, declared by its producer: var ConfirmedV1 = event.Subject{…}.
type Subject struct {
	Name      string // melmastoon.<service>.<aggregate>.<verb in the past tense>.v<n>; topic and schema file have the same name
	Version   int
	SchemaURI string
	Producer  string // the service, such as reservation-service
	Retention Retention
	OneIn     int  // sampling: one event in n is published; 0 and 1 publish all
	Deferred  bool // the relay publishes it, within a minute: no service acts on it
	Flat      bool // the envelope has neither producedBy nor metadata, as for the two BFFs
}

// Retention says how long stored events are kept, and under which rules.
type Retention struct {
	Class  string // Operational, Audit or Regulated
	Period time.Duration
}

// Time returns a time as events and answers have it: in UTC, with milliseconds.
func Time(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// The retention classes.
const (
	Operational = "operational"
	Audit       = "audit"
	Regulated   = "regulated"
)

// The retention periods.
const (
	Day  = 24 * time.Hour
	Year = 365 * Day
)

// An Event is an event for a consumer: P declares the members of the payload that it reads.
type Event[P any] struct {
	Envelope Envelope
	Payload  P
	Delivery Delivery
}

// Delivery describes one delivery of an event. The same event may be delivered again with another message id.
type Delivery struct {
	EventID      id.Event
	Subject      string
	Tenant       *id.Tenant // nil if the event belongs to no tenant
	Processor    string     // the function that handles it; set by package fn
	MessageID    string
	Subscription string
	OrderingKey  string
	Attempt      int // counted from 1; 0 if the bus does not report it
}

// A Raw is an event with an undecoded payload.
type Raw struct {
	Envelope   Envelope
	Payload    jsontext.Value
	Extensions Extensions
	Delivery   Delivery
}

// Decode decodes the members of the payload that P declares. It ignores others, so that a producer may add members. It returns an error
// if payload and envelope name different tenants, because the event would then take effect in a tenant to which it does not belong.
func Decode[P any](r Raw) (Event[P], error) {
	e := Event[P]{Envelope: r.Envelope, Delivery: r.Delivery}
	var named struct {
		Tenant *id.Tenant `json:"tenantId"`
	}
	if err := errors.Join(json.Unmarshal(r.Payload, &e.Payload), json.Unmarshal(r.Payload, &named)); err != nil {
		return Event[P]{}, fault.ErrValidation.Because(fmt.Errorf("event: %s: payload%s", r.Envelope.Subject, place(err)))
	}
	if of := r.Envelope.TenantID; of != nil && named.Tenant != nil && *of != *named.Tenant {
		return Event[P]{}, fault.ErrValidation.Because(fmt.Errorf("event: %s: payload and envelope name different tenants", r.Envelope.Subject))
	}
	return e, nil
}

// place returns the position of a decoding error without the input, because payloads must not be logged.
func place(err error) string {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		return fmt.Sprintf("%s does not fit %v", e.JSONPointer, e.GoType)
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Sprintf("%s is not well-formed JSON at byte %d", e.JSONPointer, e.ByteOffset)
	}
	return " is not readable"
}
