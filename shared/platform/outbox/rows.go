package outbox

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/topic"
)

// A row is an unpublished event.
type row struct {
	ID       [16]byte
	Subject  string
	Key      string `db:"ordering_key"`
	Payload  []byte
	Envelope []byte
	Deferred bool
	Enqueued time.Time `db:"enqueued_at"`
}

// sealed is the content of the column envelope: the envelope as it is published, and the attributes beside it.
type sealed struct {
	event.Envelope
	Extensions event.Extensions `json:"extensions,omitzero"`
}

// message returns the row as a message published at that time.
func (r row) message(at time.Time) (topic.Message, error) {
	var s sealed
	if err := json.Unmarshal(r.Envelope, &s); err != nil {
		return topic.Message{}, errors.New("the envelope does not decode") // the cause may contain payload
	}
	s.PublishedAt = at
	raw := event.Raw{Envelope: s.Envelope, Payload: r.Payload, Extensions: s.Extensions}
	data, err := raw.Data()
	if err != nil {
		return topic.Message{}, err
	}
	return topic.Message{Topic: r.Subject, OrderingKey: r.Key, Attributes: raw.Attributes(), Data: data}, nil
}
