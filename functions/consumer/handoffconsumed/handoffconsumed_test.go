package handoffconsumed

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/consumer/consumertest"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
)

const someHash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// told is the hotel's site telling that the handoff was used then.
func told(t *testing.T, h handoff.Handoff, when time.Time) event.Raw {
	t.Helper()
	raw, err := event.Draft{
		Subject: event.Subject{Name: Function.Spec.Subject, Version: 1, Producer: "bff-tenant-booking-service", SchemaURI: "https://x.example/1"},
		Tenant:  h.Tenant, OrderingKey: "k", Payload: map[string]any{
			"tenantId": h.Tenant, "handoffId": h.ID, "handoffArrivalId": id.New[id.HandoffArrival](), "consumerSessionId": h.GuestSession,
			"propertyId": h.Property, "mintedAt": h.MintedAt, "consumedAt": when, "elapsedMs": 1, "hmacSignatureFingerprint": someHash,
		},
	}.Seal(when, event.Origin{Instance: "bff-tenant-1"})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTheLedgerLearnsThatAHandoffHasArrived(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, Function)
	h := site.MintHandoff()
	when := h.MintedAt.Add(2 * time.Minute)
	first := told(t, h, when)
	for range 2 {
		if a := site.Front.Push(Function, first); a.Status != 204 {
			t.Fatalf("got %d %s", a.Status, a.Body)
		}
	}
	if a := site.Front.Push(Function, told(t, h, when.Add(time.Minute))); a.Status != 204 { // one use cannot be told of by two events
		t.Errorf("another event: got %d %s", a.Status, a.Body)
	}
	var at time.Time
	var by string
	var cause id.Event
	var entries, heard int
	err := site.DB.Owner(t).QueryRow(t.Context(), `
		SELECT consumed_at, consumed_by, consumed_event_id, (SELECT count(*) FROM bff_consumer.handoff_ledger WHERE consumed_at IS NOT NULL),
			(SELECT count(*) FROM bff_consumer.inbox_processed)
		FROM bff_consumer.handoff_ledger WHERE handoff_id = @handoff`, pgx.StrictNamedArgs{"handoff": h.ID}).Scan(&at, &by, &cause, &entries, &heard)
	if err != nil || !at.Equal(when) || by != "bff-tenant-1" || cause != first.Envelope.EventID || entries != 1 || heard != 2 {
		t.Errorf("arrived at %v by %q, told by %s; %d entries, %d events, %v", at, by, cause, entries, heard, err)
	}
}

// TestAHandoffThatWasNotMintedHereIsGivenUp has nowhere to give it up to, so the bus is asked to keep it.
func TestAHandoffThatWasNotMintedHereIsGivenUp(t *testing.T) {
	t.Parallel()
	site := consumertest.Open(t, Function)
	h := site.MintHandoff()
	for name, change := range map[string]func(*handoff.Handoff){
		"another handoff": func(h *handoff.Handoff) { h.ID = id.New[id.Handoff]() },
		"another hotel's": func(h *handoff.Handoff) { h.Tenant = id.New[id.Tenant]() },
	} {
		foreign := h
		change(&foreign)
		if a := site.Front.Push(Function, told(t, foreign, h.MintedAt)); a.Status != 500 {
			t.Errorf("%s: got %d %s", name, a.Status, a.Body)
		}
	}
	var used int
	if err := site.DB.Owner(t).QueryRow(t.Context(), `SELECT count(consumed_at) FROM bff_consumer.handoff_ledger`).Scan(&used); err != nil || used != 0 {
		t.Errorf("%d were used, %v", used, err)
	}
}
