package booking

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
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

// The types of modifications.
const (
	DateChange         ModificationType = "date_change"
	RoomChange         ModificationType = "room_change"
	RoomAdded          ModificationType = "room_added"
	RoomRemoved        ModificationType = "room_removed"
	GuestCountChange   ModificationType = "guest_count_change"
	RateChange         ModificationType = "rate_change"
	GuestProfileUpdate ModificationType = "guest_profile_update"
	ChannelCorrected   ModificationType = "channel_attribution_corrected"
	StateOverride      ModificationType = "manual_state_override"
)

// The forms of before and after.
type (
	// A ProfileOf describes a guest_profile_update. It contains hashes, never a name.
	ProfileOf struct {
		Hashes contactHash `json:"contactHash"`
		Locale locale.Tag  `json:"locale"`
	}
)

// modify adds a modification with the JSON of its before and after. Save stores it.
func (r *Reservation) modify(m Modification, before, after any) error {
	var err error
	if m.Before, err = json.Marshal(before); err == nil {
		m.After, err = json.Marshal(after)
	}
	if err != nil {
		return fmt.Errorf("modification %s of %s: %w", m.ID, r.ID, err)
	}
	r.Modified = append(r.Modified, m)
	r.unsaved.modifications = append(r.unsaved.modifications, m)
	r.Version++
	return nil
}

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

// A modified is the payload of ModifiedV1.
type modified struct {
	Reservation id.Reservation `json:"reservationId"`
	Tenant      id.Tenant      `json:"tenantId"`
	Modification
}

// ReservationModified returns the event of the latest modification.
func ReservationModified(r *Reservation) event.Draft {
	return r.event(ModifiedV1, modified{Reservation: r.ID, Tenant: r.Tenant, Modification: r.Modified[len(r.Modified)-1]})
}
