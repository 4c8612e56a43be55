package event

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	cloudevent "github.com/cloudevents/sdk-go/v2/event"
	"github.com/go-json-experiment/json"
)

const (
	jsonType       = "application/json"
	structuredType = "application/cloudevents+json"
	domain         = ".melmastoon.ghasi.io/"
)

// Data returns the body of the message: {"envelope":…,"payload":…}.
func (r Raw) Data() ([]byte, error) {
	data, err := json.Marshal(message{r.Envelope, r.Payload}, wire)
	if err != nil {
		return nil, fmt.Errorf("event: %s: data%s", r.Envelope.EventID, place(err))
	}
	return data, nil
}

// Attributes returns the CloudEvent's attributes in binary mode: ce-* and content-type. Each value is a legal header value,
// because a bus that turns attributes into headers never delivers a message with an illegal one.
func (r Raw) Attributes() map[string]string {
	e := r.Envelope
	all := make(map[string]string, 16)
	add := func(name, value string) {
		if value != "" {
			all[name] = headerSafe(value)
		}
	}
	for name, value := range r.Extensions {
		add(prefix+name, value)
	}
	e.imply(add) // the envelope takes precedence
	add("content-type", jsonType)
	add("ce-specversion", cloudevent.CloudEventsVersionV1)
	add("ce-id", e.EventID.String())
	add("ce-type", e.Subject)
	add("ce-source", e.source())
	add("ce-time", e.OccurredAt.UTC().Format(instant))
	add("ce-dataschema", e.SchemaURI)
	return all
}

// Structured returns the CloudEvent as one JSON document, for tools that read any CloudEvent.
func (r Raw) Structured() ([]byte, error) {
	data, err := r.Data()
	if err != nil {
		return nil, err
	}
	e, c := r.Envelope, cloudevent.New()
	c.SetID(e.EventID.String())
	c.SetType(e.Subject)
	c.SetSource(e.source())
	c.SetTime(e.OccurredAt.UTC().Truncate(time.Millisecond))
	c.SetDataSchema(e.SchemaURI)
	for name, value := range r.extensions() {
		c.SetExtension(name, value)
	}
	c.SetDataContentType(jsonType)
	c.DataEncoded = data
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("event: %s is not a CloudEvent: %w", e.EventID, err)
	}
	return c.MarshalJSON()
}

func (e Envelope) source() string {
	return "//" + e.Producer + domain + url.PathEscape(e.ProducerInstance)
}

// headerSafe escapes a value as the HTTP binding of CloudEvents requires: all but printable ASCII, and space, quote and percent.
func headerSafe(s string) string {
	unsafe := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '%' }
	if strings.IndexFunc(s, unsafe) < 0 {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if unsafe(rune(s[i])) {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
