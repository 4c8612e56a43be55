package booking

import (
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/functions/reservation/internal/quotes"
	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// The events that this service publishes.
var (
	HeldV1            = service.Subject("held", event.Regulated, 7*event.Year)
	HoldExpiredV1     = service.Subject("hold_expired", event.Operational, event.Year)
	ConfirmedV1       = service.Subject("confirmed", event.Regulated, 7*event.Year)
	CancelledV1       = service.Subject("cancelled", event.Regulated, 7*event.Year)
	ModifiedV1        = service.Subject("modified", event.Regulated, 7*event.Year)
	DatesChangedV1    = service.Subject("dates_changed", event.Regulated, 7*event.Year)
	CheckInStartedV1  = service.Subject("check_in_started", event.Operational, event.Year)
	CheckedInV1       = service.Subject("checked_in", event.Regulated, 7*event.Year)
	ItemsCheckedInV1  = service.Subject("items_checked_in", event.Regulated, 7*event.Year)
	CheckoutStartedV1 = service.Subject("checkout_started", event.Operational, event.Year)
	CheckedOutV1      = service.Subject("checked_out", event.Regulated, 7*event.Year)
	NoShowV1          = service.Subject("no_show", event.Regulated, 7*event.Year)
	EarlyCheckoutV1   = service.Subject("early_checkout", event.Regulated, 7*event.Year)
	OverstayedV1      = service.Subject("overstayed", event.Operational, event.Year)
	RequestAddedV1    = service.Subject("special_request.added", event.Operational, event.Year)
)

// Publishes returns all subjects of this service.
func Publishes() []event.Subject {
	return []event.Subject{
		quotes.RequestedV1, quotes.CreatedV1, HeldV1, HoldExpiredV1, ConfirmedV1, CancelledV1, ModifiedV1, DatesChangedV1, CheckInStartedV1,
		ItemsCheckedInV1,
		CheckedInV1, CheckoutStartedV1, CheckedOutV1, NoShowV1, EarlyCheckoutV1, OverstayedV1, RequestAddedV1,
	}
}

// event returns a draft of an event about the reservation. Events are ordered per reservation and numbered by its
// version.
func (r *Reservation) event(s event.Subject, payload any) event.Draft {
	d := event.Draft{
		Subject: s, Tenant: r.Tenant, OrderingKey: r.Tenant.String() + ":" + r.ID.String(),
		AggregateVersion: r.Version, Residency: r.Region, Payload: payload,
	}
	if r.Session != nil {
		d.Session = r.Session.String()
	}
	return d
}

// A held is the payload of HeldV1.
type held struct {
	reference
	Code       string          `json:"reservationCode"`
	Channel    Channel         `json:"channel"`
	Partner    Reference       `json:"partnerId,omitzero"`
	Guest      hashedGuest     `json:"primaryGuest"`
	Stay       quotes.StayView `json:"stayWindow"`
	Items      []heldItem      `json:"items"`
	Totals     quotes.Totals   `json:"totals"`
	Hold       heldUntil       `json:"hold"`
	FX         *quotes.FX      `json:"fxSnapshot,omitzero"`
	CreatedBy  access.Actor    `json:"createdBy"`
	OccurredAt time.Time       `json:"occurredAt"`
}

// A reference identifies the reservation of an event.
type reference struct {
	Reservation id.Reservation `json:"reservationId"`
	Tenant      id.Tenant      `json:"tenantId"`
	Property    id.Property    `json:"propertyId"`
}

func (r *Reservation) reference() reference {
	return reference{Reservation: r.ID, Tenant: r.Tenant, Property: r.Property}
}

// A hashedGuest is the part of a guest that may leave this service. A hold has only the id. The confirmation also has the hashes, because
// guests enter their details before they pay.
type hashedGuest struct {
	Guest  id.Guest           `json:"guestId"`
	Locale locale.Tag         `json:"locale"`
	Hashes guests.ContactHash `json:"contactHash"`
}

type heldItem struct {
	Item      id.Item          `json:"itemId"`
	RoomType  id.RoomType      `json:"roomTypeId"`
	Occupants quotes.Occupants `json:"occupants"`
	Nightly   money.Micro      `json:"nightlyRateMicro"`
	Currency  money.Currency   `json:"currency"`
}

type heldUntil struct {
	PlacedAt  time.Time `json:"placedAt"`
	ExpiresAt time.Time `json:"expiresAt"`
	TTL       int       `json:"ttlSeconds"`
}

// HoldPlaced returns the event for a new hold.
func HoldPlaced(r *Reservation) event.Draft {
	items := make([]heldItem, len(r.Items))
	for i, item := range r.Items {
		items[i] = heldItem{
			Item:      item.ID,
			RoomType:  item.RoomType,
			Occupants: quotes.Occupants(item.Occupants),
			Nightly:   item.Nightly,
			Currency:  r.Currency,
		}
	}
	return r.event(HeldV1, held{
		reference: r.reference(), Code: r.Code, Channel: r.Channel, Partner: r.Partner,
		Guest: hashedGuest{Guest: r.Guest, Locale: r.Locale}, Stay: quotes.ViewStay(r.Stay), Items: items, Totals: r.totals(r.Total),
		Hold: heldUntil{
			PlacedAt:  r.Hold.PlacedAt,
			ExpiresAt: r.Hold.ExpiresAt,
			TTL:       r.Hold.TTL,
		}, FX: r.FX, CreatedBy: r.CreatedBy, OccurredAt: r.Hold.PlacedAt,
	})
}

// A confirmed is the payload of ConfirmedV1.
type confirmed struct {
	reference
	Code         string             `json:"reservationCode"`
	Stay         quotes.StayView    `json:"stayWindow"`
	Totals       quotes.PriceTotals `json:"totals"`
	Payment      PaymentView        `json:"payment"`
	FX           *quotes.FX         `json:"fxSnapshot,omitzero"`
	Channel      channel            `json:"channel"`
	Guest        hashedGuest        `json:"primaryGuest"`
	ConfirmedAt  time.Time          `json:"confirmedAt"`
	CaptureEvent *id.Event          `json:"causationEventId,omitzero"`
}

type channel struct {
	Channel Channel   `json:"channel"`
	Partner Reference `json:"partnerId,omitzero"`
}

// ReservationConfirmed returns the event for a confirmed reservation.
func ReservationConfirmed(r *Reservation) event.Draft {
	paid := *viewPayment(r.Payment)
	paid.Captured = r.Payment.kept() // without a surplus that was refunded
	return r.event(ConfirmedV1, confirmed{
		reference: r.reference(), Code: r.Code, Stay: quotes.ViewStay(r.Stay), Totals: quotes.PriceTotals{Totals: r.totals(r.Total), Own: r.Own},
		Payment: paid, FX: r.FX, Channel: channel{r.Channel, r.Partner}, Guest: hashedGuest{r.Guest, r.Locale, r.Hashes},
		ConfirmedAt: *r.Payment.ConfirmedAt, CaptureEvent: r.Payment.CaptureEvent,
	})
}

// A cancelled is the payload of CancelledV1.
type cancelled struct {
	reference
	CancelledAt time.Time       `json:"cancelledAt"`
	Reason      string          `json:"reason"`
	Code        Reason          `json:"reasonCode"`
	Applied     Applied         `json:"policyApplied"`
	Refunds     []Refund        `json:"paymentRefundsRequested"`
	Items       []id.Item       `json:"itemsCancelled"`
	Allocations []id.Allocation `json:"inventoryAllocationIds"` // for inventory to release
	Actor       access.Actor    `json:"actor"`
	Cause       *id.Event       `json:"causationEventId,omitzero"`
}

// ReservationCancelled returns the event for a cancelled reservation.
func ReservationCancelled(r *Reservation) event.Draft {
	c, items := r.Cancellation, make([]id.Item, len(r.Items))
	for i, item := range r.Items {
		items[i] = item.ID
	}
	return r.event(CancelledV1, cancelled{
		reference:   r.reference(),
		CancelledAt: c.At,
		Reason:      c.Reason,
		Code:        c.Code,
		Applied:     c.Applied,
		Refunds:     c.Refunds,
		Items:       items,
		Allocations: slices.Concat(r.Hold.Allocations, r.Change.held()),
		Actor:       c.Actor,
		Cause:       c.Cause,
	})
}

// A holdExpired is the payload of HoldExpiredV1.
type holdExpired struct {
	reference
	Hold        id.Hold         `json:"holdId"`
	ExpiredAt   time.Time       `json:"expiredAt"`
	Allocations []id.Allocation `json:"inventoryAllocationIds"`
}

// HoldRanOut returns the event for an expired hold.
func HoldRanOut(r *Reservation) event.Draft {
	return r.event(HoldExpiredV1, holdExpired{
		reference:   r.reference(),
		Hold:        r.Hold.ID,
		ExpiredAt:   r.Hold.ExpiresAt,
		Allocations: r.Hold.Allocations,
	})
}
