package directory

import (
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
)

// The events that the tenant, theme and property services publish.
var (
	TenantSuspendedV1       = standin.Subject("tenant-service", "tenant.suspended", event.Audit, event.Year)
	TenantReinstatedV1      = standin.Subject("tenant-service", "tenant.reinstated", event.Audit, event.Year)
	TenantConfigUpdatedV1   = standin.Subject("tenant-service", "tenant.config_updated", event.Operational, event.Year)
	TenantSettingsChangedV1 = standin.Subject("tenant-service", "tenant.settings.changed", event.Operational, event.Year)
	ThemePublishedV1        = standin.Subject("theme-config-service", "theme.published", event.Operational, event.Year)
	RoomTakenOutV1          = standin.Subject("property-service", "property.room.taken_out_of_order", event.Operational, event.Year)
)

// draft returns a draft of an event about the tenant. Events of a tenant are ordered within a subject.
func (t Tenant) draft(s event.Subject, payload any) event.Draft {
	return event.Draft{Subject: s, Tenant: t.ID, OrderingKey: t.ID.String(), AggregateVersion: t.Version, Payload: payload}
}

func tenantSuspended(t Tenant, reason string, at time.Time) event.Draft {
	return t.draft(TenantSuspendedV1, struct {
		Tenant id.Tenant `json:"tenantId"`
		Reason string    `json:"reason"`
		At     time.Time `json:"suspendedAt"`
	}{t.ID, reason, at})
}

func tenantReinstated(t Tenant, at time.Time) event.Draft {
	return t.draft(TenantReinstatedV1, struct {
		Tenant id.Tenant `json:"tenantId"`
		At     time.Time `json:"reinstatedAt"`
	}{t.ID, at})
}

func tenantConfigured(t Tenant, changed []string, at time.Time) event.Draft {
	return t.draft(TenantConfigUpdatedV1, struct {
		Tenant  id.Tenant `json:"tenantId"`
		Version int       `json:"configVersion"`
		Changed []string  `json:"changedKeys"`
		At      time.Time `json:"updatedAt"`
	}{t.ID, t.ConfigVersion, changed, at})
}

func settingsChanged(t Tenant, at time.Time) event.Draft {
	return t.draft(TenantSettingsChangedV1, struct {
		Tenant id.Tenant `json:"tenantId"`
		Settings
		At time.Time `json:"changedAt"`
	}{t.ID, t.Settings, at})
}

// themePublished contains the theme's id and version only; the theme service returns its tokens.
func themePublished(t Theme) event.Draft {
	return event.Draft{Subject: ThemePublishedV1, Tenant: t.Tenant, OrderingKey: t.Tenant.String(), AggregateVersion: t.Version,
		Payload: struct {
			Tenant    id.Tenant    `json:"tenantId"`
			Theme     ThemeID      `json:"themeId"`
			Version   ThemeVersion `json:"publishedVersion"`
			Published time.Time    `json:"publishedAt"`
		}{t.Tenant, t.ID, t.Published, t.PublishedAt}}
}
