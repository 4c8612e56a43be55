package tenantbooking

import (
	"context"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// Payments is the payment service.
type Payments struct{ client *upstream.Client }

// OpenPayments opens the client.
func OpenPayments(e env.Env) Payments {
	return Payments{upstream.Open(e, "payment", upstream.Policy{Timeout: 2 * time.Second, Retries: 1})}
}

// PaymentsName is what the payment service is called in events.
const PaymentsName = "payment-gateway-service"

// Open begins a payment of the draft's whole price, and says where the guest goes to make it. Asked for the same again it
// is the same payment; asked for another way, the one before is given up.
func (p Payments) Open(ctx context.Context, d *Draft, m Method, back, key string) (Intent, error) {
	total, err := d.Quote.Total.Micro()
	if err != nil {
		return Intent{}, err
	}
	in := struct {
		Tenant      id.Tenant      `json:"tenantId"`
		Reservation id.Reservation `json:"reservationId"`
		Method      Method         `json:"method"`
		Amount      money.Micro    `json:"amountMicro"`
		Currency    money.Currency `json:"currency"`
		Return      string         `json:"returnUrl,omitzero"`
		PayBefore   time.Time      `json:"payBefore"` // the guest reads one deadline, here and on the payment page
	}{d.Tenant, d.Hold.Reservation, m, total.Micro, total.Currency, back, d.Hold.ExpiresAt}
	var out struct {
		ID       id.Intent      `json:"paymentIntentId"`
		Provider string         `json:"provider"`
		Redirect string         `json:"redirectUrl"`
		Secret   string         `json:"clientSecret"`
		Amount   money.Micro    `json:"amountMicro"`
		Currency money.Currency `json:"currency"`
	}
	if err := p.client.Post(ctx, "/intents", in, &out, upstream.Tenant(d.Tenant), upstream.Key(key)); err != nil {
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

// A Paid is where a payment stands.
type Paid struct {
	ID          id.Intent      `json:"paymentIntentId"`
	Tenant      id.Tenant      `json:"tenantId"`
	Reservation id.Reservation `json:"reservationId"`
	Status      string         `json:"status"`
	Attempts    int            `json:"attempts"` // declined ones
	FailureCode string         `json:"failureCode"`
}

// Captured reports whether the money has come.
func (p Paid) Captured() bool { return p.Status == "captured" }

// Promised reports whether the guest has promised to pay in cash.
func (p Paid) Promised() bool { return p.Status == "pending_cash" }

// Over reports whether no money will come any more.
func (p Paid) Over() bool { return p.Status == "failed" || p.Status == "superseded" }

// Get returns where the draft's payment stands, or with an error nothing: an answer about another payment is not believed.
func (p Payments) Get(ctx context.Context, d *Draft) (paid Paid, err error) {
	if err := p.client.Get(ctx, "/intents/"+d.Payment.Intent.String(), nil, &paid, upstream.Tenant(d.Tenant)); err != nil {
		return Paid{}, fmt.Errorf("payments: get %s: %w", d.Payment.Intent, err)
	}
	if paid.ID != d.Payment.Intent || paid.Tenant != d.Tenant || paid.Reservation != d.Hold.Reservation {
		return Paid{}, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("payments: get %s: the answer is for another payment", d.Payment.Intent))
	}
	return paid, nil
}
