// Package readlink returns the link to a booking's confirmation, for a service that sends messages to the guest.
//
// It returns neither name nor address. A caller can open and cancel every booking, so the route has a list of callers
// of its own (notification_callers).
package readlink

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /internal/tenant-booking/v1/tenants/{tenantId}/confirmations/{reservationId}/link.
var Function = tenantbooking.Internal(fn.Spec{
	Name:    "tenantbooking-readlink",
	Route:   "GET /internal/tenant-booking/v1/tenants/{tenantId}/confirmations/{reservationId}/link",
	Uses:    fn.Uses{fn.Documents, fn.Upstream("reservation"), fn.Upstream("tenant")},
	Timeout: 2 * time.Second,
}, New)

// A Request names the booking.
type Request struct {
	Tenant      id.Tenant      `path:"tenantId"`
	Reservation id.Reservation `path:"reservationId"`
}

// A Response is the link. Its view token expires 30 days after the stay.
type Response struct {
	fn.Reply `json:"-"`
	booking.Link
}

// registry is the part of the reservation service that this function uses.
type registry interface {
	Get(context.Context, id.Tenant, id.Reservation) (booking.Reservation, error)
}

// tenants is the part of the tenant service that this function uses.
type tenants interface {
	Find(ctx context.Context, ref string) (hotel.Tenant, error)
}

type handler struct {
	tenants      tenants
	reservations registry
	links        booking.Links
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	links, err := booking.OpenLinks(e)
	return (&handler{hotel.OpenTenants(e), booking.OpenReservations(e), links}).read, err
}

// read returns ErrUnknownTenant, or ErrNotFound if the reservation is unknown or was never confirmed, or if the link has expired.
func (h *handler) read(ctx context.Context, c fn.Call[Request]) (out Response, err error) {
	tenant, err := h.tenants.Find(ctx, c.In.Tenant.String())
	if err != nil {
		return out, err
	}
	r, err := h.reservations.Get(ctx, tenant.ID, c.In.Reservation)
	if err != nil {
		return out, err
	}
	out.Link, err = h.links.To(tenant, r, c.Now)
	out.Reply = fn.OK.Reply().Cached("no-store")
	return out, err
}
