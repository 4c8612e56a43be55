package journeys

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/contract"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// A wired event is one as GET /-/events streams it: a structured CloudEvent.
type wired struct {
	attributes map[string]any // all of the document but its data
	envelope   map[string]any
	payload    map[string]any
	raw        json.RawMessage // the payload as it came
}

func (e wired) subject() string     { return fmt.Sprint(e.attributes["type"]) }
func (e wired) reservation() string { return fmt.Sprint(e.payload["reservationId"]) }

// String names the event in a failure.
func (e wired) String() string { return e.subject() + " " + fmt.Sprint(e.attributes["id"]) }

func (e wired) metadata(name string) any {
	metadata, _ := e.envelope["metadata"].(map[string]any)
	return metadata[name]
}

// receive reads as many events from the start of the run as the outboxes have published.
func receive(t *testing.T, s *system.System, want int) (events []wired) {
	t.Helper()
	seen := map[any]bool{} // an event that is published twice is still one event
	err := stream(t, s, func(data string) bool {
		if e := read(t, data); !seen[e.attributes["id"]] {
			seen[e.attributes["id"]] = true
			events = append(events, e)
		}
		return len(events) < want
	})
	if len(events) < want {
		t.Fatalf("%d events of %d, %v", len(events), want, err)
	}
	return events
}

// stream hands on what the console streams from the start of the run, until more is not wanted.
func stream(t *testing.T, s *system.System, more func(data string) bool) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req := check.Got(http.NewRequestWithContext(ctx, http.MethodGet, s.Cloud.URL()+"/-/events?replay=1", nil)).Must(t)
	res := check.Got(http.DefaultClient.Do(req)).Must(t)
	defer res.Body.Close()
	if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("answered %d %s", res.StatusCode, got)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && !more(data) {
			return nil
		}
	}
	return lines.Err()
}

func read(t *testing.T, document string) (e wired) {
	t.Helper()
	var data struct {
		Envelope map[string]any
		Payload  json.RawMessage
	}
	var whole struct{ Data json.RawMessage }
	for _, step := range []func() error{
		func() error { return json.Unmarshal([]byte(document), &e.attributes) },
		func() error { return json.Unmarshal([]byte(document), &whole) },
		func() error { return json.Unmarshal(whole.Data, &data) },
		func() error { return json.Unmarshal(data.Payload, &e.payload) },
	} {
		check.Must(t, step(), "in %s", document)
	}
	delete(e.attributes, "data")
	e.envelope, e.raw = data.Envelope, data.Payload
	return e
}

// TestWire_schemas walks journeys of every kind and reads on the wire what the world is told.
func TestWire_schemas(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	mixed(s)
	s.Settle()
	published := s.Published(t.Context())
	events := receive(t, s, len(published))
	subjects := map[string]int{}
	for _, e := range events {
		subjects[e.subject()]++
		check.NoError(t, contract.ValidateOutgoing(e.subject(), e.raw), "%s", e)
		for _, wrong := range slices.Concat(e.strangers(), e.disagreements(), e.misplaced()) {
			t.Errorf("%s: %s", e, wrong)
		}
	}
	for subject := range retention {
		if subjects[subject] == 0 {
			t.Errorf("got no event %s, want at least one", subject)
		}
	}
	inOrder(t, events, published)
}

// mixed walks journeys after which every kind of event has been told.
func mixed(s *system.System) {
	paid := s.Book(system.Usual()).Intend("card")
	paid.Press("pay")
	s.Book(system.Usual()).Intend("cash_on_arrival").Confirm("cash_on_arrival")
	failed := s.Book(system.Usual()).Intend("card")
	for range 5 {
		failed.Press("decline")
	}
	dollars := system.Usual()
	dollars.Currency = "USD"
	late, lost := s.Book(dollars).Intend("card"), s.Book(last(1)).Intend("card")
	s.Must(http.StatusConflict, s.Quote(last(1)).HoldRequest(system.Key()))
	s.Book(system.Usual()) // and forgotten
	s.Quiet()
	s.Advance(11 * time.Minute)
	s.Book(last(1)).Intend("cash_on_arrival").Confirm("cash_on_arrival")
	late.Press("pay")
	lost.Press("pay")
	s.Quiet()
	s.Tick("reservation-expireholds")
	s.Quiet()
}

// known are the members that an envelope may have, and whether it must have them.
var known = map[string]bool{
	"eventId": true, "subject": true, "version": true, "occurredAt": true, "publishedAt": true, "producer": true,
	"producerInstance": true, "tenantId": true, "userId": true, "sessionId": true, "requestId": true, "traceId": true,
	"causationId": true, "correlationId": true, "schemaUri": true, "retentionClass": true, "samplingRate": true,
	"producedBy": true, "metadata": true, "marketingAttribution": false,
}

// strangers returns unknown and missing members.
func (e wired) strangers() (wrong []string) {
	for name := range e.envelope {
		if _, ok := known[name]; !ok {
			wrong = append(wrong, "the envelope has a member "+name)
		}
	}
	for name, must := range known {
		if _, ok := e.envelope[name]; must && !ok {
			wrong = append(wrong, "the envelope has no member "+name)
		}
	}
	for of, names := range map[string][]string{
		"metadata": {"dataResidency", "orderingKey", "aggregateVersion"}, "producedBy": {"service", "instance"},
	} {
		members, _ := e.envelope[of].(map[string]any)
		for name := range members {
			if !slices.Contains(names, name) {
				wrong = append(wrong, of+" has a member "+name)
			}
		}
	}
	return wrong
}

// disagreements are attributes of the CloudEvent that say something else than its envelope.
func (e wired) disagreements() (wrong []string) {
	want := map[string]any{
		"specversion": "1.0", "datacontenttype": "application/json", "id": e.envelope["eventId"], "type": e.envelope["subject"],
		"time": instant(e.envelope["occurredAt"]), "dataschema": e.envelope["schemaUri"], "partitionkey": e.metadata("orderingKey"),
		"source":   fmt.Sprintf("//%s.melmastoon.ghasi.io/%s", e.envelope["producer"], e.envelope["producerInstance"]),
		"tenantid": e.envelope["tenantId"], "correlationid": e.envelope["correlationId"], "sampledrate": "1",
		"traceparent": e.envelope["traceId"],
	}
	if cause := e.envelope["causationId"]; cause != nil {
		want["causationid"] = cause
	}
	if version, ok := e.metadata("aggregateVersion").(float64); ok {
		want["sequence"] = fmt.Sprintf("%010d", int(version))
	}
	for name := range want {
		got := e.attributes[name]
		if name == "time" {
			got = instant(got)
		}
		if fmt.Sprint(got) != fmt.Sprint(want[name]) {
			wrong = append(wrong, fmt.Sprintf("attribute %s is %v, the envelope says %v", name, got, want[name]))
		}
	}
	for name := range e.attributes {
		if _, ok := want[name]; !ok {
			wrong = append(wrong, "the CloudEvent has an attribute "+name)
		}
	}
	return wrong
}

// instant is a time however many decimals it was written with.
func instant(text any) string {
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(text))
	if err != nil {
		return err.Error()
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// retention is how long events are kept, by the platform's own table.
var retention = map[string]string{
	"melmastoon.reservation.quote.requested.v1":    "operational",
	"melmastoon.reservation.quote.created.v1":      "operational",
	"melmastoon.reservation.held.v1":               "regulated",
	"melmastoon.reservation.confirmed.v1":          "regulated",
	"melmastoon.reservation.cancelled.v1":          "regulated",
	"melmastoon.reservation.hold_expired.v1":       "operational",
	"melmastoon.inventory.allocation.committed.v1": "operational",
	"melmastoon.inventory.allocation.failed.v1":    "operational",
	"melmastoon.payment.transaction.captured.v1":   "regulated",
	"melmastoon.payment.transaction.failed.v1":     "regulated",
	"melmastoon.payment.transaction.refunded.v1":   "regulated",
}

// misplaced is what the event says wrongly of itself: how long it is kept, whose it is, what it is ordered by.
func (e wired) misplaced() (wrong []string) {
	if got := e.envelope["retentionClass"]; got != retention[e.subject()] {
		wrong = append(wrong, fmt.Sprintf("is kept as %v, want %q", got, retention[e.subject()]))
	}
	tenant := fmt.Sprint(e.payload["tenantId"])
	if got := e.envelope["tenantId"]; got != tenant {
		wrong = append(wrong, fmt.Sprintf("is of tenant %v, its payload of %s", got, tenant))
	}
	about := e.payload["reservationId"]
	if about == nil {
		about = e.payload["quoteId"]
	}
	if about == nil {
		return wrong // a question for a price, before there is anything that it could be about
	}
	if got, want := e.metadata("orderingKey"), fmt.Sprint(tenant, ":", about); got != want {
		wrong = append(wrong, fmt.Sprintf("is ordered by %v, want %s", got, want))
	}
	return wrong
}

// inOrder fails the test unless the events of a key come, within a topic, in the order of the outbox, and no version of
// an aggregate comes after a newer one.
func inOrder(t *testing.T, events []wired, published []system.Events) {
	t.Helper()
	got, want, newest := map[string][]string{}, map[string][]string{}, map[string]float64{}
	for _, e := range events {
		lane := fmt.Sprint(e.attributes["partitionkey"], " ", e.subject())
		got[lane] = append(got[lane], fmt.Sprint(e.attributes["id"]))
		aggregate := lane + fmt.Sprint(e.payload["paymentIntentId"], e.payload["allocationId"])
		version, _ := e.metadata("aggregateVersion").(float64)
		if version < newest[aggregate] {
			t.Errorf("%s: version %v after %v", e, version, newest[aggregate])
		}
		newest[aggregate] = version
	}
	for _, e := range published {
		lane := e.OrderingKey + " " + e.Subject
		want[lane] = append(want[lane], fmt.Sprint(e.Envelope["eventId"]))
	}
	several := 0
	for lane, ids := range want {
		if !slices.Equal(got[lane], ids) {
			t.Errorf("%s: published %v, in the outbox %v", lane, got[lane], ids)
		}
		if len(ids) > 1 {
			several++
		}
	}
	if several == 0 || len(got) != len(want) {
		t.Errorf("%d lanes of %d, %d of them with several events, want all lanes and some with several events", len(got), len(want), several)
	}
}

// TestWire_correlation follows a booking that was paid for too late: each event names the one that led to it
// and the request that began it all.
func TestWire_correlation(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	lost := s.Book(last(1)).Intend("card")
	s.Advance(11 * time.Minute)
	s.Book(last(1)).Intend("cash_on_arrival").Confirm("cash_on_arrival")
	lost.Press("pay")
	s.Settle()
	events := map[string]wired{}
	for _, e := range receive(t, s, len(s.Published(t.Context()))) {
		if e.reservation() == lost.ReservationID {
			events[e.subject()] = e
		}
	}
	captured, cancelled := events["melmastoon.payment.transaction.captured.v1"], events["melmastoon.reservation.cancelled.v1"]
	refunded := events["melmastoon.payment.transaction.refunded.v1"]
	held, allocated := events["melmastoon.reservation.held.v1"], events["melmastoon.inventory.allocation.committed.v1"]
	for name, test := range map[string]struct{ got, want any }{
		"capture has no cause":       {got: captured.envelope["causationId"], want: nil},
		"cancellation's cause":       {got: cancelled.envelope["causationId"], want: captured.envelope["eventId"]},
		"refund's cause":             {got: refunded.envelope["causationId"], want: cancelled.envelope["eventId"]},
		"capture's correlation":      {got: captured.envelope["correlationId"], want: captured.envelope["requestId"]},
		"cancellation's correlation": {got: cancelled.envelope["correlationId"], want: captured.envelope["correlationId"]},
		"refund's correlation":       {got: refunded.envelope["correlationId"], want: captured.envelope["correlationId"]},
		"cancellation's trace":       {got: trace(cancelled), want: trace(captured)},
		"refund's trace":             {got: trace(refunded), want: trace(captured)},
		"hold's correlation":         {got: held.envelope["correlationId"], want: allocated.envelope["correlationId"]},
		"hold's request":             {got: held.envelope["requestId"], want: allocated.envelope["requestId"]},
		"hold's trace":               {got: trace(held), want: trace(allocated)},
	} {
		t.Run(name, func(t *testing.T) {
			if test.got != test.want {
				t.Errorf("got %v, want %v", test.got, test.want)
			}
		})
	}
	if held.envelope["correlationId"] == captured.envelope["correlationId"] || captured.envelope["correlationId"] == "" {
		t.Errorf("correlationId of the hold = %v, of the capture = %v, want two", held.envelope["correlationId"], captured.envelope["correlationId"])
	}
}

// trace is the part of a traceparent that all calls of one trace have in common.
func trace(e wired) string {
	parts := strings.Split(fmt.Sprint(e.envelope["traceId"]), "-")
	if len(parts) != 4 || strings.Trim(parts[1], "0") == "" {
		return "no trace in " + fmt.Sprint(e.envelope["traceId"])
	}
	return parts[1]
}

// TestWire_unknownMember adds a guest's address to each kind of event, at its top and below: what would
// then be said is refused, though others would still hear it.
func TestWire_unknownMember(t *testing.T) {
	t.Parallel()
	s := system.Open(t)
	mixed(s)
	s.Settle()
	refused := 0
	for _, e := range receive(t, s, len(s.Published(t.Context()))) {
		for path, object := range objects("", e.payload) {
			object["guestEmail"] = "guest@example.com"
			text, err := json.Marshal(e.payload)
			delete(object, "guestEmail")
			check.Must(t, err)
			check.NoError(t, contract.ValidateIncoming(e.subject(), text), "%s with %s/guestEmail cannot be heard any more", e, path)
			check.Fails(t, contract.ValidateOutgoing(e.subject(), text), "%s with %s/guestEmail may be said", e, path)
			refused++
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// objects are the payload and all objects in it, by their JSON pointers.
func objects(path string, value any) map[string]map[string]any {
	found := map[string]map[string]any{}
	switch v := value.(type) {
	case map[string]any:
		found[path] = v
		for name, member := range v {
			maps.Copy(found, objects(path+"/"+name, member))
		}
	case []any:
		for n, member := range v {
			maps.Copy(found, objects(fmt.Sprint(path, "/", n), member))
		}
	}
	return found
}
