package tenantbookingtest

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Deliver delivers an event of another service to a function, and fails the test unless it is acknowledged.
func (s *System) Deliver(to fn.Function, tenant id.Tenant, payload any, when time.Time) {
	s.t.Helper()
	if a := s.Front.Push(to, Raw(s.t, to.Spec.Subject, tenant, payload, when)); a.Status != 204 {
		s.t.Fatalf("%s: got status %d: %s", to.Spec.Name, a.Status, a.Body)
	}
}

// Raw returns an event of another service.
func Raw(t testing.TB, subject string, tenant id.Tenant, payload any, when time.Time) event.Raw {
	t.Helper()
	raw, err := event.Draft{
		Subject: event.Subject{Name: subject, Version: 1, Producer: "a-neighbour", SchemaURI: "https://schemas.melmastoon.io/" + subject},
		Tenant:  tenant, OrderingKey: tenant.String(), Payload: payload,
	}.Seal(when, event.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
