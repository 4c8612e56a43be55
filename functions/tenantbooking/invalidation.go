package tenantbooking

import (
	"context"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Invalidation returns an event function that invalidates the cached values of the epochs that an event affects. An error of
// affected dead-letters the event. The function needs no inbox: a repeated delivery only causes one more cache miss.
func Invalidation[P any](s fn.Spec, affected func(id.Tenant, P) ([]cache.Epoch, error)) fn.Function {
	return Event(s, func(e env.Env) (fn.Handle[P], error) {
		return func(ctx context.Context, received event.Event[P]) error {
			stale, err := affected(*received.Delivery.Tenant, received.Payload)
			if err != nil {
				return fn.DeadLetter(err)
			}
			return cache.Invalidate(ctx, e, stale...)
		}, nil
	})
}

// StatusChange returns an event function that records whether the tenant of an event is suspended, and invalidates the tenant's
// cached configuration. It needs no inbox: the time of the event decides which of two is newer, so repeated deliveries have no effect.
func StatusChange(s fn.Spec, suspended bool) fn.Function {
	return Event(s, func(e env.Env) (fn.Handle[struct{}], error) {
		tenants := hotel.OpenTenants(e)
		return func(ctx context.Context, received event.Event[struct{}]) error {
			tenant := *received.Delivery.Tenant
			if err := tenants.SetStatus(ctx, tenant, suspended, received.Envelope.OccurredAt); err != nil {
				return err
			}
			return cache.Invalidate(ctx, e, hotel.OfConfiguration(tenant))
		}, nil
	})
}
