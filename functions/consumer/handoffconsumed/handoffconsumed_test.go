package handoffconsumed

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const someHash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// published is the hotel's site telling that the handoff was used then.
func published(t *testing.T, h handoff.Handoff, when time.Time) event.Raw {
	t.Helper()
	raw, err := event.Draft{
		Subject: event.Subject{Name: Function.Spec.Subject, Version: 1, Producer: "bff-tenant-booking-service", SchemaURI: "https://x.example/1"},
		Tenant:  h.Tenant, OrderingKey: "k", Payload: map[string]any{
			"tenantId": h.Tenant, "handoffId": h.ID, "handoffArrivalId": id.New[id.HandoffArrival](), "consumerSessionId": h.GuestSession,
			"propertyId": h.Property, "mintedAt": h.MintedAt, "consumedAt": when, "elapsedMs": 1, "hmacSignatureFingerprint": someHash,
		},
	}.Seal(when, event.Origin{Instance: "bff-tenant-1"})
	check.Must(t, err)
	return raw
}

func TestHandoffConsumed_recorded(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, Function)
	h := site.MintHandoff()
	when := h.MintedAt.Add(2 * time.Minute)
	first := published(t, h, when)
	for range 2 {
		site.Front.Push(Function, first).Must(t, 204)
	}
	if a := site.Front.Push(Function, published(t, h, when.Add(time.Minute))); a.Status != 204 { // one use cannot be published of by two events
		t.Errorf("another event: got %d %s", a.Status, a.Body)
	}
	var at time.Time
	var by string
	var cause id.Event
	var entries, processed int
	err := site.DB.Owner(t).QueryRow(t.Context(), `
		SELECT consumed_at, consumed_by, consumed_event_id, (SELECT count(*) FROM bff_consumer.handoff_ledger WHERE consumed_at IS NOT NULL),
			(SELECT count(*) FROM bff_consumer.inbox_processed)
		FROM bff_consumer.handoff_ledger WHERE handoff_id = @handoff`, pgx.StrictNamedArgs{"handoff": h.ID}).Scan(&at, &by, &cause, &entries, &processed)
	check.Must(t, err)
	check.Equal(t, at, when)
	check.Equal(t, by, "bff-tenant-1")
	check.Equal(t, cause, first.Envelope.EventID)
	check.Equal(t, entries, 1)
	check.Equal(t, processed, 2)
}

// TestHandoffConsumed_unknownHandoff has nowhere to give it up to, so the bus is asked to keep it.
func TestHandoffConsumed_unknownHandoff(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, Function)
	h := site.MintHandoff()
	for name, change := range map[string]func(*handoff.Handoff){
		"another handoff": func(h *handoff.Handoff) { h.ID = id.New[id.Handoff]() },
		"another tenant":  func(h *handoff.Handoff) { h.Tenant = id.New[id.Tenant]() },
	} {
		t.Run(name, func(t *testing.T) {
			foreign := h
			change(&foreign)
			site.Front.Push(Function, published(t, foreign, h.MintedAt)).Want(t, 500)
		})
	}
	var used int
	err := site.DB.Owner(t).QueryRow(t.Context(), `SELECT count(consumed_at) FROM bff_consumer.handoff_ledger`).Scan(&used)
	check.Must(t, err)
	check.Equal(t, used, 0)
}
