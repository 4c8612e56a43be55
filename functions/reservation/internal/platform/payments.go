package platform

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// Payments is a client of the payment service.
type Payments struct{ client *upstream.Client }

// OpenPayments opens the client.
func OpenPayments(e env.Env) Payments {
	return Payments{upstream.Open(e, "payment", upstream.Policy{Timeout: 2 * time.Second, Retries: 1})}
}

// Intent returns an intent. It returns ErrNotCaptured if the payment service does not know the intent.
func (p Payments) Intent(ctx context.Context, tenant id.Tenant, i id.Intent) (intent booking.Intent, err error) {
	err = p.client.Get(ctx, "/intents/"+i.String(), nil, &intent, upstream.Tenant(tenant))
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return booking.Intent{}, booking.ErrNotCaptured.Because(err)
	case err != nil:
		return booking.Intent{}, fmt.Errorf("payments: intent %s: %w", i, err)
	case intent.ID != i || intent.Status == booking.Captured && intent.CaptureEvent == nil:
		return booking.Intent{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("payments: intent %s: incomplete", i))
	}
	return intent, nil
}

// Of returns the intents of a reservation, oldest first.
func (p Payments) Of(ctx context.Context, tenant id.Tenant, r id.Reservation) ([]booking.Intent, error) {
	var out struct {
		Intents []booking.Intent `json:"intents"`
	}
	query := url.Values{"tenantId": {tenant.String()}, "reservationId": {r.String()}}
	if err := p.client.Get(ctx, "/intents", query, &out, upstream.Tenant(tenant)); err != nil {
		return nil, fmt.Errorf("payments: intents of %s: %w", r, err)
	}
	return out.Intents, nil
}

// Pending reports whether an intent of the reservation can still pay for it: it is open, or its captured money is not
// fully refunded.
func (p Payments) Pending(ctx context.Context, tenant id.Tenant, r id.Reservation) (bool, error) {
	intents, err := p.Of(ctx, tenant, r)
	return slices.ContainsFunc(intents, booking.Intent.CanPay), err
}

// Promise creates the intent to pay the whole stay in cash on arrival. It is idempotent.
func (p Payments) Promise(ctx context.Context, r *booking.Reservation) (booking.Intent, error) {
	in := struct {
		Tenant      id.Tenant      `json:"tenantId"`
		Reservation id.Reservation `json:"reservationId"`
		Method      booking.Method `json:"method"`
		Amount      money.Micro    `json:"amountMicro"`
		Currency    money.Currency `json:"currency"`
	}{r.Tenant, r.ID, booking.CashOnArrival, r.Total, r.Currency}
	var out struct {
		ID id.Intent `json:"paymentIntentId"`
	}
	if err := p.client.Post(ctx, "/intents", in, &out, upstream.Tenant(r.Tenant), upstream.Repeatable()); err != nil {
		return booking.Intent{}, fmt.Errorf("payments: promise for %s: %w", r.ID, err)
	}
	return p.Intent(ctx, r.Tenant, out.ID)
}

// Learn asks the payment service how much of each intent has been refunded. An act that refunds money needs it.
func (p Payments) Learn(ctx context.Context, r *booking.Reservation) error {
	for _, paid := range r.Payment.Intents {
		if paid.Captured == 0 {
			continue
		}
		i, err := p.Intent(ctx, r.Tenant, paid.Intent)
		if err != nil {
			return err
		}
		r.Learn(i)
	}
	return nil
}

// errExceedsCapture is the payment service's answer if less money is left than a refund asks for.
var errExceedsCapture = fault.New(fault.Unprocessable, "PAYMENT.REFUND_EXCEEDS_CAPTURE", "")

// Refund refunds money, once per refund id. It returns fault.ErrVersionConflict if the intent was refunded since it was read.
func (p Payments) Refund(ctx context.Context, tenant id.Tenant, back booking.Refund, why booking.Cause) error {
	in := struct {
		Refund id.Refund   `json:"refundId"`
		Amount money.Micro `json:"amountMicro"`
		Reason string      `json:"reason"`
	}{back.ID, back.Amount, string(why)}
	var out struct {
		Refund id.Refund `json:"refundId"`
	}
	err := p.client.Post(ctx, "/intents/"+back.Intent.String()+"/refunds", in, &out, upstream.Tenant(tenant), upstream.Repeatable())
	if errors.Is(err, fault.ErrIdempotencyKeyReused) || errors.Is(err, errExceedsCapture) {
		err = fault.ErrVersionConflict.Because(err)
	}
	if err != nil {
		return fmt.Errorf("payments: refund %s: %w", back.Intent, err)
	}
	return nil
}
