package contracts

import (
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/scripts/schemadiff/history/historytest"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A specified is what the platform's specification says of one published subject.
type specified struct {
	subject       string // without melmastoon. and .v1
	class, period string
	rate          float64 // share of the events that are published; 0 means all
	debounce      string
	key           string // members of the ordering key; a|b is a, or b if there is no a
	members       string // with ? if an event may lack it
}

// specification returns the published subjects in the order of the three specifications. The class of confirmation.viewed is the one of
// its own paragraph; the overview of the same document says regulated.
func specification() []specified {
	return []specified{
		{subject: "bff.consumer.session.started", class: "operational", period: "P90D", key: "{guestSessionId}",
			members: "guestSessionId createdAt localePreference currencyPreference fingerprintHash ipHash? campaignAttribution? userAgentClass"},
		{subject: "bff.consumer.session.ended", class: "operational", period: "P90D", key: "{guestSessionId}",
			members: "guestSessionId endedAt reason lastSeenAt lifetimeSeconds"},
		{subject: "bff.consumer.search.executed", class: "operational", period: "P90D", rate: 0.1, key: "{guestSessionId}",
			members: "guestSessionId searchSessionId queryHash kind geo dates occupancy filterKeys sortKey page resultCount fromCache compositionMs currency locale"},
		{subject: "bff.consumer.click.recorded", class: "operational", period: "P90D", key: "{guestSessionId}",
			members: "guestSessionId kind tenantId propertyId searchSessionId? position? page? sortKey? occurredAt"},
		{subject: "bff.consumer.page.viewed", class: "operational", period: "P90D", key: "{guestSessionId}", // the seed's MetaPageView
			members: "pageViewId guestSessionId searchSessionId? path tenantId? propertyId? viewedAt referer? userAgentHash fingerprintHash"},
		{subject: "bff.consumer.funnel.step_reached", class: "operational", period: "P90D", key: "{guestSessionId}", // its ConversionFunnelEvent
			members: "funnelEventId guestSessionId step occurredAt tenantId? propertyId? searchSessionId? metadata?"},
		{subject: "bff.consumer.handoff.initiated", class: "audit", period: "P1Y", key: "{guestSessionId}",
			members: "handoffId guestSessionId tenantId tenantSlug propertyId dates occupancy currency locale sourceCampaign? mintedAt expiresAt hmacKeyId fingerprintHash ipHash? originReferer?"},
		{subject: "bff.consumer.locale.changed", class: "operational", period: "P90D", key: "{guestSessionId}",
			members: "guestSessionId previousLocale newLocale trigger occurredAt"},
		{subject: "bff.consumer.currency.changed", class: "operational", period: "P90D", key: "{guestSessionId}",
			members: "guestSessionId previousCurrency newCurrency trigger occurredAt"},
		{subject: "bff.consumer.wishlist.added", class: "operational", period: "P90D", key: "{guestSessionId}",
			members: "wishlistId guestSessionId tenantId propertyId source addedAt wishlistSize"},
		{subject: "bff.consumer.wishlist.removed", class: "operational", period: "P90D", key: "{guestSessionId}",
			members: "wishlistId guestSessionId tenantId propertyId removedAt wishlistSize"},
		{subject: "bff.consumer.bot_suspected", class: "audit", period: "P1Y", key: "{guestSessionId|fingerprintHash}",
			members: "guestSessionId score verdict signals ipHash? userAgentHash? fingerprintHash evaluatedAt actionTaken"},
		{subject: "bff.tenant.bootstrap.served", class: "operational", period: "P90D", debounce: "PT5M", key: "{tenantId}:{sessionId}",
			members: "tenantId tenantSlug sessionId locale currency themeVersion tenantConfigVersion fanoutLatencyMs cache handoffArrivalId?"},
		{subject: "bff.tenant.handoff.consumed", class: "audit", period: "P1Y", key: "{tenantId}:{sessionId}",
			members: "tenantId handoffArrivalId consumerSessionId propertyId campaign? mintedAt consumedAt elapsedMs hmacSignatureFingerprint"},
		{subject: "bff.tenant.booking.draft.created", class: "regulated", period: "P3Y", key: "{tenantId}:{draftId}",
			members: "tenantId draftId sessionId reservationId holdExpiresAt propertyId roomTypeId ratePlanId stayWindow occupancy totalDisplay promoCode? deviceClass handoffArrivalId?"},
		{subject: "bff.tenant.booking.draft.abandoned", class: "regulated", period: "P3Y", key: "{tenantId}:{draftId}",
			members: "tenantId draftId sessionId lastFlowState createdAt abandonedAt lastActivityAt propertyId? roomTypeId? totalDisplayPotential? errorTrail guestEmailHash?"},
		{subject: "bff.tenant.booking.draft.converted", class: "regulated", period: "P7Y", key: "{tenantId}:{draftId}",
			members: "tenantId draftId sessionId reservationId createdAt convertedAt elapsedMs propertyId roomTypeId ratePlanId totalCapturedMinor totalCapturedCurrency paymentMethod paymentProvider marketingAttribution? handoffArrivalId? deviceClass"},
		{subject: "bff.tenant.payment_intent.created", class: "regulated", period: "P7Y", key: "{tenantId}:{draftId}",
			members: "tenantId draftId intentId method provider amountMinor currency redirectFlow createdAt"},
		{subject: "bff.tenant.confirmation.viewed", class: "operational", period: "P90D", debounce: "PT24H", key: "{tenantId}:{sessionId}",
			members: "tenantId reservationId sessionId viewedAt elapsedFromConfirmMs deviceClass locale cache"},
		{subject: "bff.tenant.flow.step_completed", class: "operational", period: "P30D", rate: 0.25, key: "{tenantId}:{draftId}",
			members: "tenantId draftId sessionId fromState toState stepLatencyMs completedAt"},
		{subject: "bff.tenant.flow.error_encountered", class: "operational", period: "P90D", key: "{tenantId}:{draftId|sessionId}",
			members: "tenantId draftId? sessionId atState? errorCode upstream? occurredAt userActionable retryAfterSec"},
		{subject: "bff.tenant.locale.changed", class: "operational", period: "P90D", key: "{tenantId}:{sessionId}",
			members: "tenantId sessionId from to isRtlChange changedAt"},
		{subject: "bff.tenant.currency.changed", class: "operational", period: "P90D", key: "{tenantId}:{sessionId}",
			members: "tenantId sessionId from to draftId? changedAt"},
		{subject: "reservation.held", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId propertyId reservationCode channel partnerId? primaryGuest stayWindow items totals hold paymentIntentId? fxSnapshot? createdBy occurredAt"},
		{subject: "reservation.confirmed", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId propertyId reservationCode stayWindow totals payment fxSnapshot? channel primaryGuest confirmedAt causationEventId?"},
		{subject: "reservation.cancelled", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId propertyId cancelledAt reason reasonCode policyApplied paymentRefundsRequested itemsCancelled actor causationEventId?"},
		{subject: "reservation.modified", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId modificationId type occurredAt actor before after policyAppliedRef? priceDeltaMicro? refundOrChargeRequest?"},
		{subject: "reservation.dates_changed", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId modificationId type occurredAt actor before after policyAppliedRef? priceDeltaMicro? refundOrChargeRequest?"},
		{subject: "reservation.checked_in", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId propertyId checkedInAt assignedRooms keyCredentialIds requiresManualKey actor earlyCheckIn"},
		{subject: "reservation.checked_out", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId propertyId checkedOutAt earlyCheckout overstayedNights folio rooms actor"},
		{subject: "reservation.hold_expired", class: "operational", period: "P1Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId propertyId holdId expiredAt inventoryAllocationIds paymentIntentId?"},
		{subject: "reservation.special_request.added", class: "operational", period: "P1Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId requestId tags freeText? locale source occurredAt actor aiProvenance?"},
		{subject: "reservation.no_show", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId propertyId occurredAt actor policyApplied? penaltyMicro? currency?"},
		{subject: "reservation.early_checkout", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId propertyId occurredAt actor policyApplied? penaltyMicro? currency?"},
		{subject: "reservation.overstayed", class: "operational", period: "P1Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId propertyId occurredAt actor policyApplied? penaltyMicro? currency?"},
		{subject: "reservation.quote.requested", class: "operational", period: "P90D", key: "{tenantId}:{guestId|deviceId}",
			members: "tenantId propertyId guestId? deviceId? stayWindow items occurredAt"},
		{subject: "reservation.quote.created", class: "operational", period: "P90D", key: "{tenantId}:{quoteId}",
			members: "quoteId tenantId propertyId items totals fxSnapshot? validUntil occurredAt"},
		{subject: "reservation.check_in_started", class: "operational", period: "P1Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId propertyId startedAt itemIds actor"},
		{subject: "reservation.checkout_started", class: "operational", period: "P1Y", key: "{tenantId}:{reservationId}",
			members: "reservationId tenantId propertyId startedAt itemIds actor"},
	}
}

// ofPlatform returns the subjects that the three services consume from others: the payloads that the specifications and the contract of the
// sandbox name.
func ofPlatform() []specified {
	return []specified{
		{subject: "inventory.allocation.committed", class: "operational", period: "P1Y", key: "{tenantId}:{reservationId}",
			members: "tenantId propertyId allocationId reservationId roomTypeId stayWindow units expiresAt? committedAt"},
		{subject: "inventory.allocation.failed", class: "operational", period: "P1Y", key: "{tenantId}:{reservationId}",
			members: "tenantId propertyId allocationId reservationId roomTypeId stayWindow units reasonCode failedAt"},
		{subject: "payment.transaction.captured", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "tenantId paymentIntentId reservationId method provider amountMicro currency capturedAt"},
		{subject: "payment.transaction.failed", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "tenantId paymentIntentId reservationId method provider amountMicro currency failureCode failedAt"},
		{subject: "payment.transaction.refunded", class: "regulated", period: "P7Y", key: "{tenantId}:{reservationId}",
			members: "tenantId paymentIntentId reservationId method provider currency refundId amountMicro totalRefundedMicro refundedAt"},
		{subject: "lock_integration.key_credential.issued", class: "operational", period: "P1Y", key: "{tenantId}:{reservationId}",
			members: "tenantId propertyId reservationId itemId roomId keyCredentialId validFrom validUntil issuedAt"},
		{subject: "lock_integration.key_credential.failed", class: "operational", period: "P1Y", key: "{tenantId}:{reservationId}",
			members: "tenantId propertyId reservationId itemId roomId keyCredentialId validFrom validUntil reasonCode failedAt"},
		{subject: "theme.published", class: "operational", period: "P1Y", key: "{tenantId}",
			members: "tenantId themeId publishedVersion publishedAt"},
		{subject: "search_aggregation.listing.indexed", class: "operational", period: "P1Y", key: "{tenantId}:{propertyId}",
			members: "tenantId propertyId indexedAt geoCell"},
		{subject: "tenant.suspended", class: "audit", period: "P1Y", key: "{tenantId}",
			members: "tenantId reason suspendedAt"},
		{subject: "tenant.reinstated", class: "audit", period: "P1Y", key: "{tenantId}",
			members: "tenantId reinstatedAt"},
		{subject: "tenant.settings.changed", class: "operational", period: "P1Y", key: "{tenantId}",
			members: "tenantId holdTtlSeconds cancellationPolicyVersion noShowGraceHours changedAt"},
		{subject: "tenant.config_updated", class: "operational", period: "P1Y", key: "{tenantId}",
			members: "tenantId configVersion changedKeys updatedAt"},
		{subject: "pricing.rate_plan.published", class: "operational", period: "P1Y", key: "{tenantId}:{propertyId}",
			members: "tenantId propertyId ratePlanId version publishedAt"},
		{subject: "property.room.taken_out_of_order", class: "operational", period: "P1Y", key: "{tenantId}:{propertyId}",
			members: "tenantId propertyId roomId roomTypeId from until reasonCode occurredAt"},
		{subject: "iam.session.revoked", class: "audit", period: "P1Y", key: "{sessionId}",
			members: "tenantId? sessionId userId? reason revokedAt"},
	}
}

func TestEventSchemas_specification(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(specification(), ofPlatform())
	documents := eventSchemas(t)
	for _, row := range rows {
		t.Run(row.subject, func(t *testing.T) {
			t.Parallel()
			s, ok := documents["melmastoon."+row.subject+".v1"]
			if !ok {
				t.Fatal("no schema")
			}
			row.check(t, s)
		})
	}
}

// TestEventSchemas_released requires a row for each subject that was released.
func TestEventSchemas_released(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(specification(), ofPlatform())
	for _, release := range historytest.Released(t, root+"/schemas") {
		for name := range release.Contracts {
			if strings.HasPrefix(name, "events/") && !slices.ContainsFunc(rows, func(row specified) bool { return name == "events/melmastoon."+row.subject+".v1.json" }) {
				t.Errorf("%s of release %s has no row", name, release.Version)
			}
		}
	}
}

func (row specified) check(t *testing.T, s eventSchema) {
	t.Helper()
	if row.rate == 0 {
		row.rate = 1
	}
	check.Equal(t, s.Retention.Class, row.class)
	check.Equal(t, s.Retention.Period, row.period)
	check.Equal(t, s.Sampling.Rate, row.rate)
	check.Equal(t, s.Sampling.Debounce, row.debounce)
	check.Equal(t, s.OrderingKey, row.key, "x-ordering-key")
	for member := range strings.FieldsSeq(row.members) {
		name, optional := strings.CutSuffix(member, "?")
		if s.Properties[name] == nil {
			t.Errorf("%s is not declared", name)
		}
		if required := slices.Contains(s.Required, name); required == optional {
			t.Errorf("%s is required: %t, want %t", name, required, !optional)
		}
	}
}
