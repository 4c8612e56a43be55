package booking

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Modification is one change of a booked reservation. It is never changed or removed.
type Modification struct {
	ID         id.Modification  `json:"modificationId" db:"modification_id"`
	Type       ModificationType `json:"type"`
	OccurredAt time.Time        `json:"occurredAt"`
	Actor      Actor            `json:"actor"`
	Before     jsontext.Value   `json:"before"`
	After      jsontext.Value   `json:"after"`
	PolicyRef  string           `json:"policyAppliedRef,omitzero" db:"policy_applied_ref"`
	PriceDelta *money.Micro     `json:"priceDeltaMicro,omitzero" db:"price_delta_micro"` // negative: cheaper
	Request    *MoneyRequest    `json:"refundOrChargeRequest,omitzero" db:"request"`
}

// A MoneyRequest is the refund or charge that follows a change of the price. A refund of several payments lists them in
// Refunds and names no intent.
type MoneyRequest struct {
	Refund    id.Refund   `json:"refundId,omitzero"`
	Intent    *id.Intent  `json:"paymentIntentId,omitzero"`
	Amount    money.Micro `json:"amountMicro"` // positive
	Direction string      `json:"direction"`   // charge or refund
	Refunds   []Refund    `json:"paymentRefundsRequested,omitzero"`
}

// A ModificationType is the kind of a modification (seed 3.4).
type ModificationType string

// queueModifications stores the new modifications.
func (r *Reservation) queueModifications(tx postgres.Tx) {
	for _, m := range r.unsaved.modifications {
		tx.Queue(`
			INSERT INTO reservation.modifications (modification_id, tenant_id, reservation_id, version, type, before, after,
				policy_applied_ref, price_delta_micro, request, actor, occurred_at)
			VALUES (@modification, @tenant, @reservation, @version, @type, @before, @after, @policy, @delta, @request, @actor, @at)`,
			pgx.StrictNamedArgs{"modification": m.ID, "tenant": r.Tenant, "reservation": r.ID, "version": r.Version, "type": m.Type,
				"before": m.Before, "after": m.After, "policy": m.PolicyRef, "delta": m.PriceDelta, "request": m.Request,
				"actor": m.Actor, "at": m.OccurredAt})
	}
}
