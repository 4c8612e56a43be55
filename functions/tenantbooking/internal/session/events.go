package session

import (
	"maps"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/cache"
)

type bootstrapServed struct {
	Tenant  id.Tenant          `json:"tenantId"`
	Slug    string             `json:"tenantSlug"`
	Session id.TenantSession   `json:"sessionId"`
	Locale  locale.Tag         `json:"locale"`
	Money   money.Currency     `json:"currency"`
	Theme   string             `json:"themeVersion"`
	Config  string             `json:"tenantConfigVersion"`
	Fanout  map[string]int64   `json:"fanoutLatencyMs"`
	Cache   cache.State        `json:"cache"`
	Handoff *id.Handoff        `json:"handoffId,omitzero"`
	Arrival *id.HandoffArrival `json:"handoffArrivalId,omitzero"`
}

func servedPayload(v Visitor, f hotel.Storefront, a *Arrival) bootstrapServed {
	p := bootstrapServed{
		Tenant:  v.Tenant.ID,
		Slug:    v.Tenant.Slug,
		Session: v.Session.ID,
		Locale:  v.Locale,
		Money:   v.Currency,
		Theme:   f.ThemeVersion(),
		Config:  v.Tenant.Version(),
		Fanout:  map[string]int64{"tenant": v.Took.Milliseconds()},
		Cache:   f.Cache,
		Handoff: nil,
		Arrival: nil,
	}
	maps.Copy(p.Fanout, f.Milliseconds)
	if a != nil {
		p.Handoff, p.Arrival = &a.Handoff, &a.ID
	}
	return p
}

// NewEvent returns a draft of an event of a session.
func NewEvent(v Visitor, s event.Subject, payload any) event.Draft {
	session := v.Session.ID.String()
	return event.Draft{
		Subject: s, Tenant: v.Tenant.ID, OrderingKey: v.Tenant.ID.String() + ":" + session,
		Session: session, Attribution: v.Campaign.Attributed(), Payload: payload,
	}
}

// WithErrorCode adds the error code as an attribute, so that subscriptions can filter by it.
func WithErrorCode(code string, d event.Draft) event.Draft {
	d.Extensions = event.Extensions{"errorcode": code}
	return d
}

// at returns the time in the precision of responses and events.
