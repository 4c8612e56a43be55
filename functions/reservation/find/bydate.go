package find

import (
	"context"

	"melmastoon.ghasi.io/functions/reservation"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/id"
)

// askByDate returns the arrivals or departures of a date, or of the business date.
func (h *handler) askByDate(ctx context.Context, c reservation.Call[Request], p booking.Page) ([]*booking.Reservation, error) {
	property, leaving := c.In.Departures.Get()
	list := h.reservations.Departures
	if !leaving {
		property, list = c.In.Arrivals.Or(id.Property{}), h.reservations.Arrivals
	}
	date, given := c.In.Date.Get()
	if !given && c.Allows(property) {
		var err error
		if date, err = h.businessDate(ctx, c.Tenant, property, c.Now); err != nil {
			return nil, err
		}
	}
	return list(ctx, c.Scope, property, date, p)
}
