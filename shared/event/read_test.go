package event_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const limit = 1 << 16

func TestRead_attributes(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"content-type":     "application/json",
		"ce-specversion":   "1.0",
		"ce-id":            eventText,
		"ce-type":          "melmastoon.reservation.held.v1",
		"ce-source":        "//reservation-service.melmastoon.ghasi.io/reservation-hold-00001",
		"ce-time":          "2026-04-22T18:31:00.123Z",
		"ce-dataschema":    "https://schemas.melmastoon.io/reservation/held/v1.json",
		"ce-partitionkey":  key,
		"ce-sampledrate":   "1",
		"ce-traceparent":   trace,
		"ce-correlationid": "req_0",
		"ce-causationid":   causeText,
		"ce-sequence":      "0000000003",
		"ce-tenantid":      tenantText,
	}
	check.Equal(t, sealed(t).Attributes(), want)
}

func TestRead_attributesAsHeaders(t *testing.T) {
	t.Parallel()
	raw := sealed(t)
	raw.Envelope.CorrelationID = "کابل \"50%\"\r\nX-Evil: 1"
	raw.Envelope.CausationID = nil
	attributes := raw.Attributes()
	const want = "%DA%A9%D8%A7%D8%A8%D9%84%20%2250%25%22%0D%0AX-Evil:%201"
	check.Equal(t, attributes["ce-correlationid"], want)
	if value, ok := attributes["ce-causationid"]; ok {
		t.Errorf("an absent cause travels as %q", value)
	}
}

func TestRead_structured(t *testing.T) {
	t.Parallel()
	raw := sealed(t)
	document := check.Got(raw.Structured()).Must(t)
	got := decode(t, document)
	for name, want := range raw.Attributes() {
		name = strings.TrimPrefix(name, "ce-")
		if name == "content-type" {
			name = "datacontenttype"
		}
		if got[name] != want {
			t.Errorf("%s is %v, want %s", name, got[name], want)
		}
	}
	data := check.Got(raw.Data()).Must(t)
	if want := decode(t, data); !reflect.DeepEqual(got["data"], any(want)) {
		t.Errorf("got data %v, want %v", got["data"], want)
	}
}

// A pushed message in one of the forms a bus may give it.
type form func(t *testing.T, r event.Raw) *http.Request

func binary(names http.Header) form {
	return func(t *testing.T, r event.Raw) *http.Request {
		request := post(data(t, r))
		for name, value := range r.Attributes() {
			request.Header.Set(name, value)
		}
		maps.Copy(request.Header, names)
		return request
	}
}

func wrapped(t *testing.T, r event.Raw) *http.Request {
	body, err := json.Marshal(map[string]any{
		"message": map[string]any{
			"data": base64.StdEncoding.EncodeToString(data(t, r)), "attributes": r.Attributes(),
			"messageId": "77", "message_id": "77", "publishTime": "2026-04-22T18:31:01Z", "orderingKey": key,
		},
		"subscription": "projects/p/subscriptions/s", "deliveryAttempt": 2,
	})
	check.Must(t, err)
	request := post(body)
	request.Header.Set("Content-Type", "application/json")
	return request
}

func structured(t *testing.T, r event.Raw) *http.Request {
	body := check.Got(r.Structured()).Must(t)
	request := post(body)
	maps.Copy(request.Header, pubsub)
	request.Header.Set("Content-Type", "application/cloudevents+json; charset=utf-8")
	return request
}

var pubsub = http.Header{
	"X-Goog-Pubsub-Message-Id": {"77"}, "X-Goog-Pubsub-Subscription-Name": {"projects/p/subscriptions/s"},
	"X-Goog-Pubsub-Ordering-Key": {key}, "X-Goog-Pubsub-Delivery-Attempt": {"2"},
}

func post(body []byte) *http.Request {
	return httptest.NewRequest(http.MethodPost, "/internal/events/x", bytes.NewReader(body))
}

func data(t *testing.T, r event.Raw) []byte {
	t.Helper()
	return check.Got(r.Data()).Must(t)
}

func TestRead_allForms(t *testing.T) {
	t.Parallel()
	emulator := maps.Clone(pubsub)
	delete(emulator, "X-Goog-Pubsub-Ordering-Key")
	emulator["X-Goog-Ordering-Key"] = []string{key}
	for of, sent := range map[string]event.Raw{"a service": sealed(t), "a BFF": sealedFlat(t)} {
		want := sent
		want.Delivery.MessageID, want.Delivery.Subscription, want.Delivery.Attempt = "77", "projects/p/subscriptions/s", 2
		for name, push := range map[string]form{
			"unwrapped":                 binary(pubsub),
			"unwrapped by the emulator": binary(emulator),
			"wrapped":                   wrapped,
			"structured":                structured,
		} {
			t.Run(name+" of "+of, func(t *testing.T) {
				t.Parallel()
				got := check.Got(event.Read(push(t, sent), limit)).Must(t)
				if string(got.Payload) != string(want.Payload) {
					t.Errorf("got payload %s, want %s", got.Payload, want.Payload)
				}
				if got.Payload = want.Payload; !reflect.DeepEqual(got, want) {
					t.Errorf("got  %+v\nwant %+v", got, want)
				}
				check.Equal(t, got.Attributes(), sent.Attributes(), "attributes when passed on")
			})
		}
	}
}

// A message in a topic is read like its push, in every form.
func TestRead_pulledMessage(t *testing.T) {
	t.Parallel()
	for of, sent := range map[string]event.Raw{"a service": sealed(t), "a BFF": sealedFlat(t)} {
		t.Run(of, func(t *testing.T) {
			document := check.Got(sent.Structured()).Must(t)
			for form, lies := range map[string]struct {
				attributes map[string]string
				data       []byte
			}{
				"binary":     {sent.Attributes(), data(t, sent)},
				"structured": {map[string]string{"content-type": "application/cloudevents+json"}, document},
			} {
				t.Run(form, func(t *testing.T) {
					got := check.Got(event.Of(lies.attributes, lies.data)).Must(t, "%s of %s", form, of)
					check.Equal(t, string(got.Payload), string(sent.Payload), "%s of %s", form, of)
					check.Equal(t, reflect.DeepEqual(got.Envelope, sent.Envelope), true, "%s of %s", form, of)
					check.Equal(t, got.Extensions, sent.Extensions, "%s of %s", form, of)
				})
			}
		})
	}
	if _, err := event.Of(map[string]string{"ce-specversion": "1.0"}, []byte("secret")); fault.From(err).Kind != fault.Invalid || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestRead_incompleteDelivery(t *testing.T) {
	t.Parallel()
	sent := sealed(t)
	got := check.Got(event.Read(binary(nil)(t, sent), limit)).Must(t)
	check.Equal(t, reflect.DeepEqual(got.Delivery, sent.Delivery), true)
	check.Equal(t, got.Delivery.OrderingKey, key)
}

func TestRead_permanentErrors(t *testing.T) {
	t.Parallel()
	sent := sealed(t)
	whole := string(data(t, sent))
	change := func(old, put string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("the event has no %s", old)
		}
		return strings.Replace(whole, old, put, 1)
	}
	for _, test := range []struct {
		name, body string
		header     map[string]string
	}{
		{"half a body", whole[:len(whole)/2], nil},
		{"two values", whole + whole, nil},
		{"nothing", "", nil},
		{"a duplicate member", change(`"version":1`, `"version":1,"version":1`), nil},
		{"bad UTF-8", change(`req_1`, "req\xff"), nil},
		{"no event id", change(`"eventId":"`+eventText+`",`, ""), nil},
		{"another kind's id", change(eventText, tenantText), nil},
		{"no version", change(`"version":1,`, ""), nil},
		{"no time", change(`"occurredAt":"2026-04-22T18:31:00.123Z",`, ""), nil},
		{"a payload that is a list", change(`{"nights":3,"occurredAt":"2026-04-22T18:31:00.123Z"}`, `[]`), nil},
		{"no payload", `{"envelope":{}}`, nil},
		{"attributes of another event", whole, map[string]string{"ce-id": causeText}},
		{"attributes of another subject", whole, map[string]string{"ce-type": "melmastoon.other.v1"}},
		{"another version of CloudEvents", whole, map[string]string{"ce-specversion": "0.3"}},
		{"no source, which CloudEvents requires", whole, map[string]string{"ce-source": ""}},
		{"no attributes and no wrapper", whole, map[string]string{"ce-specversion": ""}},
		{"a structured event that is none", whole, map[string]string{"content-type": "application/cloudevents+json"}},
		{"more than the limit", whole + strings.Repeat(" ", limit), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request := binary(nil)(t, sent)
			request.Body = io.NopCloser(strings.NewReader(test.body))
			for name, value := range test.header {
				request.Header.Set(name, value)
			}
			got, err := event.Read(request, limit)
			if err == nil || fault.From(err).Kind != fault.Invalid {
				t.Errorf("got %+v, %v, want a fault of kind Invalid", got, err)
			}
		})
	}
}

func TestRead_truncatedBody(t *testing.T) {
	t.Parallel()
	sent := sealed(t)
	request := binary(nil)(t, sent)
	request.Body = io.NopCloser(io.MultiReader(bytes.NewReader(data(t, sent)[:10]), iotest.ErrReader(errors.New("connection reset"))))
	if _, err := event.Read(request, limit); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}

func FuzzRead(f *testing.F) {
	raw := must(draft().Seal(happened, origin()))
	f.Add("application/json", "1.0", must(raw.Data()))
	f.Add("application/cloudevents+json", "", must(raw.Structured()))
	f.Add("application/json", "", []byte(`{"message":{"data":"e30=","attributes":{"ce-specversion":"1.0"}}}`))
	f.Fuzz(func(t *testing.T, media, specVersion string, body []byte) {
		request := post(body)
		request.Header.Set("Content-Type", media)
		request.Header.Set("ce-specversion", specVersion)
		request.Header.Set("ce-id", eventText)
		request.Header.Set("ce-type", heldV1.Name)
		got, err := event.Read(request, limit)
		if err != nil && fault.From(err).Kind != fault.Invalid {
			t.Errorf("got %v, want every unreadable event refused for good", err)
		}
		if err == nil && (got.Envelope.EventID.IsZero() || got.Payload.Kind() != '{') {
			t.Errorf("read an invalid event: %+v", got)
		}
	})
}
