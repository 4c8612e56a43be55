package payment

import (
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// The events that the payment service publishes.
var (
	TransactionCapturedV1 = standin.Subject("payment-gateway-service", "payment.transaction.captured", event.Regulated, 7*event.Year)
	TransactionFailedV1   = standin.Subject("payment-gateway-service", "payment.transaction.failed", event.Regulated, 7*event.Year)
	TransactionRefundedV1 = standin.Subject("payment-gateway-service", "payment.transaction.refunded", event.Regulated, 7*event.Year)
)

type transactionPayload struct {
	Tenant        id.Tenant      `json:"tenantId"`
	Intent        id.Intent      `json:"paymentIntentId"`
	Reservation   id.Reservation `json:"reservationId"`
	Method        standin.Method `json:"method"`
	Provider      string         `json:"provider"`
	Amount        money.Micro    `json:"amountMicro"`
	Currency      money.Currency `json:"currency"`
	CapturedAt    time.Time      `json:"capturedAt,omitzero"`
	FailureCode   string         `json:"failureCode,omitzero"`
	FailedAt      time.Time      `json:"failedAt,omitzero"`
	Refund        id.Refund      `json:"refundId,omitzero"`
	TotalRefunded money.Micro    `json:"totalRefundedMicro,omitzero"`
	RefundedAt    time.Time      `json:"refundedAt,omitzero"`
}

func (i Intent) payload() transactionPayload {
	return transactionPayload{Tenant: i.Tenant, Intent: i.ID, Reservation: i.Reservation, Method: i.Method,
		Provider: i.Provider, Amount: i.Amount, Currency: i.Currency}
}

func (i Intent) draft(s event.Subject, p transactionPayload) event.Draft {
	return event.Draft{Subject: s, Tenant: i.Tenant, OrderingKey: standin.OrderingKey(i.Tenant, i.Reservation),
		AggregateVersion: i.Version, Payload: p}
}

// captured has the event id that the intent stores, so that callers of payment can name the event.
func captured(i Intent) event.Draft {
	p := i.payload()
	p.Amount, p.CapturedAt = i.Captured, *i.CapturedAt
	d := i.draft(TransactionCapturedV1, p)
	d.ID = *i.CapturedEvent
	return d
}

func failed(i Intent, at time.Time) event.Draft {
	p := i.payload()
	p.FailureCode, p.FailedAt = i.FailureCode, at
	return i.draft(TransactionFailedV1, p)
}

func refunded(i Intent, r Refund, at time.Time) event.Draft {
	p := i.payload()
	p.Amount, p.Refund, p.TotalRefunded, p.RefundedAt = r.Amount, r.ID, r.Total, at
	return i.draft(TransactionRefundedV1, p)
}
