package canaries

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"melmastoon.ghasi.io"
	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/test/system"
)

// eventJourney publishes two events of each consumed subject, as another service: the example of its schema with an additional member,
// which its consumers must ignore, and one with canaries in place of its texts, which they dead-letter.
func eventJourney(t *testing.T, s *system.System, a *canarySet) {
	t.Helper()
	known := map[string]bool{}
	for _, f := range melmastoon.Functions {
		subject := f.Spec.Subject
		if subject == "" || known[subject] {
			continue
		}
		known[subject] = true
		text := check.Got(eventschemas.Files.ReadFile(subject + ".json")).Must(t)
		var schema struct {
			ID        string           `json:"$id"`
			Publisher string           `json:"x-publisher"`
			Examples  []map[string]any `json:"examples"`
		}
		if err := json.Unmarshal(text, &schema); err != nil || len(schema.Examples) == 0 {
			t.Fatalf("%s: %d examples, %v", subject, len(schema.Examples), err)
		}
		malformed := map[string]any{}
		for name, value := range schema.Examples[0] {
			malformed[name] = value
			if _, text := value.(string); text {
				malformed[name] = a.everything("event " + subject + " " + name)
			}
		}
		tenant, err := id.Parse[id.Tenant](fmt.Sprint(schema.Examples[0]["tenantId"]))
		if err != nil {
			tenant = id.New[id.Tenant]()
		}
		extended := schema.Examples[0]
		extended["contact"] = a.everything("event " + subject + " contact")
		for _, payload := range []map[string]any{extended, malformed} {
			draft := event.Draft{Subject: event.Subject{Name: subject, Version: 1, Producer: schema.Publisher, SchemaURI: schema.ID},
				Tenant: tenant, OrderingKey: tenant.String(), Payload: payload}
			raw := check.Got(draft.Seal(s.Env().Now(), event.Origin{})).Must(t)
			data := check.Got(raw.Data()).Must(t)
			if err := errors.Join(s.Cloud.Messages().Publish(t.Context(), []topic.Message{{Topic: subject, OrderingKey: tenant.String(), Attributes: raw.Attributes(), Data: data}})...); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(known) == 0 {
		t.Error("no function consumes events")
	}
}

// scanWarehouse looks through the rows of the warehouse: a table for each subject, a column for each member of its payload.
func (w *scanner) scanWarehouse(t *testing.T, s *system.System) {
	t.Helper()
	warehouse := new(fakeWarehouse)
	warehouse.fill(t, s)
	if len(warehouse.rows) == 0 {
		t.Error("the warehouse is empty")
	}
	for table, rows := range warehouse.rows {
		for _, row := range rows {
			text := check.Got(json.Marshal(row)).Must(t)
			w.scanValue("the warehouse "+table, text)
		}
	}
}
