package handoffs

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Destinations looks up the hotels that a handoff can lead to.
type Destinations struct {
	tenants    *search.Tenants
	properties *search.Properties
}

// OpenDestinations opens the directories.
func OpenDestinations(e env.Env) *Destinations {
	return &Destinations{search.OpenTenants(e), search.OpenProperties(e)}
}

// Find returns the tenant of a property. It returns fault.ErrNotFound if the property does not exist or belongs to another tenant,
// ErrTenantSuspended if the tenant is suspended, and a violation if the stay begins before today at the property. It calls
// both services concurrently and returns ErrBudgetExceeded if the request's deadline expires meanwhile.
func (d *Destinations) Find(ctx context.Context, tenant id.Tenant, property id.Property, dates search.DateRange, now time.Time) (owner search.Tenant, err error) {
	var past error
	asked, within := errgroup.WithContext(ctx)
	asked.Go(func() (err error) {
		owner, err = d.tenants.Find(within, tenant)
		return err
	})
	asked.Go(func() error {
		hotel, _, err := d.properties.Get(within, property)
		if err == nil && hotel.Tenant != tenant {
			err = fault.ErrNotFound
		}
		if err == nil {
			past = hotel.CheckDates(dates, "/dates", now)
		}
		return err
	})
	err = asked.Wait()
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return search.Tenant{}, search.ErrBudgetExceeded.Because(err)
	case err != nil:
		return search.Tenant{}, err
	case owner.Suspended():
		return search.Tenant{}, ErrTenantSuspended
	}
	return owner, past
}
