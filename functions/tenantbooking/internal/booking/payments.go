package booking

import (
	"context"
	"errors"
	"fmt"
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
func (p Payments) Open(ctx context.Context, d *Draft, m hotel.Method, back, key string) (opened Intent, err error) {
	defer wrapServiceError(PaymentsName, &err)
	total, err := d.Quote.Total.Micro()
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
		PayBefore   time.Time      `json:"payBefore"` // the hold's end, so that the payment page shows the same deadline
	}{d.Tenant, d.Hold.Reservation, m, total.Micro, total.Currency, back, d.Hold.ExpiresAt}
	var out struct {
		ID       id.Intent      `json:"paymentIntentId"`
		Provider string         `json:"provider"`
		Redirect string         `json:"redirectUrl"`
		Secret   string         `json:"clientSecret"`
		Amount   money.Micro    `json:"amountMicro"`
		Currency money.Currency `json:"currency"`
	}
	err = p.client.Post(ctx, "/intents", in, &out, upstream.Tenant(d.Tenant), upstream.Key(key))
	if errors.Is(err, errProcessing) {
		err = ErrIllegalStep.Because(err)
	}
	if err != nil {
		return Intent{}, fmt.Errorf("payments: open for %s: %w", d.Hold.Reservation, err)
	}
	if out.ID.IsZero() || out.Provider == "" || out.Amount != total.Micro || out.Currency != total.Currency {
		return Intent{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("payments: open for %s: the answer does not match the request", d.Hold.Reservation))
	}
	return Intent{
		ID:          out.ID,
		Method:      m,
		Provider:    out.Provider,
		RedirectURL: out.Redirect,
		Secret:      out.Secret,
		Amount:      d.Quote.Total,
	}, nil
}

// errProcessing is the payment service's answer while the bank is processing another payment.
var errProcessing = fault.New(fault.Conflict, "PAYMENT.PROCESSING", "")

// A PaymentState is the state of a payment at the payment service.
type PaymentState struct {
	ID          id.Intent      `json:"paymentIntentId"`
	Tenant      id.Tenant      `json:"tenantId"`
	Reservation id.Reservation `json:"reservationId"`
	Status      string         `json:"status"`
	Secret      string         `json:"clientSecret"` // only while the guest must approve on the hotel's page
	Attempts    int            `json:"attempts"`     // number of declined attempts
	FailureCode string         `json:"failureCode"`
}

// Captured reports whether the money was captured.
func (p PaymentState) Captured() bool { return p.Status == "captured" }

// CashOnArrival reports whether the guest pays in cash on arrival.
func (p PaymentState) CashOnArrival() bool { return p.Status == "pending_cash" }

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
