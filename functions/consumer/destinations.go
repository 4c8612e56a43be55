package consumer

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Destinations are the hotels that guests can go on to.
type Destinations struct {
	tenants    *Tenants
	properties *Properties
}

// OpenDestinations opens the directories.
func OpenDestinations(e env.Env) *Destinations {
	return &Destinations{OpenTenants(e), OpenProperties(e)}
}

// Find returns whose house it is, if it is that hotel company's and open to guests. A house of another one is ErrNotFound,
// like one that does not exist; a company that sells nothing at present is ErrTenantSuspended, and a stay must not begin before
// today at the house. Both services are asked at once; when the time for the whole answer runs out meanwhile that is ErrBudgetExceeded.
func (d *Destinations) Find(ctx context.Context, tenant id.Tenant, property id.Property, dates DateRange, now time.Time) (hotel Tenant, err error) {
	var past error
	asked, within := errgroup.WithContext(ctx)
	asked.Go(func() (err error) {
		hotel, err = d.tenants.Find(within, tenant)
		return err
	})
	asked.Go(func() error {
		house, _, err := d.properties.Get(within, property)
		if err == nil && house.Tenant != tenant {
			err = ErrNotFound
		}
		if err == nil {
			past = house.Receives(dates, "/dates", now)
		}
		return err
	})
	err = asked.Wait()
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Tenant{}, ErrBudgetExceeded.Because(err)
	case err != nil:
		return Tenant{}, err
	case hotel.Suspended():
		return Tenant{}, ErrTenantSuspended
	}
	return hotel, past
}
