package eventdocs

import (
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// published returns the subjects that functions publish, by name.
func published(functions []fn.Function) map[string]event.Subject {
	all := map[string]event.Subject{}
	for _, f := range functions {
		for _, s := range f.Spec.Publishes {
			all[s.Name] = s
		}
	}
	return all
}

// The event of an example happened at the time of the examples of the schemas.
var (
	exampleTime   = time.Date(2026, 4, 23, 9, 14, 22, 41e6, time.UTC)
	exampleOrigin = event.Origin{RequestID: "req_01J9ZQ3V7M4K8T2XN5B6C7D8E9", TraceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Instance: "example"}
)

const exampleEvent = "evt_01J9ZQ3V7M4K8T2XN5B6C7D8E9"

// example returns a message as the outbox publishes it, with the payload of the schema's first example. The tests of the contracts
// validate that payload.
func example(s Schema, subject event.Subject) (object, error) {
	var payload map[string]any
	if examples, _ := s.Body["examples"].([]any); len(examples) > 0 {
		payload, _ = examples[0].(map[string]any)
	}
	d := event.Draft{Subject: subject, OrderingKey: keyOf(s.OrderingKey, payload), AggregateVersion: 3, Payload: payload}
	var err error
	if d.ID, err = id.Parse[id.Event](exampleEvent); err != nil {
		return nil, err
	}
	if tenant, ok := payload["tenantId"].(string); ok {
		if d.Tenant, err = id.Parse[id.Tenant](tenant); err != nil {
			return nil, err
		}
	}
	raw, err := d.Seal(exampleTime, exampleOrigin)
	if err != nil {
		return nil, err
	}
	raw.Envelope.PublishedAt = exampleTime.Add(12 * time.Millisecond)
	data, err := json.Marshal(object{"envelope": raw.Envelope, "payload": raw.Payload}, event.Encoding)
	return object{"name": "published", "headers": raw.Attributes(), "payload": jsontext.Value(data)}, err
}

var placeholder = regexp.MustCompile(`\{[^}]+\}`)

// keyOf returns the ordering key that an annotation describes, for a payload: "{a|b}" is b if there is no a.
func keyOf(annotation string, payload map[string]any) string {
	return placeholder.ReplaceAllStringFunc(annotation, func(names string) string {
		for name := range strings.SplitSeq(strings.Trim(names, "{}"), "|") {
			if value, ok := payload[name].(string); ok {
				return value
			}
		}
		return "none"
	})
}

// headers describes the attributes of a CloudEvent in binary mode, which are attributes of the message and headers of a push.
func headers() object {
	text := func(description string) object { return object{"type": "string", "description": description} }
	return object{
		"type": "object", "required": []any{"content-type", "ce-specversion", "ce-id", "ce-type", "ce-source", "ce-time", "ce-dataschema"},
		"properties": object{
			"content-type": text("application/json"), "ce-specversion": text("1.0"),
			"ce-id":            text("envelope.eventId; repeated deliveries have the same."),
			"ce-type":          text("envelope.subject; subscriptions filter by it."),
			"ce-source":        text("The service and the running function."),
			"ce-time":          text("envelope.occurredAt."),
			"ce-dataschema":    text("envelope.schemaUri."),
			"ce-tenantid":      text("envelope.tenantId; absent on events without a tenant."),
			"ce-partitionkey":  text("The ordering key."),
			"ce-sequence":      text("The version of the aggregate with ten digits, so that texts compare like numbers."),
			"ce-traceparent":   text("envelope.traceId, the W3C traceparent."),
			"ce-correlationid": text("envelope.correlationId."),
			"ce-causationid":   text("envelope.causationId; absent on events that a request caused."),
			"ce-sampledrate":   text("One event of so many is published."),
			"ce-replayto":      text("Only on a replayed dead letter: the only subscription that receives it."),
			"ce-replays":       text("Only on a replayed dead letter: the number of replays."),
		},
	}
}
