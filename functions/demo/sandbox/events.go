package sandbox

import (
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// orderingKey orders the events of one reservation within a subject.
func orderingKey(t id.Tenant, r id.Reservation) string { return t.String() + ":" + r.String() }

type allocationPayload struct {
	Tenant      id.Tenant      `json:"tenantId"`
	Property    id.Property    `json:"propertyId"`
	Allocation  id.Allocation  `json:"allocationId"`
	Reservation id.Reservation `json:"reservationId"`
	RoomType    id.RoomType    `json:"roomTypeId"`
	Stay        stay.Window    `json:"stayWindow"`
	Units       int            `json:"units"`
	ExpiresAt   time.Time      `json:"expiresAt,omitzero"`
	CommittedAt time.Time      `json:"committedAt,omitzero"`
	ReasonCode  string         `json:"reasonCode,omitzero"`
	FailedAt    time.Time      `json:"failedAt,omitzero"`
}

// held returns an event per claim: its rooms are allocated.
func (h Hold) held(at, until time.Time) []event.Draft {
	return h.drafts(AllocationCommittedV1, allocationPayload{CommittedAt: at, ExpiresAt: until})
}

// refused returns an event per claim: no rooms are available.
func (h Hold) refused(at time.Time) []event.Draft {
	return h.drafts(AllocationFailedV1, allocationPayload{FailedAt: at, ReasonCode: "no_inventory"})
}

func (h Hold) drafts(s event.Subject, p allocationPayload) []event.Draft {
	drafts := make([]event.Draft, len(h.Claims))
	for i, c := range h.Claims {
		p.Tenant, p.Property, p.Allocation, p.Reservation = h.Tenant, h.Property, c.Allocation, h.Reservation
		p.RoomType, p.Stay, p.Units = c.RoomType, h.Stay, c.Units
		drafts[i] = event.Draft{Subject: s, Tenant: h.Tenant, OrderingKey: orderingKey(h.Tenant, h.Reservation), AggregateVersion: 1, Payload: p}
	}
	return drafts
}

type transactionPayload struct {
	Tenant        id.Tenant      `json:"tenantId"`
	Intent        id.Intent      `json:"paymentIntentId"`
	Reservation   id.Reservation `json:"reservationId"`
	Method        Method         `json:"method"`
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
	return event.Draft{Subject: s, Tenant: i.Tenant, OrderingKey: orderingKey(i.Tenant, i.Reservation),
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
