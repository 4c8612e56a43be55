// Package readintent tells where a payment stands.
package readintent

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/sandbox"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// Function answers GET /sandbox/payment/v1/intents/{intentId}.
var Function = sandbox.HTTP(fn.Spec{
	Name:    "sandbox-readintent",
	Route:   "GET /sandbox/payment/v1/intents/{intentId}",
	Access:  fn.Internal,
	Uses:    fn.Uses{fn.Postgres},
	Timeout: 2 * time.Second,
}, New)

// A Request names an intent.
type Request struct {
	Intent id.Intent `path:"intentId"`
}

// A Response is the intent as it stands. Whoever acts on a capture finds here which event told of it.
type Response struct {
	ID            id.Intent      `json:"paymentIntentId"`
	Tenant        id.Tenant      `json:"tenantId"`
	Reservation   id.Reservation `json:"reservationId"`
	Method        sandbox.Method `json:"method"`
	Provider      string         `json:"provider"`
	Status        sandbox.Status `json:"status"`
	Attempts      int            `json:"attempts"`
	Amount        money.Micro    `json:"amountMicro"`
	Currency      money.Currency `json:"currency"`
	Captured      money.Micro    `json:"capturedMicro"`
	Refunded      money.Micro    `json:"refundedMicro"`
	CapturedAt    *time.Time     `json:"capturedAt,omitzero"`
	CapturedEvent *id.Event      `json:"capturedEventId,omitzero"`
	FailureCode   string         `json:"failureCode,omitzero"`
	ExpiresAt     time.Time      `json:"expiresAt"`
}

type reader struct {
	intents sandbox.Intents
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (fn.Serve[Request, Response], error) {
	return (&reader{sandbox.OpenIntents(e)}).read, nil
}

func (r *reader) read(ctx context.Context, c fn.Call[Request]) (Response, error) {
	i, err := r.intents.Get(ctx, c.In.Intent)
	return Response{ID: i.ID, Tenant: i.Tenant, Reservation: i.Reservation, Method: i.Method, Provider: i.Provider,
		Status: i.Status, Attempts: i.Attempts, Amount: i.Amount, Currency: i.Currency, Captured: i.Captured,
		Refunded: i.Refunded, CapturedAt: i.CapturedAt, CapturedEvent: i.CapturedEvent, FailureCode: i.FailureCode,
		ExpiresAt: i.ExpiresAt}, err
}
