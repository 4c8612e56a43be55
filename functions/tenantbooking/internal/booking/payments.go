package booking

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// Payments is the client of the payment service.
type Payments struct{ client *upstream.Client }

// OpenPayments returns the client.
func OpenPayments(e env.Env) Payments {
	return Payments{upstream.Open(e, "payment", upstream.Policy{Timeout: 2 * time.Second, Retries: 1})}
}

// PaymentsName is the name of the payment service in events.
const PaymentsName = "payment-gateway-service"

// Open creates a payment intent for the draft's total, and returns it with the URL of its payment page, if any. A
// repeated call with the same key returns the same intent; a call with another method supersedes the earlier intent. Open
// returns ErrIllegalStep if the bank is processing the earlier intent, because its money may still be captured.
func (p Payments) Open(ctx context.Context, d *Draft, m hotel.Method, back, key string) (Intent, error) {
	return p.open(ctx, intentRequest{Tenant: d.Tenant, Reservation: d.Hold.Reservation, Method: m, Amount: d.Quote.Total, Return: back, Before: d.Hold.ExpiresAt}, key)
}

// An intentRequest is a payment that a guest begins. Before is the deadline that the payment page shows; it is zero for a payment without one.
type intentRequest struct {
	Tenant      id.Tenant
	Reservation id.Reservation
	Method      hotel.Method
	Amount      money.Minor
	Return      string
	Before      time.Time
}

func (p Payments) open(ctx context.Context, w intentRequest, key string) (opened Intent, err error) {
	defer wrapServiceError(PaymentsName, &err)
	total, err := w.Amount.Micro()
	if err != nil {
		return Intent{}, err
	}
	in := struct {
		Tenant      id.Tenant      `json:"tenantId"`
		Reservation id.Reservation `json:"reservationId"`
		Method      hotel.Method   `json:"method"`
		Amount      money.Micro    `json:"amountMicro"`
		Currency    money.Currency `json:"currency"`
		Return      string         `json:"returnUrl,omitzero"`
		PayBefore   time.Time      `json:"payBefore,omitzero"` // the hold's end, so that the payment page shows the same deadline
	}{w.Tenant, w.Reservation, w.Method, total.Micro, total.Currency, w.Return, w.Before}
	var out struct {
		ID       id.Intent      `json:"paymentIntentId"`
		Provider string         `json:"provider"`
		Redirect string         `json:"redirectUrl"`
		Secret   string         `json:"clientSecret"`
		Amount   money.Micro    `json:"amountMicro"`
		Currency money.Currency `json:"currency"`
	}
	err = p.client.Post(ctx, "/intents", in, &out, upstream.Tenant(w.Tenant), upstream.Key(key))
	if errors.Is(err, errProcessing) {
		err = ErrIllegalStep.Because(err)
	}
	if err != nil {
		return Intent{}, fmt.Errorf("payments: open for %s: %w", w.Reservation, err)
	}
	if out.ID.IsZero() || out.Provider == "" || out.Amount != total.Micro || out.Currency != total.Currency {
		return Intent{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("payments: open for %s: the answer does not match the request", w.Reservation))
	}
	return Intent{
		ID:          out.ID,
		Method:      w.Method,
		Provider:    out.Provider,
		RedirectURL: out.Redirect,
		Secret:      out.Secret,
		Amount:      w.Amount,
	}, nil
}

// errProcessing is the payment service's answer while the bank is processing another payment.
var errProcessing = fault.New(fault.Conflict, "PAYMENT.PROCESSING", "")

// A PaymentState is the state of a payment at the payment service.
type PaymentState struct {
	ID          id.Intent      `json:"paymentIntentId"`
	Tenant      id.Tenant      `json:"tenantId"`
	Reservation id.Reservation `json:"reservationId"`
	Method      hotel.Method   `json:"method"`
	Provider    string         `json:"provider"`
	Amount      money.Micro    `json:"amountMicro"`
	Currency    money.Currency `json:"currency"`
	Paid        money.Micro    `json:"capturedMicro"`
	Refunded    money.Micro    `json:"refundedMicro"`
	Status      string         `json:"status"`
	Secret      string         `json:"clientSecret"` // only while the guest must approve on the hotel's page
	Attempts    int            `json:"attempts"`     // number of declined attempts
	FailureCode string         `json:"failureCode"`
}

// Captured reports whether the money was captured.
func (p PaymentState) Captured() bool { return p.Status == "captured" }

// CashOnArrival reports whether the guest pays in cash on arrival.
func (p PaymentState) CashOnArrival() bool { return p.Status == "pending_cash" }

// underWay reports whether an attempt waits for the bank or for the guest's approval, so that its money may arrive without another act.
func (p PaymentState) underWay() bool {
	return p.Status == "processing" || p.Status == "requires_action"
}

// kept returns the captured amount that has not been refunded.
func (p PaymentState) kept() money.Micro { return p.Paid - p.Refunded }

// intent returns the payment without the URL of its page, which only its beginning answers.
func (p PaymentState) intent() (Intent, error) {
	amount, err := money.Amount{Micro: p.Amount, Currency: p.Currency}.Minor()
	return Intent{ID: p.ID, Method: p.Method, Provider: p.Provider, Secret: p.Secret, Amount: amount}, err
}

// Closed reports whether the payment can no longer be captured.
func (p PaymentState) Closed() bool { return p.Status == "failed" || p.Status == "superseded" }

// Get returns the state of the draft's payment, or an error if the answer is for another payment. With an error it
// returns a zero PaymentState.
func (p Payments) Get(ctx context.Context, d *Draft) (paid PaymentState, err error) {
	defer wrapServiceError(PaymentsName, &err)
	if err := p.client.Get(ctx, "/intents/"+d.Payment.Intent.String(), nil, &paid, upstream.Tenant(d.Tenant)); err != nil {
		return PaymentState{}, fmt.Errorf("payments: get %s: %w", d.Payment.Intent, err)
	}
	if paid.ID != d.Payment.Intent || paid.Tenant != d.Tenant || paid.Reservation != d.Hold.Reservation {
		return PaymentState{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("payments: get %s: the answer is for another payment", d.Payment.Intent))
	}
	return paid, nil
}

// Of returns the payments of a reservation, oldest first.
func (p Payments) Of(ctx context.Context, t id.Tenant, r id.Reservation) (all []PaymentState, err error) {
	defer wrapServiceError(PaymentsName, &err)
	var out struct {
		Intents []PaymentState `json:"intents"`
	}
	query := url.Values{"tenantId": {t.String()}, "reservationId": {r.String()}}
	if err := p.client.Get(ctx, "/intents", query, &out, upstream.Tenant(t)); err != nil {
		return nil, fmt.Errorf("payments: of %s: %w", r, err)
	}
	if slices.ContainsFunc(out.Intents, func(i PaymentState) bool { return i.Tenant != t || i.Reservation != r }) {
		return nil, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("payments: of %s: the answer is for another reservation", r))
	}
	return out.Intents, nil
}

// settlePayment sets d.Payment to the payment that the reservation lists, and returns the captured amount in minor units, which
// is 0 for cash on arrival.
func (d *Draft) settlePayment(r Reservation) (captured int64) {
	if r.Payment != nil {
		for _, p := range append(slices.Clone(d.Replaced), *d.Payment) {
			if slices.Contains(r.Payment.Intents, p.Intent) {
				d.Payment = &p
			}
		}
	}
	amount, err := r.captured()
	switch {
	case d.Payment.Method == hotel.CashOnArrival:
		return 0
	case r.Payment == nil, err != nil:
		return d.Payment.Amount.Amount
	}
	return amount.Amount
}
