package event_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

var heldV1 = event.Subject{
	Name: "melmastoon.reservation.held.v1", Version: 1, SchemaURI: "https://schemas.melmastoon.io/reservation/held/v1.json",
	Producer: "reservation-service", Retention: event.Retention{Class: event.Regulated, Period: 7 * event.Year},
}

const (
	tenantText = "tnt_01H3Z3GXSE7Y8B5RBQ8H6JQK7Z"
	eventText  = "evt_01H8YN7QV4D8KZ4F8Y5CK4MV3D"
	causeText  = "evt_01H8YN7QV4D8KZ4F8Y5CK4MV3C"
	trace      = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	key        = tenantText + ":rsv_01H3Z4WK7TS5K8B5RBQ8H6JQK7"
)

// happened is in another zone and finer than a millisecond, as a database may return it.
var happened = time.Date(2026, 4, 22, 23, 1, 0, 123_456_000, time.FixedZone("Kabul", 4*60*60+30*60))

type held struct {
	Nights int       `json:"nights"`
	At     time.Time `json:"occurredAt"`
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func draft() event.Draft {
	return event.Draft{
		Subject: heldV1, Tenant: must(id.Parse[id.Tenant](tenantText)), OrderingKey: key, AggregateVersion: 3,
		Payload: held{Nights: 3, At: happened}, ID: must(id.Parse[id.Event](eventText)),
	}
}

func origin() event.Origin {
	cause := must(id.Parse[id.Event](causeText))
	return event.Origin{RequestID: "req_1", TraceParent: trace, CorrelationID: "req_0", CausationID: &cause,
		Session: "tnt_session_1", Instance: "reservation-hold-00001"}
}

func sealed(t *testing.T) event.Raw {
	t.Helper()
	return check.Got(draft().Seal(happened, origin())).Must(t)
}

func TestEvent_envelope(t *testing.T) {
	t.Parallel()
	raw := sealed(t)
	raw.Envelope.PublishedAt = happened.Add(17 * time.Millisecond)
	const want = `{"envelope":{"eventId":"` + eventText + `","subject":"melmastoon.reservation.held.v1","version":1,` +
		`"occurredAt":"2026-04-22T18:31:00.123Z","publishedAt":"2026-04-22T18:31:00.140Z",` +
		`"producer":"reservation-service","producerInstance":"reservation-hold-00001",` +
		`"tenantId":"` + tenantText + `","userId":null,"sessionId":"tnt_session_1","requestId":"req_1","traceId":"` + trace + `",` +
		`"causationId":"` + causeText + `","correlationId":"req_0",` +
		`"schemaUri":"https://schemas.melmastoon.io/reservation/held/v1.json","retentionClass":"regulated","samplingRate":1,` +
		`"producedBy":{"service":"reservation-service","instance":"reservation-hold-00001"},` +
		`"metadata":{"orderingKey":"` + key + `","aggregateVersion":3}},` +
		`"payload":{"nights":3,"occurredAt":"2026-04-22T18:31:00.123Z"}}`
	if got, err := raw.Data(); err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

func TestData_rejectsMalformedEvents(t *testing.T) {
	t.Parallel()
	for name, corrupt := range map[string]func(*event.Raw){
		"empty payload":        func(r *event.Raw) { r.Payload = []byte{} },
		"incomplete payload":   func(r *event.Raw) { r.Payload = []byte(`{"zahra":`) },
		"duplicate member":     func(r *event.Raw) { r.Payload = []byte(`{"a":"zahra","a":2}`) },
		"payload not UTF-8":    func(r *event.Raw) { r.Payload = []byte("{\"a\":\"zahra\xff\"}") },
		"request id not UTF-8": func(r *event.Raw) { r.Envelope.RequestID = "zahra\xff" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := sealed(t)
			corrupt(&raw)
			data, err := raw.Data()
			if err == nil {
				t.Fatalf("Data() = %s, want an error", data)
			}
			if strings.Contains(err.Error(), "zahra") {
				t.Errorf("Data() error = %q, which repeats a value", err)
			}
		})
	}
}

// errorV1 is a subject of a BFF, with a flat envelope.
var errorV1 = event.Subject{
	Name: "melmastoon.bff.tenant.flow.error_encountered.v1", Version: 1, SchemaURI: "https://schemas.melmastoon.ghasi.io/bff-tenant/flow-error-encountered/v1.json",
	Producer: "bff-tenant-booking-service", Retention: event.Retention{Class: event.Operational, Period: 90 * event.Day}, Flat: true,
}

// sealedFlat returns an event of a BFF with an extension of its own.
func sealedFlat(t *testing.T) event.Raw {
	t.Helper()
	d := draft()
	d.Subject, d.Extensions = errorV1, event.Extensions{"errorcode": "MELMASTOON.X", "hint": "کابل 50%"}
	return check.Got(d.Seal(happened, origin())).Must(t)
}

func TestEnvelope_flat(t *testing.T) {
	t.Parallel()
	raw := sealedFlat(t)
	data := check.Got(raw.Data()).Must(t)
	check.Lacks(t, string(data), "producedBy", "metadata", "errorcode")
	for name, want := range map[string]string{
		"ce-partitionkey": key, "ce-sequence": "0000000003", "ce-errorcode": "MELMASTOON.X", "ce-tenantid": tenantText,
		"ce-hint": "%DA%A9%D8%A7%D8%A8%D9%84%2050%25",
	} {
		t.Run(name, func(t *testing.T) { check.Equal(t, raw.Attributes()[name], want, "%s", name) })
	}
	check.Equal(t, raw.Delivery.OrderingKey, key, "ordering key")
}

func TestSeal_contradictingExtensions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"id", "type", "time", "tenantid", "sequence", "partitionkey", event.ReplayTo, event.Replays, "errorCode", "error-code", "", "ce-errorcode", strings.Repeat("x", 21)} {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			d := draft()
			d.Extensions = event.Extensions{name: "secret"}
			if raw, err := d.Seal(happened, origin()); err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: got %+v, %v, want an error without the value", name, raw.Extensions, err)
			}
		})
	}
}

func TestSeal_withoutOrigin(t *testing.T) {
	t.Parallel()
	raw := check.Got(event.Draft{Subject: heldV1, Payload: struct{}{}}.Seal(happened, event.OriginOf(t.Context()))).Must(t)
	e := raw.Envelope
	check.Equal(t, e.EventID.IsZero(), false)
	if e.TenantID != nil {
		t.Errorf("e.TenantID = %v, want nil", e.TenantID)
	}
	if e.SessionID != nil {
		t.Errorf("e.SessionID = %v, want nil", e.SessionID)
	}
	if e.CausationID != nil {
		t.Errorf("e.CausationID = %v, want nil", e.CausationID)
	}
	check.Equal(t, e.PublishedAt.IsZero(), true)
	data := check.Got(raw.Data()).Must(t)
	check.Contains(t, string(data), `"tenantId":null`, `"sessionId":null`, `"causationId":null`)
	check.Lacks(t, string(data), "publishedAt", "metadata", "marketingAttribution")
}

func TestSealRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		draft event.Draft
	}{
		{"an undeclared subject", event.Draft{Payload: struct{}{}}},
		{"a subject without a producer", event.Draft{Subject: event.Subject{Name: "x.v1", Version: 1}, Payload: struct{}{}}},
		{"what is no JSON", event.Draft{Subject: heldV1, Payload: func() {}}},
		{"text that is not UTF-8", event.Draft{Subject: heldV1, Payload: map[string]string{"a": "secret\xff"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if raw, err := test.draft.Seal(happened, event.Origin{}); err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %+v, %v, want an error without the payload", raw, err)
			}
		})
	}
}

func TestOrigin_context(t *testing.T) {
	t.Parallel()
	ctx := event.WithOrigin(t.Context(), origin())
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if got := event.OriginOf(ctx); got.RequestID != "req_1" || got.Instance != "reservation-hold-00001" {
		t.Errorf("got %+v, want the sealed event", got)
	}
	one := event.Origin{RequestID: "req_9"}
	raw, err := draft().Seal(happened, one)
	check.Must(t, err, "a first request")
	check.Equal(t, raw.Envelope.CorrelationID, "req_9", "a first request")
}

func TestDecode_declaredMembers(t *testing.T) {
	t.Parallel()
	raw := sealed(t)
	raw.Payload = jsontext.Value(`{"nights":3,"added":{"later":1}}`)
	got, err := event.Decode[struct {
		Nights int `json:"nights"`
	}](raw)
	check.Must(t, err)
	check.Equal(t, got.Payload.Nights, 3)
	if !reflect.DeepEqual(got.Envelope, raw.Envelope) || got.Delivery != raw.Delivery {
		t.Error("the envelope or the delivery was lost")
	}
}

func TestDecode_errorHidesInput(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{`{"nights":"secret"}`, `{"occurredAt":"secret"}`, `{"secret":1,"nights":`} {
		t.Run(payload, func(t *testing.T) {
			raw := sealed(t)
			raw.Payload = jsontext.Value(payload)
			_, err := event.Decode[held](raw)
			if got := fault.From(err).Kind; got != fault.Invalid {
				t.Errorf("got kind %v, want Invalid", got)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%v repeats the payload", err)
			}
		})
	}
	raw := sealed(t)
	raw.Payload = jsontext.Value(`{"nights":"x"}`)
	if _, err := event.Decode[held](raw); !errors.Is(err, fault.ErrValidation) || !strings.Contains(err.Error(), "payload/nights") {
		t.Errorf("got %v, want the place", err)
	}
}

func TestDecode_tenant(t *testing.T) {
	t.Parallel()
	tenant, other := id.New[id.Tenant](), id.New[id.Tenant]()
	for _, test := range []struct {
		name              string
		envelope, payload *id.Tenant
		accepted          bool
	}{
		{"the same", &tenant, &tenant, true},
		{"in the payload only", nil, &tenant, true},
		{"in the envelope only", &tenant, nil, true},
		{"neither", nil, nil, true},
		{"different", &tenant, &other, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			raw := sealed(t)
			raw.Envelope.TenantID, raw.Payload = test.envelope, jsontext.Value(`{}`)
			if test.payload != nil {
				raw.Payload = jsontext.Value(`{"tenantId":"` + test.payload.String() + `"}`)
			}
			_, err := event.Decode[struct{}](raw)
			if (err == nil) != test.accepted {
				t.Errorf("Decode() error = %v, want accepted: %t", err, test.accepted)
			}
			if err != nil && fault.From(err).Kind != fault.Invalid {
				t.Errorf("Decode() error = %v, want a permanent one", err)
			}
		})
	}
}

func TestSamplingRate_oneIn(t *testing.T) {
	t.Parallel()
	for oneIn, want := range map[int]string{0: "1", 1: "1", 3: "3", 10: "10", 49: "49", 1_000_000: "1000000"} {
		t.Run(fmt.Sprint(oneIn), func(t *testing.T) {
			d := draft()
			d.Subject.OneIn = oneIn
			raw := check.Got(d.Seal(happened, origin())).Must(t)
			check.Equal(t, raw.Attributes()["ce-sampledrate"], want, "one in %d", oneIn)
		})
	}
}

func BenchmarkData(b *testing.B) {
	raw := must(draft().Seal(happened, origin()))
	for b.Loop() {
		check.Got(raw.Data()).Must(b)
	}
}

func decode(t *testing.T, document []byte) map[string]any {
	t.Helper()
	var m map[string]any
	check.Must(t, json.Unmarshal(document, &m), "%s", document)
	return m
}

func BenchmarkAttributes(b *testing.B) {
	raw := must(draft().Seal(happened, origin()))
	for b.Loop() {
		raw.Attributes()
	}
}
