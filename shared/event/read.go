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

// Read takes the event out of a push: a CloudEvent in binary mode (an unwrapped Pub/Sub push), one inside Pub/Sub's own
// wrapper, or a structured one. The same event gives the same Raw from each. An event that cannot be read now never can
// be: its error is a fault of kind Invalid. Only a body that broke off on the way is worth another delivery.
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

// Of reads an event as it lies in a topic. The errors are Read's.
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
	if err := json.Unmarshal(body, new(any)); err != nil { // the SDK's reader lets duplicate members and bad UTF-8 pass
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

// attributes are those that must agree with the data, and what comes beside it, however they came.
type attributes struct {
	specVersion, id, subject, source string
	extensions                       Extensions
}

// open reads the data of an event. Its envelope is what counts; attributes that say otherwise mean that somebody
// repacked the message, and then neither can be believed.
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

// delivered adds how this copy came.
func (r Raw) delivered(d Delivery) Raw {
	r.Delivery.MessageID, r.Delivery.Subscription, r.Delivery.Attempt = d.MessageID, d.Subscription, d.Attempt
	r.Delivery.OrderingKey = cmp.Or(d.OrderingKey, r.Delivery.OrderingKey)
	return r
}

// headerDelivery reads what a bus tells of an unwrapped push. Google's emulator names the ordering key differently.
func headerDelivery(h http.Header) Delivery {
	attempt, _ := strconv.Atoi(h.Get("X-Goog-Pubsub-Delivery-Attempt")) // absent without a dead-letter topic: 0, not told
	return Delivery{
		MessageID:    h.Get("X-Goog-Pubsub-Message-Id"),
		Subscription: h.Get("X-Goog-Pubsub-Subscription-Name"),
		OrderingKey:  cmp.Or(h.Get("X-Goog-Pubsub-Ordering-Key"), h.Get("X-Goog-Ordering-Key")),
		Attempt:      attempt,
	}
}
