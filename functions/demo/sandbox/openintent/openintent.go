// Package openintent opens a payment intent.
package openintent

import (
	"context"
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves POST /sandbox/payment/v1/intents. It is idempotent, because a reservation has one live intent.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-openintent",
	Route:   "POST /sandbox/payment/v1/intents",
	Answer:  fn.Created,
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request is the amount, the method and the URL to return to.
type Request struct {
	Tenant      id.Tenant      `json:"tenantId"`
	Reservation id.Reservation `json:"reservationId"`
	Method      standin.Method `json:"method"`
	Amount      money.Micro    `json:"amountMicro"`
	Currency    money.Currency `json:"currency"`
	ReturnURL   string         `json:"returnUrl,omitzero"`
	PayBefore   time.Time      `json:"payBefore,omitzero"` // shown on the page only; later payments are accepted
}

// Validate rejects amounts that cannot be paid and return URLs that are not absolute.
func (r *Request) Validate() error {
	if _, err := (money.Amount{Micro: r.Amount, Currency: r.Currency}).Minor(); err != nil || r.Amount <= 0 {
		return standin.Refuse("/amountMicro", "payable", "Must be a positive multiple of the currency's smallest unit.")
	}
	back, err := url.Parse(r.ReturnURL)
	if r.ReturnURL != "" && (err != nil || back.Host == "" || back.Scheme != "https" && back.Scheme != "http") {
		return standin.Refuse("/returnUrl", "url", "Must be an absolute http or https URL.")
	}
	return nil
}

// A Response is the intent and how the guest pays it: on the checkout page, on the hotel's page with the client secret, or, with
// neither, on the phone or in cash.
type Response struct {
	ID          id.Intent      `json:"paymentIntentId"`
	Provider    string         `json:"provider"`
	Status      payment.Status `json:"status"`
	RedirectURL string         `json:"redirectUrl,omitzero"`
	Secret      string         `json:"clientSecret,omitzero"`
	Amount      money.Micro    `json:"amountMicro"`
	Currency    money.Currency `json:"currency"`
	ExpiresAt   time.Time      `json:"expiresAt"`
}

type handler struct {
	intents payment.Intents
	pages   payment.Pages
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	pages, err := payment.OpenPages(e)
	return (&handler{payment.OpenIntents(e), pages}).open, err
}

func (h *handler) open(ctx context.Context, c fn.Call[Request]) (out Response, err error) {
	i, err := h.intents.Open(ctx, payment.Wanted{Tenant: c.In.Tenant, Reservation: c.In.Reservation, Method: c.In.Method,
		Amount: money.Amount{Micro: c.In.Amount, Currency: c.In.Currency}, ReturnURL: c.In.ReturnURL,
		Scenario: payment.RequestedScenario(c.Header, c.In.Method)})
	if err != nil {
		return out, err
	}
	out = Response{ID: i.ID, Provider: i.Provider, Status: i.Status, Secret: i.Secret(), Amount: i.Amount, Currency: i.Currency, ExpiresAt: i.ExpiresAt}
	if i.Status == payment.RequiresPayment {
		out.RedirectURL = h.pages.Checkout(i.ID, c.In.PayBefore)
	}
	return out, nil
}
