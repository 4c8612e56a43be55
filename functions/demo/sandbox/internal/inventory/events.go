package inventory

import (
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
)

// The events that the inventory service publishes.
var (
	AllocationCommittedV1 = standin.Subject("inventory-service", "inventory.allocation.committed", event.Operational, event.Year)
	AllocationFailedV1    = standin.Subject("inventory-service", "inventory.allocation.failed", event.Operational, event.Year)
)

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
		drafts[i] = event.Draft{Subject: s, Tenant: h.Tenant, OrderingKey: standin.OrderingKey(h.Tenant, h.Reservation), AggregateVersion: 1, Payload: p}
	}
	return drafts
}
