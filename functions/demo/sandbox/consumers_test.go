package sandbox_test

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/holdexpired"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationcancelled"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// incoming returns an event of another service.
func incoming(t *testing.T, subject string, payload any) event.Raw {
	t.Helper()
	raw, err := event.Draft{Subject: event.Subject{Name: subject, Version: 1, Producer: "reservation-service"},
		Tenant: kabul.Tenant, OrderingKey: "key", Payload: payload}.Seal(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), event.Origin{})
	check.Must(t, err)
	return raw
}

func TestReservationCancelled(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	h := b.held(t, b.nights(10, 2), 2)
	check.Must(t, b.commit(t.Context(), h))
	i, err := b.Intents.Open(t.Context(), wanted(h.Reservation, standin.Card))
	check.Must(t, err)
	check.Got(b.Pay(t.Context(), i.ID)).Must(t)
	next, err := b.Intents.Open(t.Context(), wanted(h.Reservation, standin.MFS))
	check.Must(t, err)
	cancelled := incoming(t, "melmastoon.reservation.cancelled.v1", body{
		"reservationId": h.Reservation, "tenantId": h.Tenant, "propertyId": h.Property, "cancelledAt": b.env.Now(),
		"reason": "The rooms were sold.", "reasonCode": "inventory_failed",
		"policyApplied":           body{"ref": "flexible-24h", "refundEligibilityMicro": "700000000", "penaltyMicro": "0", "currency": "AFN"},
		"paymentRefundsRequested": []body{{"paymentIntentId": i.ID, "amountMicro": "700000000"}},
		"inventoryAllocationIds":  ids(h), "itemsCancelled": []string{}, "actor": body{"type": "system", "id": "saga"},
	})
	for range 2 {
		f.Push(reservationcancelled.Function, cancelled).Must(t, 204)
	}
	check.Equal(t, b.left(t, h.Stay), 2, "suites left")
	check.Equal(t, b.get(t, i.ID).Refunded, 700_000_000)
	check.Equal(t, b.get(t, next.ID).FailureCode, "cancelled", "the live intent")
	want := []string{"inventory.allocation.committed.v1", "payment.transaction.captured.v1", "payment.transaction.failed.v1", "payment.transaction.refunded.v1"}
	check.Equal(t, b.published(t, h.Reservation), want)
}

func TestHoldExpired_keepsNewHold(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	old := b.held(t, b.nights(10, 2), 2)
	b.Advance(11 * time.Minute)
	b.held(t, old.Stay, 2)
	i, err := b.Intents.Open(t.Context(), wanted(old.Reservation, standin.Card))
	check.Must(t, err)
	late := body{"reservationId": old.Reservation, "tenantId": old.Tenant, "propertyId": old.Property,
		"holdId": id.New[id.Hold](), "expiredAt": b.env.Now(), "inventoryAllocationIds": ids(old)}
	f.Push(holdexpired.Function, incoming(t, "melmastoon.reservation.hold_expired.v1", late)).Must(t, 204)
	check.Equal(t, b.left(t, old.Stay), 0, "suites left")
	check.Equal(t, b.get(t, i.ID).Status, payment.RequiresPayment, "an intent that the event does not name")
	late["paymentIntentId"] = i.ID
	f.Push(holdexpired.Function, incoming(t, "melmastoon.reservation.hold_expired.v1", late)).Must(t, 204)
	check.Equal(t, b.get(t, i.ID).FailureCode, "cancelled", "the named intent")
}

func TestHoldExpired_keepsCommittedRooms(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	h := b.held(t, b.nights(10, 2), 2)
	check.Must(t, b.commit(t.Context(), h))
	b.Advance(11 * time.Minute)
	late := incoming(t, "melmastoon.reservation.hold_expired.v1", body{"reservationId": h.Reservation, "tenantId": h.Tenant, "propertyId": h.Property,
		"holdId": id.New[id.Hold](), "expiredAt": b.env.Now(), "inventoryAllocationIds": ids(h)})
	f.Push(holdexpired.Function, late).Must(t, 204)
	check.Equal(t, b.left(t, h.Stay), 0, "suites left")
	check.NoError(t, b.commit(t.Context(), h), "committing again after the event")
}
