// Package readcalendar returns the lowest price of each night in one hotel.
package readcalendar

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// Function serves GET /sandbox/pricing/v1/calendar.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-readcalendar",
	Route:   "GET /sandbox/pricing/v1/calendar",
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

const maxDays = 62

// A Request is a hotel, the first day and the number of days.
type Request struct {
	Property id.Property    `query:"propertyId"`
	From     stay.Date      `query:"from"`
	Days     int            `query:"days"`
	Currency money.Currency `query:"currency"`
}

// Validate requires between one day and two months.
func (r *Request) Validate() error {
	if r.Days < 1 || r.Days > maxDays {
		return standin.Refuse("/days", "range", "Must span 1 to 62 days.")
	}
	return nil
}

// A Response lists the days whose nights can be booked.
type Response struct {
	Days     []pricing.DayPrice `json:"days"`
	Currency money.Currency     `json:"currency"` // the hotel's own if there is no exchange rate
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	tariffs := pricing.OpenTariffs(e)
	return func(ctx context.Context, c fn.Call[Request]) (Response, error) {
		if scenario.Requested(c.Header, scenario.SoldOut) {
			return Response{[]pricing.DayPrice{}, c.In.Currency}, nil
		}
		days, currency, err := tariffs.Calendar(ctx, c.In.Property, stay.Window{Start: c.In.From, End: c.In.From.AddDays(c.In.Days)}, c.In.Currency)
		return Response{days, currency}, err
	}, nil
}
