package booking

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
)

// A Modification is one change of a booked reservation. It is never changed or removed.
type Modification struct {
	ID         id.Modification  `json:"modificationId" db:"modification_id"`
	Type       ModificationType `json:"type"`
	OccurredAt time.Time        `json:"occurredAt"`
	Actor      access.Actor     `json:"actor"`
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

// A ModificationType is the kind of a modification.
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

// The forms of before and after, one per type. The keys in before are those that the change has revoked.
type (
	// DatesOf describes a date_change.
	DatesOf struct {
		Stay   quotes.StayView    `json:"stayWindow"`
		Totals quotes.Totals      `json:"totals"`
		Keys   []id.KeyCredential `json:"keyCredentialIds,omitzero"`
	}
	// RoomOf describes a room_change, and the added or removed room of room_added and room_removed.
	RoomOf struct {
		Item          id.Item            `json:"itemId"`
		RoomType      id.RoomType        `json:"roomTypeId"`
		RatePlan      id.RatePlan        `json:"ratePlanId"`
		Room          *id.Room           `json:"roomId,omitzero"`
		Occupants     quotes.Occupants   `json:"occupants"`
		Totals        quotes.Totals      `json:"totals"`
		Complimentary bool               `json:"complimentary,omitzero"`
		Keys          []id.KeyCredential `json:"keyCredentialIds,omitzero"`
	}
	// TotalsOf is the side of room_added and room_removed without the room.
	TotalsOf struct {
		Totals quotes.Totals `json:"totals"`
		NoShow bool          `json:"noShow,omitzero"` // the guests of the removed room did not come
	}
	// OccupantsOf describes a guest_count_change.
	OccupantsOf struct {
		Item      id.Item          `json:"itemId"`
		Occupants quotes.Occupants `json:"occupants"`
		Totals    quotes.Totals    `json:"totals"`
	}
	// RateOf describes a rate_change: another nightly rate, or the balance after a refund to a guest in house.
	RateOf struct {
		Item    *id.Item       `json:"itemId,omitzero"`
		Nightly *money.Micro   `json:"nightlyRateMicro,omitzero"`
		Totals  *quotes.Totals `json:"totals,omitzero"`
		Balance *Balance       `json:"balance,omitzero"`
		Reason  Text           `json:"reason,omitzero"`
	}
	// ProfileOf describes a guest_profile_update. It contains hashes, never a name.
	ProfileOf struct {
		Hashes guests.ContactHash `json:"contactHash"`
		Locale locale.Tag         `json:"locale"`
	}
	// ChannelOf describes a channel_attribution_corrected.
	ChannelOf struct {
		Channel Channel   `json:"channel"`
		Partner Reference `json:"partnerId,omitzero"`
		Reason  Text      `json:"reason,omitzero"`
	}
	// StateOf describes a manual_state_override.
	StateOf struct {
		State  State              `json:"state"`
		Reason Text               `json:"reason,omitzero"`
		Keys   []id.KeyCredential `json:"keyCredentialIds,omitzero"`
	}
)

// A newModification is one to be stored, with the version of the reservation after it.
type newModification struct {
	Modification
	version int
}

// modify adds a modification with the JSON of its before and after. Save stores it.
func (r *Reservation) modify(m Modification, before, after any) error {
	var err error
	if m.Before, m.After, err = sides(before, after); err != nil {
		return fmt.Errorf("modification %s of %s: %w", m.ID, r.ID, err)
	}
	r.Modified = append(r.Modified, m)
	r.Version++
	r.unsaved.modifications = append(r.unsaved.modifications, newModification{m, r.Version})
	return nil
}

// sides returns the JSON of before and after.
func sides(before, after any) (b, a jsontext.Value, err error) {
	if b, err = json.Marshal(before); err == nil {
		a, err = json.Marshal(after)
	}
	return b, a, err
}

// queueModifications stores the new modifications.
func (r *Reservation) queueModifications(tx postgres.Tx) {
	for _, m := range r.unsaved.modifications {
		tx.Queue(`
			INSERT INTO reservation.modifications (modification_id, tenant_id, reservation_id, version, type, before, after,
				policy_applied_ref, price_delta_micro, request, actor, occurred_at)
			VALUES (@modification, @tenant, @reservation, @version, @type, @before, @after, @policy, @delta, @request, @actor, @at)`,
			pgx.StrictNamedArgs{"modification": m.ID, "tenant": r.Tenant, "reservation": r.ID, "version": m.version, "type": m.Type,
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

// A datesChanged is the payload of DatesChangedV1: a date_change with the stay before and after.
type datesChanged struct {
	reference
	Modification
	Pre         quotes.StayView `json:"preStayWindow"`
	Post        quotes.StayView `json:"postStayWindow"`
	Allocations []id.Allocation `json:"inventoryAllocationIds"`
}

// DatesChanged returns the event of the latest modification, a change of dates.
func DatesChanged(r *Reservation, before stay.Window) event.Draft {
	return r.event(DatesChangedV1, datesChanged{
		reference: r.reference(), Modification: r.Modified[len(r.Modified)-1], Pre: quotes.ViewStay(before), Post: quotes.ViewStay(r.Stay), Allocations: r.Hold.Allocations,
	})
}
