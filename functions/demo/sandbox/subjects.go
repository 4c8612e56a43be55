package sandbox

import (
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
)

// The events that the sandbox publishes in the name of the platform's services.
var (
	AllocationCommittedV1   = subject("inventory-service", "inventory.allocation.committed", event.Operational, event.Year)
	AllocationFailedV1      = subject("inventory-service", "inventory.allocation.failed", event.Operational, event.Year)
	TransactionCapturedV1   = subject("payment-gateway-service", "payment.transaction.captured", event.Regulated, 7*event.Year)
	TransactionFailedV1     = subject("payment-gateway-service", "payment.transaction.failed", event.Regulated, 7*event.Year)
	TransactionRefundedV1   = subject("payment-gateway-service", "payment.transaction.refunded", event.Regulated, 7*event.Year)
	TenantSuspendedV1       = subject("tenant-service", "tenant.suspended", event.Audit, event.Year)
	TenantReinstatedV1      = subject("tenant-service", "tenant.reinstated", event.Audit, event.Year)
	TenantConfigUpdatedV1   = subject("tenant-service", "tenant.config_updated", event.Operational, event.Year)
	TenantSettingsChangedV1 = subject("tenant-service", "tenant.settings.changed", event.Operational, event.Year)
	ThemePublishedV1        = subject("theme-config-service", "theme.published", event.Operational, event.Year)
	RatePlanPublishedV1     = subject("pricing-service", "pricing.rate_plan.published", event.Operational, event.Year)
	KeyIssuedV1             = subject("lock-integration-service", "lock_integration.key_credential.issued", event.Operational, event.Year)
	KeyFailedV1             = subject("lock-integration-service", "lock_integration.key_credential.failed", event.Operational, event.Year)
	RoomTakenOutV1          = subject("property-service", "property.room.taken_out_of_order", event.Operational, event.Year)
	ListingIndexedV1        = subject("search-aggregation-service", "search_aggregation.listing.indexed", event.Operational, event.Year)
	SessionRevokedV1        = subject("iam-service", "iam.session.revoked", event.Audit, event.Year)
)

// Publishes returns all subjects of the sandbox.
func Publishes() []event.Subject {
	return []event.Subject{AllocationCommittedV1, AllocationFailedV1, TransactionCapturedV1, TransactionFailedV1, TransactionRefundedV1,
		TenantSuspendedV1, TenantReinstatedV1, TenantConfigUpdatedV1, TenantSettingsChangedV1,
		ThemePublishedV1, RatePlanPublishedV1, KeyIssuedV1, KeyFailedV1, RoomTakenOutV1, ListingIndexedV1, SessionRevokedV1}
}

func subject(producer, name, class string, kept time.Duration) event.Subject {
	return event.Subject{
		Name: "melmastoon." + name + ".v1", Version: 1, Producer: producer,
		SchemaURI: "https://schemas.melmastoon.io/" + strings.ReplaceAll(name, ".", "/") + "/v1.json",
		Retention: event.Retention{Class: class, Period: kept},
	}
}
