package tenantbookingtest

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// Deliver delivers an event of another service to a function, and fails the test unless it is acknowledged.
func (s *System) Deliver(to fn.Function, tenant id.Tenant, payload any, when time.Time) {
	s.t.Helper()
	s.Front.Push(to, Raw(s.t, to.Spec.Subject, tenant, payload, when)).Must(s.t, 204)
}

// Raw returns an event of another service.
func Raw(t testing.TB, subject string, tenant id.Tenant, payload any, when time.Time) event.Raw {
	t.Helper()
	raw, err := event.Draft{
		Subject: event.Subject{Name: subject, Version: 1, Producer: "a-neighbour", SchemaURI: "https://schemas.melmastoon.io/" + subject},
		Tenant:  tenant, OrderingKey: tenant.String(), Payload: payload,
	}.Seal(when, event.Origin{})
	check.Must(t, err)
	return raw
}
