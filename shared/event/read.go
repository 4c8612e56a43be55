package event

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

	cloudevent "github.com/cloudevents/sdk-go/v2/event"
	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
)

// Read decodes a pushed event: a CloudEvent in binary mode (an unwrapped Pub/Sub push), one inside Pub/Sub's wrapper, or a
// structured one. All forms give the same Raw. An unreadable event cannot become readable, so the error is a fault of kind
// Invalid. Only an incomplete body is worth a redelivery.
func Read(r *http.Request, limit int64) (Raw, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, limit))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return Raw{}, unreadable(fmt.Errorf("more than %d bytes", limit))
	}
	if err != nil {
		return Raw{}, fault.ErrUnavailable.Because(fmt.Errorf("event: read body: %w", err))
	}
	raw, err := unwrap(r.Header, body)
	if err != nil {
		return Raw{}, unreadable(err)
	}
	return raw, nil
}

// Of reads an event from the attributes and data of a message. It returns the same errors as Read.
func Of(attributes map[string]string, data []byte) (Raw, error) {
	h := make(http.Header, len(attributes))
	for name, value := range attributes {
		h.Set(name, value)
	}
	raw, err := unwrap(h, data)
	if err != nil {
		return Raw{}, unreadable(err)
	}
	return raw, nil
}

func unreadable(cause error) error {
	return fault.ErrMalformedJSON.Because(fmt.Errorf("event: %w", cause))
}

func unwrap(h http.Header, body []byte) (Raw, error) {
	if media, _, _ := mime.ParseMediaType(h.Get("Content-Type")); media == structuredType {
		return structured(h, body)
	}
	if h.Get("Ce-Specversion") != "" {
		return binary(h, body)
	}
	return wrapped(body)
}

func binary(h http.Header, data []byte) (Raw, error) {
	raw, err := open(attributes{
		specVersion: h.Get("Ce-Specversion"),
		id:          h.Get("Ce-Id"),
		subject:     h.Get("Ce-Type"),
		source:      h.Get("Ce-Source"),
		extensions:  extensionsOf(headed(h)),
	}, data)
	if err != nil {
		return Raw{}, err
	}
	return raw.delivered(headerDelivery(h)), nil
}

func structured(h http.Header, body []byte) (Raw, error) {
	var c cloudevent.Event
	if err := json.Unmarshal(body, new(any)); err != nil { // the SDK's reader accepts duplicate members and invalid UTF-8
		return Raw{}, fmt.Errorf("the body%s", place(err))
	}
	if err := c.UnmarshalJSON(body); err != nil {
		return Raw{}, errors.New("the body is not a structured CloudEvent")
	}
	x := Extensions{}
	for name, value := range c.Extensions() {
		x[name] = fmt.Sprint(value)
	}
	raw, err := open(attributes{
		specVersion: c.SpecVersion(),
		id:          c.ID(),
		subject:     c.Type(),
		source:      c.Source(),
		extensions:  x,
	}, c.Data())
	if err != nil {
		return Raw{}, err
	}
	return raw.delivered(headerDelivery(h)), nil
}

// A push is Pub/Sub's wrapper.
type push struct {
	Message struct {
		Data        []byte            `json:"data"`
		Attributes  map[string]string `json:"attributes"`
		MessageID   string            `json:"messageId"`
		OrderingKey string            `json:"orderingKey"`
	} `json:"message"`
	Subscription    string `json:"subscription"`
	DeliveryAttempt int    `json:"deliveryAttempt"`
}

func wrapped(body []byte) (Raw, error) {
	var p push
	if err := json.Unmarshal(body, &p); err != nil {
		return Raw{}, fmt.Errorf("the push%s", place(err))
	}
	a := p.Message.Attributes
	raw, err := open(attributes{
		specVersion: a["ce-specversion"],
		id:          a["ce-id"],
		subject:     a["ce-type"],
		source:      a["ce-source"],
		extensions:  extensionsOf(a),
	}, p.Message.Data)
	if err != nil {
		return Raw{}, err
	}
	return raw.delivered(Delivery{MessageID: p.Message.MessageID, Subscription: p.Subscription,
		OrderingKey: p.Message.OrderingKey, Attempt: p.DeliveryAttempt}), nil
}

// attributes are the attributes that must agree with the data, and the extensions, regardless of the transport.
type attributes struct {
	specVersion, id, subject, source string
	extensions                       Extensions
}

// open reads the data of an event. If attributes and envelope disagree, the message was repacked and neither is trusted.
func open(a attributes, data []byte) (Raw, error) {
	if a.specVersion != cloudevent.CloudEventsVersionV1 {
		return Raw{}, errors.New("not a CloudEvent 1.0")
	}
	if a.source == "" { // CloudEvents requires it
		return Raw{}, errors.New("the event has no source")
	}
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return Raw{}, fmt.Errorf("the data%s", place(err))
	}
	if err := m.Envelope.validate(); err != nil {
		return Raw{}, err
	}
	if m.Payload.Kind() != '{' {
		return Raw{}, errors.New("the payload is not an object")
	}
	if a.id != m.Envelope.EventID.String() || a.subject != m.Envelope.Subject {
		return Raw{}, errors.New("the attributes and the envelope name different events")
	}
	raw := Raw{Envelope: m.Envelope, Payload: m.Payload, Extensions: a.extensions.beside(m.Envelope)}
	raw.Delivery = raw.delivery()
	return raw, nil
}

// delivered adds the data of this delivery.
func (r Raw) delivered(d Delivery) Raw {
	r.Delivery.MessageID, r.Delivery.Subscription, r.Delivery.Attempt = d.MessageID, d.Subscription, d.Attempt
	r.Delivery.OrderingKey = cmp.Or(d.OrderingKey, r.Delivery.OrderingKey)
	return r
}

// headerDelivery reads the delivery's data from the headers of an unwrapped push. Google's emulator uses another header for the
// ordering key.
func headerDelivery(h http.Header) Delivery {
	attempt, _ := strconv.Atoi(h.Get("X-Goog-Pubsub-Delivery-Attempt")) // absent without a dead-letter topic: then 0
	return Delivery{
		MessageID:    h.Get("X-Goog-Pubsub-Message-Id"),
		Subscription: h.Get("X-Goog-Pubsub-Subscription-Name"),
		OrderingKey:  cmp.Or(h.Get("X-Goog-Pubsub-Ordering-Key"), h.Get("X-Goog-Ordering-Key")),
		Attempt:      attempt,
	}
}
