package event

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	cloudevent "github.com/cloudevents/sdk-go/v2/event"
	"github.com/go-json-experiment/json"
)

const (
	jsonType       = "application/json"
	structuredType = "application/cloudevents+json"
	domain         = ".melmastoon.ghasi.io/"
	prefix         = "ce-" // of attributes in binary mode
	partitionKey   = "partitionkey"
	sequence       = "sequence"
)

// Extensions are CloudEvent attributes in addition to those derived from the envelope, by name: "errorcode", without the "ce-"
// of the wire. Subscriptions can filter by them. They are visible to every tool on the way, so they must not contain personal
// data.
type Extensions map[string]string

// Extensions of a replayed copy of a dead-lettered event. They belong to the copy (decision 16); a draft must not set them.
const (
	ReplayTo = "replayto" // the only subscription that receives it
	Replays  = "replays"  // number of replays, including this one
)

// core are the attributes of a CloudEvent that are not extensions.
var core = []string{"specversion", "id", "type", "source", "time", "subject", "dataschema", "datacontenttype", "data"}

// derived are the extensions that are derived from the envelope, or from the metadata that a flat envelope omits.
var derived = []string{partitionKey, sequence, "traceparent", "correlationid", "sampledrate", "causationid", "tenantid"}

// legal reports whether CloudEvents allows the name for an extension.
func legal(name string) bool {
	foreign := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	return len(name) >= 1 && len(name) <= 20 && !strings.ContainsFunc(name, foreign) && !slices.Contains(core, name)
}

// check returns an error for names that CloudEvents forbids, and for reserved ones.
func (x Extensions) check() error {
	for name := range x {
		if !legal(name) || slices.Contains(derived, name) || name == ReplayTo || name == Replays {
			return fmt.Errorf("%q is no name for an extension", name)
		}
	}
	return nil
}

// and returns x with the entries of y that x does not have, or nil if there are none.
func (x Extensions) and(y Extensions) Extensions {
	both := Extensions{}
	maps.Copy(both, y)
	maps.Copy(both, x)
	maps.DeleteFunc(both, func(_, value string) bool { return value == "" })
	if len(both) == 0 {
		return nil
	}
	return both
}

// beside returns the entries of x that are not derived from the envelope and must be stored beside it.
func (x Extensions) beside(e Envelope) Extensions {
	implied, own := e.extensions(), Extensions{}
	for name, value := range x {
		if implied[name] == "" && legal(name) {
			own[name] = value
		}
	}
	return own.and(nil)
}

// extensions returns the members of the envelope that other tools expect as attributes of a CloudEvent.
func (e Envelope) extensions() Extensions {
	x := Extensions{"traceparent": e.TraceID, "correlationid": e.CorrelationID}
	if e.SamplingRate > 0 {
		x["sampledrate"] = strconv.Itoa(int(math.Round(1 / e.SamplingRate)))
	}
	if e.CausationID != nil {
		x["causationid"] = e.CausationID.String()
	}
	if e.TenantID != nil {
		x["tenantid"] = e.TenantID.String()
	}
	return x.and(e.Metadata.extensions())
}

func (m Metadata) extensions() Extensions {
	x := Extensions{partitionKey: m.OrderingKey}
	if m.AggregateVersion > 0 {
		x[sequence] = fmt.Sprintf("%010d", m.AggregateVersion) // padded, because filters compare strings
	}
	return x
}

// Data returns the body of the message: {"envelope":…,"payload":…}.
func (r Raw) Data() ([]byte, error) {
	data, err := json.Marshal(message{r.Envelope, r.Payload}, Encoding)
	if err != nil {
		return nil, fmt.Errorf("event: %s: data%s", r.Envelope.EventID, place(err))
	}
	return data, nil
}

// attributes returns the attributes of the CloudEvent by name. The envelope takes precedence over the extensions beside it.
func (r Raw) attributes() Extensions {
	e := r.Envelope
	return Extensions{
		"specversion": cloudevent.CloudEventsVersionV1,
		"id":          e.EventID.String(),
		"type":        e.Subject,
		"source":      "//" + e.Producer + domain + url.PathEscape(e.ProducerInstance),
		"time":        e.OccurredAt.UTC().Format(instant),
		"dataschema":  e.SchemaURI,
	}.and(e.extensions().and(r.Extensions))
}

// Attributes returns the CloudEvent's attributes in binary mode: ce-* and content-type. Each value is a legal header value,
// because a bus that turns attributes into headers never delivers a message with an illegal one.
func (r Raw) Attributes() map[string]string {
	all := map[string]string{"content-type": jsonType}
	for name, value := range r.attributes() {
		all[prefix+name] = escaped(value)
	}
	return all
}

// Structured returns the CloudEvent as one JSON document, for tools that read any CloudEvent.
func (r Raw) Structured() ([]byte, error) {
	document := map[string]any{"datacontenttype": jsonType, "data": message{r.Envelope, r.Payload}}
	for name, value := range r.attributes() {
		document[name] = value
	}
	data, err := json.Marshal(document, Encoding)
	if err != nil {
		return nil, fmt.Errorf("event: %s: CloudEvent%s", r.Envelope.EventID, place(err))
	}
	return data, nil
}

// escaped escapes a value as the HTTP binding of CloudEvents requires: all but printable ASCII, and space, quote and percent.
func escaped(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unescaped(value string) string {
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value // the producer does not escape
}
