// Package validators has the events that the programs below it validate. Each program is one side of BenchmarkColdStart_schemas.
package validators

// Payloads are one event of each subject that reservation-paymentcaptured publishes.
var Payloads = map[string]string{
	"melmastoon.reservation.confirmed.v1": `{
		"reservationId": "rsv_01JQZ8Q0000000000000000000", "tenantId": "tnt_01JQZ8Q0000000000000000000", "propertyId": "ppt_01JQZ8Q0000000000000000000",
		"reservationCode": "GM-ABC123", "stayWindow": {"start": "2026-12-01", "end": "2026-12-03", "nights": 2},
		"totals": {"grandTotalMicro": "180000000", "currency": "USD"},
		"payment": {"method": "card", "status": "captured", "paymentIntentIds": ["pyi_01JQZ8Q0000000000000000000"], "capturedMicro": "180000000"},
		"channel": {"channel": "direct"}, "primaryGuest": {"guestId": "gst_01JQZ8Q0000000000000000000", "locale": "en"},
		"confirmedAt": "2026-11-22T10:00:00Z", "causationEventId": "evt_01JQZ8Q0000000000000000000"
	}`,
	"melmastoon.reservation.cancelled.v1": `{
		"reservationId": "rsv_01JQZ8Q0000000000000000000", "tenantId": "tnt_01JQZ8Q0000000000000000000", "propertyId": "ppt_01JQZ8Q0000000000000000000",
		"cancelledAt": "2026-11-22T10:00:00Z", "reason": "overbooked", "reasonCode": "overbooked",
		"policyApplied": {"ref": "flex", "refundEligibilityMicro": "180000000", "penaltyMicro": "0", "currency": "USD"},
		"paymentRefundsRequested": [], "itemsCancelled": ["rit_01JQZ8Q0000000000000000000"], "actor": {"type": "system", "id": "reservation"}
	}`,
}
