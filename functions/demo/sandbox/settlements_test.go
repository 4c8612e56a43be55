package sandbox_test

import (
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/lock"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationcancelled"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationcheckedout"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationearlycheckout"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationmodified"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationnoshow"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

var desk = body{"type": "staff", "id": "usr_desk"}

// deliver pushes an event twice, as Pub/Sub may.
func deliver(t *testing.T, f *fntest.Front, to fn.Function, payload body) {
	t.Helper()
	e := incoming(t, to.Spec.Subject, payload)
	for range 2 {
		f.Push(to, e).Must(t, 204)
	}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	for _, to := range []fn.Function{reservationnoshow.Function, reservationearlycheckout.Function} {
		t.Run(to.Spec.Name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			f := b.front(t)
			h, other := b.booked(t, b.nights(10, 2), 1), b.booked(t, b.nights(10, 2), 1)
			first, second := b.paid(t), b.paid(t)
			named := id.New[id.Refund]()
			deliver(t, f, to, body{
				"reservationId": h.Reservation, "tenantId": h.Tenant, "propertyId": h.Property, "occurredAt": b.env.Now(), "actor": desk,
				"inventoryAllocationIds": ids(h), "paymentRefundsRequested": []body{
					{"refundId": named, "paymentIntentId": first.ID, "amountMicro": "400000000"},
					{"paymentIntentId": second.ID, "amountMicro": "300000000"},
				},
			})
			check.Equal(t, b.state(t, ids(h)[0]), "released", "the allocation")
			check.Equal(t, b.state(t, ids(other)[0]), "committed", "another guest's allocation")
			check.Equal(t, b.get(t, first.ID).View().Refunds, []payment.RefundView{{ID: named, Amount: 400_000_000}})
			check.Equal(t, b.get(t, second.ID).Refunded, 300_000_000)
		})
	}
}

// An event without rooms and refunds changes nothing.
func TestSettle_nothing(t *testing.T) {
	t.Parallel()
	b := open(t)
	h := b.booked(t, b.nights(10, 2), 1)
	deliver(t, b.front(t), reservationnoshow.Function, body{"reservationId": h.Reservation, "tenantId": h.Tenant, "propertyId": h.Property,
		"occurredAt": b.env.Now(), "actor": desk})
	check.Equal(t, b.state(t, ids(h)[0]), "committed", "the allocation")
}

// Two events name one refund: it is made once.
func TestRefundRequested_sameIDInTwoEvents(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	i, named := b.paid(t), id.New[id.Refund]()
	for range 2 {
		deliver(t, f, reservationearlycheckout.Function, body{
			"reservationId": i.Reservation, "tenantId": i.Tenant, "propertyId": kabul.Property, "occurredAt": b.env.Now(), "actor": desk,
			"paymentRefundsRequested": []body{{"refundId": named, "paymentIntentId": i.ID, "amountMicro": "600000000"}},
		})
	}
	check.Equal(t, b.get(t, i.ID).Refunded, 600_000_000)
}

func override(b books, i payment.Intent, before, after []id.KeyCredential, request body) body {
	out := body{"reservationId": i.Reservation, "tenantId": i.Tenant, "modificationId": id.New[id.Modification](), "type": "manual_state_override",
		"occurredAt": b.env.Now(), "actor": desk, "before": body{"state": "checked_in", "keyCredentialIds": before},
		"after": body{"state": "confirmed", "keyCredentialIds": after}}
	if request != nil {
		out["refundOrChargeRequest"] = request
	}
	return out
}

func TestReservationModified_refund(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	for _, test := range []struct {
		name    string
		request func(payment.Intent) body
		want    int64 // refunded
	}{
		{"a refund", func(i payment.Intent) body {
			return body{"refundId": id.New[id.Refund](), "paymentIntentId": i.ID, "amountMicro": "200000000", "direction": "refund"}
		}, 200_000_000},
		{"a refund without an id", func(i payment.Intent) body {
			return body{"paymentIntentId": i.ID, "amountMicro": "200000000", "direction": "refund"}
		}, 200_000_000},
		{"a refund of several intents", func(i payment.Intent) body {
			return body{"amountMicro": "200000000", "direction": "refund", "paymentRefundsRequested": []body{{"paymentIntentId": i.ID, "amountMicro": "200000000"}}}
		}, 200_000_000},
		{"more than is left", func(i payment.Intent) body {
			return body{"paymentIntentId": i.ID, "amountMicro": "9000000000", "direction": "refund"}
		}, 1_000_000_000},
		{"a charge", func(i payment.Intent) body {
			return body{"paymentIntentId": i.ID, "amountMicro": "200000000", "direction": "charge"}
		}, 0},
		{"a refund of no intent", func(payment.Intent) body { return body{"amountMicro": "200000000", "direction": "refund"} }, 0},
		{"no request", func(payment.Intent) body { return nil }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := b.paid(t)
			deliver(t, f, reservationmodified.Function, override(b, i, nil, nil, test.request(i)))
			check.Equal(t, int64(b.get(t, i.ID).Refunded), test.want)
		})
	}
}

// issued returns an issued key of a reservation.
func (b books) issued(t *testing.T, r id.Reservation) id.KeyCredential {
	t.Helper()
	k := b.key(t)
	k.Reservation = r
	check.Got(lock.OpenKeys(b.env).Issue(t.Context(), k, false)).Must(t)
	return k.ID
}

// opens reports which keys still open a door.
func (b books) opens(t *testing.T, keys ...id.KeyCredential) (open []bool) {
	t.Helper()
	for _, k := range keys {
		open = append(open, b.count(t, `SELECT count(*) FROM sandbox.key_credentials WHERE key_id = $1 AND status = 'issued'`, k) == 1)
	}
	return open
}

func TestReservationModified_revokesReplacedKeys(t *testing.T) {
	t.Parallel()
	b := open(t)
	i := b.paid(t)
	kept, replaced, foreign, late := b.issued(t, i.Reservation), b.issued(t, i.Reservation), b.issued(t, i.Reservation), b.key(t)
	deliver(t, b.front(t), reservationmodified.Function,
		override(b, i, []id.KeyCredential{kept, replaced, late.ID}, []id.KeyCredential{kept}, nil))
	check.Equal(t, b.opens(t, kept, replaced, foreign), []bool{true, false, true})
	if got, err := lock.OpenKeys(b.env).Issue(t.Context(), late, false); err != nil || got != lock.KeyRevoked {
		t.Errorf("a replaced key that arrives late: %s %v, want revoked", got, err)
	}
}

// The events of a departure, a cancellation and a no-show revoke the keys that were issued before, whenever they are delivered.
func TestReservationEnds_revokesEarlierKeys(t *testing.T) {
	t.Parallel()
	b := open(t)
	f := b.front(t)
	for _, test := range []struct {
		to      fn.Function
		payload func(id.Reservation, time.Time) body
	}{
		{to: reservationcheckedout.Function, payload: func(r id.Reservation, at time.Time) body {
			return body{"reservationId": r, "tenantId": kabul.Tenant, "propertyId": kabul.Property, "checkedOutAt": at, "earlyCheckout": false,
				"overstayedNights": 0, "rooms": []body{}, "actor": desk,
				"folio": body{"folioId": "fol_1", "finalBalanceMicro": "0", "currency": "AFN", "settled": true}}
		}},
		{to: reservationcancelled.Function, payload: func(r id.Reservation, at time.Time) body {
			return body{"reservationId": r, "tenantId": kabul.Tenant, "propertyId": kabul.Property, "cancelledAt": at,
				"reason": "The guest is ill.", "reasonCode": "guest_cancelled", "paymentRefundsRequested": []body{},
				"policyApplied":  body{"ref": "flexible-24h", "refundEligibilityMicro": "0", "penaltyMicro": "0", "currency": "AFN"},
				"itemsCancelled": []string{}, "actor": desk}
		}},
		{to: reservationnoshow.Function, payload: func(r id.Reservation, at time.Time) body {
			return body{"reservationId": r, "tenantId": kabul.Tenant, "propertyId": kabul.Property, "occurredAt": at, "actor": desk}
		}},
	} {
		t.Run(test.to.Spec.Name, func(t *testing.T) {
			r := id.New[id.Reservation]()
			before := b.issued(t, r)
			other := b.issued(t, id.New[id.Reservation]())
			b.Advance(time.Minute)
			at := b.env.Now()
			b.Advance(time.Minute)
			after := b.issued(t, r)
			deliver(t, f, test.to, test.payload(r, at))
			deliver(t, f, test.to, test.payload(r, at)) // as a replay with another event id
			check.Equal(t, b.opens(t, before, after, other), []bool{false, true, true})
		})
	}
}
