package sandbox

import (
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
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

func ratePlanPublished(p PublishedPlan) event.Draft {
	return event.Draft{Subject: RatePlanPublishedV1, Tenant: p.Tenant, OrderingKey: p.Tenant.String() + ":" + p.Property.String(),
		AggregateVersion: p.Version, Payload: p}
}

func listingIndexed(x Indexed) event.Draft {
	return event.Draft{Subject: ListingIndexedV1, Tenant: x.Tenant, OrderingKey: x.Tenant.String() + ":" + x.Property.String(),
		AggregateVersion: x.version, Payload: x}
}
