package event

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/id"
)

// An Envelope holds the metadata of an event: type, time, tenant and cause. Its JSON is the platform's flat envelope.
type Envelope struct {
	EventID          id.Event    `json:"eventId"`
	Subject          string      `json:"subject"`
	Version          int         `json:"version"`
	OccurredAt       time.Time   `json:"occurredAt"`
	PublishedAt      time.Time   `json:"publishedAt,omitzero"` // set when published; absent while the event is in an outbox
	Producer         string      `json:"producer"`
	ProducerInstance string      `json:"producerInstance"`
	TenantID         *id.Tenant  `json:"tenantId"`
	UserID           *string     `json:"userId"`
	SessionID        *string     `json:"sessionId"`
	RequestID        string      `json:"requestId"`
	TraceID          string      `json:"traceId"` // the whole W3C traceparent, as the platform has always written it
	CausationID      *id.Event   `json:"causationId"`
	CorrelationID    string      `json:"correlationId"`
	SchemaURI        string      `json:"schemaUri"`
	RetentionClass   string      `json:"retentionClass"`
	SamplingRate     float64     `json:"samplingRate"`
	Attribution      *Attributed `json:"marketingAttribution,omitzero"`
	ProducedBy       *ProducedBy `json:"producedBy,omitzero"`
	Metadata         Metadata    `json:"metadata,omitzero"`
}

// Attributed is the campaign that brought a guest.
type Attributed struct {
	Source   string `json:"source,omitzero"`
	Medium   string `json:"medium,omitzero"`
	Campaign string `json:"campaign,omitzero"`
}

// ProducedBy repeats the producer, as consumers of domain events expect it.
type ProducedBy struct {
	Service  string `json:"service"`
	Instance string `json:"instance"`
}

// Metadata is used by the transport and by consumers of an aggregate. OrderingKey keeps the order within one subject;
// AggregateVersion lets a consumer of several subjects ignore an older version after a newer one.
type Metadata struct {
	DataResidency    string `json:"dataResidency,omitzero"`
	OrderingKey      string `json:"orderingKey,omitzero"`
	AggregateVersion int    `json:"aggregateVersion,omitzero"`
}

// validate returns an error if the envelope has no id, subject, version or time.
func (e Envelope) validate() error {
	switch {
	case e.EventID.IsZero():
		return errors.New("the envelope has no eventId")
	case e.Subject == "":
		return errors.New("the envelope has no subject")
	case e.Version < 1:
		return errors.New("the envelope has no version")
	case e.OccurredAt.IsZero():
		return errors.New("the envelope has no occurredAt")
	}
	return nil
}

// A message is the data of an event on the wire.
type message struct {
	Envelope Envelope       `json:"envelope"`
	Payload  jsontext.Value `json:"payload"`
}

const instant = "2006-01-02T15:04:05.000Z"

// Encoding are the options with which events and answers are encoded: members in a fixed order, times in UTC with milliseconds. It is a
// variable only for the encoder's cache.
var Encoding = json.JoinOptions(
	json.Deterministic(true),
	json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, t time.Time) error {
		return enc.WriteToken(jsontext.String(t.UTC().Format(instant)))
	})),
)
