// Package event is what services tell each other: the platform's envelope around a payload, and its form as a CloudEvent.
//
// A noun returns a Draft of what happened; Seal fills the envelope; Attributes and Data are what travels; Read takes any of
// the forms in which it may arrive back to the same Raw; Decode gives a consumer the part it declares.
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

// A Subject is a kind of event as its producer declares it: var ConfirmedV1 = event.Subject{…}.
type Subject struct {
	Name      string // melmastoon.<service>.<aggregate>.<verb in the past tense>.v<n>; topic and schema file are named so too
	Version   int
	SchemaURI string
	Producer  string // the service, such as reservation-service
	Retention Retention
	OneIn     int  // sampling: one in so many is told; 0 and 1 tell every one
	Flat      bool // its envelope has neither producedBy nor metadata, as those of the two BFFs
}

// Retention says how long an event is kept by those who keep events, and under which rules.
type Retention struct {
	Class  string // Operational, Audit or Regulated
	Period time.Duration
}

// The retention classes.
const (
	Operational = "operational"
	Audit       = "audit"
	Regulated   = "regulated"
)

// Periods of retention.
const (
	Day  = 24 * time.Hour
	Year = 365 * Day
)

// An Event is what a consumer handles: P declares the members it reads, and nothing else of the payload reaches it.
type Event[P any] struct {
	Envelope Envelope
	Payload  P
	Delivery Delivery
}

// Delivery says how this copy of an event came here. The same event may come again under another message id.
type Delivery struct {
	EventID      id.Event
	Subject      string
	Tenant       *id.Tenant // nil where the event belongs to no tenant
	Processor    string     // the function that handles it; filled by whoever calls the function
	MessageID    string
	Subscription string
	OrderingKey  string
	Attempt      int // counted from 1; 0 where the bus does not tell
}

// A Raw event has its payload unread.
type Raw struct {
	Envelope   Envelope
	Payload    jsontext.Value
	Extensions Extensions
	Delivery   Delivery
}

// Decode reads the members of the payload that P declares, and only those: what a producer adds never touches a consumer.
func Decode[P any](r Raw) (Event[P], error) {
	e := Event[P]{Envelope: r.Envelope, Delivery: r.Delivery}
	if err := json.Unmarshal(r.Payload, &e.Payload); err != nil {
		return Event[P]{}, fault.ErrValidation.Because(fmt.Errorf("event: %s: payload%s", r.Envelope.Subject, place(err)))
	}
	return e, nil
}

// place says where a document failed to decode without repeating what stands there: payloads never reach a log.
func place(err error) string {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		return fmt.Sprintf("%s does not fit %v", e.JSONPointer, e.GoType)
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Sprintf("%s is not well-formed JSON at byte %d", e.JSONPointer, e.ByteOffset)
	}
	return " is not readable"
}
