package event

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

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
	attributes := make(map[string]string, len(r.Header))
	for name, values := range r.Header {
		attributes[strings.ToLower(name)] = values[0]
	}
	return Of(attributes, body)
}

// Of reads an event from the attributes and data of a message. It returns the same errors as Read.
func Of(attributes map[string]string, data []byte) (Raw, error) {
	raw, err := unwrap(attributes, data)
	if err != nil {
		return Raw{}, unreadable(err)
	}
	return raw, nil
}

func unreadable(cause error) error {
	return fault.ErrMalformedJSON.Because(fmt.Errorf("event: %w", cause))
}

func unwrap(attributes map[string]string, body []byte) (Raw, error) {
	if media, _, _ := mime.ParseMediaType(attributes["content-type"]); media == structuredType {
		return structured(attributes, body)
	}
	if attributes["ce-specversion"] != "" {
		return open(names(attributes), body, headerDelivery(attributes))
	}
	return wrapped(body)
}

// names returns the attributes of a CloudEvent in binary mode by their names in the specification, unescaped.
func names(attributes map[string]string) Extensions {
	x := Extensions{}
	for name, value := range attributes {
		if name, ok := strings.CutPrefix(name, prefix); ok {
			x[name] = unescaped(value)
		}
	}
	return x
}

func structured(attributes map[string]string, body []byte) (Raw, error) {
	var c cloudevent.Event
	if err := json.Unmarshal(body, new(any)); err != nil { // the SDK's reader accepts duplicate members and invalid UTF-8
		return Raw{}, fmt.Errorf("the body%s", place(err))
	}
	if err := c.UnmarshalJSON(body); err != nil {
		return Raw{}, errors.New("the body is not a structured CloudEvent")
	}
	x := Extensions{"specversion": c.SpecVersion(), "id": c.ID(), "type": c.Type(), "source": c.Source()}
	for name, value := range c.Extensions() {
		x[name] = fmt.Sprint(value)
	}
	return open(x, c.Data(), headerDelivery(attributes))
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
	return open(names(p.Message.Attributes), p.Message.Data, Delivery{
		MessageID:    p.Message.MessageID,
		Subscription: p.Subscription,
		OrderingKey:  p.Message.OrderingKey,
		Attempt:      p.DeliveryAttempt,
	})
}

// open reads the data of an event with all its attributes. If attributes and envelope disagree, the message was repacked and
// neither is trusted.
func open(x Extensions, data []byte, d Delivery) (Raw, error) {
	if x["specversion"] != cloudevent.CloudEventsVersionV1 {
		return Raw{}, errors.New("not a CloudEvent 1.0")
	}
	if x["source"] == "" { // CloudEvents requires it
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
	if x["id"] != m.Envelope.EventID.String() || x["type"] != m.Envelope.Subject {
		return Raw{}, errors.New("the attributes and the envelope name different events")
	}
	return Raw{Envelope: m.Envelope, Payload: m.Payload, Extensions: x.beside(m.Envelope)}.delivered(d), nil
}

// headerDelivery reads the delivery's data from the headers of an unwrapped push. Google's emulator uses another header for the
// ordering key.
func headerDelivery(h map[string]string) Delivery {
	attempt, _ := strconv.Atoi(h["x-goog-pubsub-delivery-attempt"]) // absent without a dead-letter topic: then 0
	return Delivery{
		MessageID:    h["x-goog-pubsub-message-id"],
		Subscription: h["x-goog-pubsub-subscription-name"],
		OrderingKey:  cmp.Or(h["x-goog-pubsub-ordering-key"], h["x-goog-ordering-key"]),
		Attempt:      attempt,
	}
}
