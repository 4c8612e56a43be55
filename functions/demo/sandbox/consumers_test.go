package sandbox_test

import (
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/holdexpired"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationcancelled"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
)

// incoming returns an event of another service.
func incoming(t *testing.T, subject string, payload any) event.Raw {
	t.Helper()
	raw, err := event.Draft{Subject: event.Subject{Name: subject, Version: 1, Producer: "reservation-service"},
		Tenant: kabul.Tenant, OrderingKey: "key", Payload: payload}.Seal(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), event.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestReservationCancelled(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	h := b.held(t, b.nights(10, 2), 2)
	if err := b.commit(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	i, err := b.Intents.Open(t.Context(), wanted(h.Reservation, standin.Card))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Pay(t.Context(), i.ID); err != nil {
		t.Fatal(err)
	}
	next, err := b.Intents.Open(t.Context(), wanted(h.Reservation, standin.MFS))
	if err != nil {
		t.Fatal(err)
	}
	cancelled := incoming(t, "melmastoon.reservation.cancelled.v1", body{
		"reservationId": h.Reservation, "tenantId": h.Tenant, "propertyId": h.Property, "cancelledAt": b.env.Now(),
		"reason": "The rooms were sold.", "reasonCode": "inventory_failed",
		"policyApplied":           body{"ref": "flexible-24h", "refundEligibilityMicro": "700000000", "penaltyMicro": "0", "currency": "AFN"},
		"paymentRefundsRequested": []body{{"paymentIntentId": i.ID, "amountMicro": "700000000"}},
		"inventoryAllocationIds":  ids(h), "itemsCancelled": []string{}, "actor": body{"type": "system", "id": "saga"},
	})
	for range 2 {
		if got := f.Push(reservationcancelled.Function, cancelled); got.Status != 204 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	if got := b.left(t, h.Stay); got != 2 {
		t.Errorf("%d suites are left, want 2", got)
	}
	if got := b.get(t, i.ID); got.Refunded != 700_000_000 {
		t.Errorf("refunded %d, want 700000000", got.Refunded)
	}
	if got := b.get(t, next.ID); got.FailureCode != "cancelled" {
		t.Errorf("the live intent is %s %s, want cancelled", got.Status, got.FailureCode)
	}
	want := []string{"inventory.allocation.committed.v1", "payment.transaction.captured.v1", "payment.transaction.failed.v1", "payment.transaction.refunded.v1"}
	if got := b.published(t, h.Reservation); !slices.Equal(got, want) {
		t.Errorf("published %v, want %v", got, want)
	}
}

func TestHoldExpired_keepsNewHold(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	old := b.held(t, b.nights(10, 2), 2)
	b.Advance(11 * time.Minute)
	b.held(t, old.Stay, 2)
	i, err := b.Intents.Open(t.Context(), wanted(old.Reservation, standin.Card))
	if err != nil {
		t.Fatal(err)
	}
	late := body{"reservationId": old.Reservation, "tenantId": old.Tenant, "propertyId": old.Property,
		"holdId": id.New[id.Hold](), "expiredAt": b.env.Now(), "inventoryAllocationIds": ids(old)}
	if got := f.Push(holdexpired.Function, incoming(t, "melmastoon.reservation.hold_expired.v1", late)); got.Status != 204 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if got := b.left(t, old.Stay); got != 0 {
		t.Errorf("%d suites are left, want 0", got)
	}
	if got := b.get(t, i.ID); got.Status != payment.RequiresPayment {
		t.Errorf("an intent that the event does not name is %s, want requires_payment", got.Status)
	}
	late["paymentIntentId"] = i.ID
	if got := f.Push(holdexpired.Function, incoming(t, "melmastoon.reservation.hold_expired.v1", late)); got.Status != 204 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if got := b.get(t, i.ID); got.FailureCode != "cancelled" {
		t.Errorf("the named intent is %s %s, want cancelled", got.Status, got.FailureCode)
	}
}

func TestHoldExpired_keepsCommittedRooms(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	h := b.held(t, b.nights(10, 2), 2)
	if err := b.commit(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	b.Advance(11 * time.Minute)
	late := incoming(t, "melmastoon.reservation.hold_expired.v1", body{"reservationId": h.Reservation, "tenantId": h.Tenant, "propertyId": h.Property,
		"holdId": id.New[id.Hold](), "expiredAt": b.env.Now(), "inventoryAllocationIds": ids(h)})
	if got := f.Push(holdexpired.Function, late); got.Status != 204 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if got := b.left(t, h.Stay); got != 0 {
		t.Errorf("%d suites are left, want 0", got)
	}
	if err := b.commit(t.Context(), h); err != nil {
		t.Errorf("committing again after the event: %v", err)
	}
}
