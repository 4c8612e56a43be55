// Package reservation is the client of the reservation service. It has those operations of schemas/http/reservation.yaml that the site
// of a hotel calls, named by operationId, with the members that the site sends and reads. Tests compare it with the document.
package reservation

import (
	"context"
	"net/http"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A Client calls the reservation service for one tenant per call. Its writes carry idempotency keys, so that a repeated call has one
// effect.
type Client struct {
	withoutRetry *upstream.Client
	withRetry    *upstream.Client
}

// Open returns the client.
func Open(e env.Env) Client {
	const timeout = 1500 * time.Millisecond
	return Client{
		withoutRetry: upstream.Open(e, "reservation", upstream.Policy{Timeout: timeout}),
		withRetry:    upstream.Open(e, "reservation", upstream.Policy{Timeout: timeout, Retries: 1}),
	}
}

// The routes of the operations, below the URL of the service.
const (
	createQuote        = http.MethodPost + " /quotes"
	createHold         = http.MethodPost + " /holds"
	getReservation     = http.MethodGet + " /{id}"
	setGuestDetails    = http.MethodPut + " /{id}/guest"
	confirmReservation = http.MethodPost + " /{id}/confirm"
	cancelReservation  = http.MethodPost + " /{id}/cancel"
	changeDates        = http.MethodPost + " /{id}/dates"
	addSpecialRequest  = http.MethodPost + " /{id}/special-requests"
)

// CreateQuote requests the price of a stay. It does not retry, because one attempt may take most of the time that a guest waits. The
// function at maps the pointers of violations, see [upstream.Pointing].
func (c Client) CreateQuote(ctx context.Context, t id.Tenant, key string, in QuoteRequest, at func(pointer string) (string, bool)) (out Quote, err error) {
	err = c.withoutRetry.Post(ctx, "/quotes", in, &out, upstream.Tenant(t), upstream.Key(key), upstream.Pointing(at))
	return out, err
}

// CreateHold holds the rooms of a quote.
func (c Client) CreateHold(ctx context.Context, t id.Tenant, key string, in HoldRequest) (out Reservation, err error) {
	err = c.withRetry.Post(ctx, "/holds", in, &out, upstream.Tenant(t), upstream.Key(key))
	return out, err
}

// GetReservation returns a reservation.
func (c Client) GetReservation(ctx context.Context, t id.Tenant, r id.Reservation) (out Reservation, err error) {
	err = c.withRetry.Get(ctx, "/"+r.String(), nil, &out, upstream.Tenant(t))
	return out, err
}

// SetGuestDetails sets the details of the guest.
func (c Client) SetGuestDetails(ctx context.Context, t id.Tenant, r id.Reservation, key string, in GuestDetails) (out GuestOf, err error) {
	err = c.withRetry.Put(ctx, "/"+r.String()+"/guest", in, &out, upstream.Tenant(t), upstream.Key(key))
	return out, err
}

// ConfirmReservation confirms a held reservation with its payment.
func (c Client) ConfirmReservation(ctx context.Context, t id.Tenant, r id.Reservation, key string, in ConfirmRequest) (out Reservation, err error) {
	err = c.withRetry.Post(ctx, "/"+r.String()+"/confirm", in, &out, upstream.Tenant(t), upstream.Key(key))
	return out, err
}

// CancelReservation cancels a reservation and returns the penalty and the refund. A dry run only returns them.
func (c Client) CancelReservation(ctx context.Context, t id.Tenant, r id.Reservation, key string, in CancelRequest) (out Cancelled, err error) {
	err = c.withRetry.Post(ctx, "/"+r.String()+"/cancel", in, &out, upstream.Tenant(t), upstream.Key(key))
	return out, err
}

// ChangeDates changes the stay of a reservation. The function at maps the pointers of violations, see [upstream.Pointing].
func (c Client) ChangeDates(ctx context.Context, t id.Tenant, r id.Reservation, key string, in DatesRequest, at func(pointer string) (string, bool)) (out Changed, err error) {
	err = c.withRetry.Post(ctx, "/"+r.String()+"/dates", in, &out, upstream.Tenant(t), upstream.Key(key), upstream.Pointing(at))
	return out, err
}

// AddSpecialRequest adds a special request to a reservation. The function at maps the pointers of violations, see [upstream.Pointing].
func (c Client) AddSpecialRequest(ctx context.Context, t id.Tenant, r id.Reservation, key string, in SpecialRequest, at func(pointer string) (string, bool)) (out Reservation, err error) {
	err = c.withRetry.Post(ctx, "/"+r.String()+"/special-requests", in, &out, upstream.Tenant(t), upstream.Key(key), upstream.Pointing(at))
	return out, err
}
