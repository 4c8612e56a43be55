package session

import (
	"net/http"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// Schema is the PostgreSQL schema of this service's tables.
const Schema = "bff_tenant_booking"

// Base is the path prefix of every route of this service. On a tenant's own host the same routes are also under /api.
const Base = "/bff/tenant-booking/v1/{tenantSlug}"

// A Visitor is the tenant, the session and the preferences that the middleware resolves for a request.
type Visitor struct {
	Tenant   hotel.Tenant
	Took     time.Duration // to find the tenant
	Called   string        // the tenant as the request's path names it: its slug, a domain or its id
	Session  Session       // zero if there is no session, which only happens in functions that accept requests without one
	Locale   locale.Tag
	Currency money.Currency
	Campaign attribution.Campaign
	Device   attribution.Device
}

// DeviceOf returns the device class of a request. A client that is not recognized as a browser counts as a desktop.
func DeviceOf(h http.Header) attribution.Device {
	if d := attribution.DeviceOf(h); d != attribution.Other {
		return d
	}
	return attribution.Desktop
}
