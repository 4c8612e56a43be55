package event

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
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

// Data is the body that travels: {"envelope":…,"payload":…}.
func (r Raw) Data() ([]byte, error) {
	data, err := json.Marshal(message{r.Envelope, r.Payload}, wire)
	if err != nil {
		return nil, fmt.Errorf("event: %s: data%s", r.Envelope.EventID, place(err))
	}
	return data, nil
}

// Attributes are the CloudEvent in binary mode: ce-* and content-type. Each value is a legal header, because a bus that
// turns attributes into headers never delivers a message with one that is not.
func (r Raw) Attributes() map[string]string {
	e := r.Envelope
	attributes := map[string]string{
		"content-type":   jsonType,
		"ce-specversion": cloudevent.CloudEventsVersionV1,
		"ce-id":          e.EventID.String(),
		"ce-type":        e.Subject,
		"ce-source":      e.source(),
		"ce-time":        e.OccurredAt.UTC().Format(instant),
		"ce-dataschema":  e.SchemaURI,
	}
	for name, value := range r.extensions() {
		attributes["ce-"+name] = value
	}
	for name, value := range attributes {
		attributes[name] = headerSafe(value)
	}
	maps.DeleteFunc(attributes, func(_, value string) bool { return value == "" })
	return attributes
}

// Structured is the CloudEvent in one JSON document, for tools that read any CloudEvent.
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

// headerSafe escapes as the HTTP binding of CloudEvents says: what is not printable ASCII, and space, quote and percent.
func headerSafe(s string) string {
	unsafe := func(b byte) bool { return b <= ' ' || b >= 0x7f || b == '"' || b == '%' }
	if !slices.ContainsFunc([]byte(s), unsafe) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if unsafe(s[i]) {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
