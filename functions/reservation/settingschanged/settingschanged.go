// Package settingschanged stores a tenant's changed settings for holds and no-shows.
//
// There is one row per tenant, guarded by changedAt; instances read it every 15 seconds and prefer it to the tenant
// service, which still names the region. The member cancellationPolicyVersion is ignored: each quote freezes its
// policy.
package settingschanged

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/platform"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/inbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Function consumes melmastoon.tenant.settings.changed.v1.
var Function = reservation.Event(fn.Spec{
	Name:         "reservation-settingschanged",
	Subject:      "melmastoon.tenant.settings.changed.v1",
	Uses:         fn.Uses{fn.Postgres},
	Timeout:      10 * time.Second,
	MaxInstances: 1, // rare
}, New)

// Changed is the part of the event that this function reads. The version of the cancellation policy is ignored.
type Changed = platform.SettingsChange

type handler struct {
	db      *postgres.DB
	tenants platform.Tenants
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Handle[Changed], error) {
	return (&handler{postgres.Open(e, service.Schema), platform.OpenTenants(e)}).record, nil
}

func (h *handler) record(ctx context.Context, e event.Event[Changed]) error {
	return inbox.Once(ctx, h.db, e.Delivery, func(tx postgres.Tx) error {
		return h.tenants.Change(ctx, tx, *e.Delivery.Tenant, e.Payload)
	})
}
