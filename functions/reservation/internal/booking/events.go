package booking

import (
	"slices"
	"strings"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
)

// The events that this service publishes.
var (
	QuoteRequestedV1  = subject("quote.requested", event.Operational, 90*event.Day)
	QuoteCreatedV1    = subject("quote.created", event.Operational, 90*event.Day)
	HeldV1            = subject("held", event.Regulated, 7*event.Year)
	HoldExpiredV1     = subject("hold_expired", event.Operational, event.Year)
	ConfirmedV1       = subject("confirmed", event.Regulated, 7*event.Year)
	CancelledV1       = subject("cancelled", event.Regulated, 7*event.Year)
	ModifiedV1        = subject("modified", event.Regulated, 7*event.Year)
	DatesChangedV1    = subject("dates_changed", event.Regulated, 7*event.Year)
	CheckInStartedV1  = subject("check_in_started", event.Operational, event.Year)
	CheckedInV1       = subject("checked_in", event.Regulated, 7*event.Year)
	CheckoutStartedV1 = subject("checkout_started", event.Operational, event.Year)
	CheckedOutV1      = subject("checked_out", event.Regulated, 7*event.Year)
	NoShowV1          = subject("no_show", event.Regulated, 7*event.Year)
	EarlyCheckoutV1   = subject("early_checkout", event.Regulated, 7*event.Year)
	OverstayedV1      = subject("overstayed", event.Operational, event.Year)
	RequestAddedV1    = subject("special_request.added", event.Operational, event.Year)
)

// Publishes returns all subjects of this service.
func Publishes() []event.Subject {
	return []event.Subject{
		QuoteRequestedV1, QuoteCreatedV1, HeldV1, HoldExpiredV1, ConfirmedV1, CancelledV1, ModifiedV1, DatesChangedV1, CheckInStartedV1,
		CheckedInV1, CheckoutStartedV1, CheckedOutV1, NoShowV1, EarlyCheckoutV1, OverstayedV1, RequestAddedV1,
	}
}

func subject(name, class string, kept time.Duration) event.Subject {
	return event.Subject{
		Name: "melmastoon.reservation." + name + ".v1", Version: 1,
		SchemaURI: "https://schemas.melmastoon.io/reservation/" + strings.ReplaceAll(name, ".", "/") + "/v1.json",
		Producer:  "reservation-service",
		Retention: event.Retention{Class: class, Period: kept},
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

// occupants are the people in one room, as in events: each number is present, even if it is 0.
type occupants struct {
	Adults   int `json:"adults"`
	Children int `json:"children"`
	Infants  int `json:"infants"`
}

// A quoteRequested is the payload of QuoteRequestedV1.
type quoteRequested struct {
	Quote      id.Quote          `json:"quoteId"`
	Tenant     id.Tenant         `json:"tenantId"`
	Property   id.Property       `json:"propertyId"`
	Device     *id.TenantSession `json:"deviceId,omitzero"`
	Stay       StayView          `json:"stayWindow"`
	Items      []requestedItem   `json:"items"`
	OccurredAt time.Time         `json:"occurredAt"`
}

type requestedItem struct {
	RoomType  id.RoomType `json:"roomTypeId"`
	RatePlan  id.RatePlan `json:"ratePlanId"`
	Occupants occupants   `json:"occupants"`
}

// QuoteRequested returns the event for a requested price, whether pricing gave one or not. The guest is not known yet;
// the device is identified by its session.
func QuoteRequested(q *Quote) event.Draft {
	items := make([]requestedItem, len(q.Items))
	for i, item := range q.Items {
		items[i] = requestedItem{RoomType: item.RoomType, RatePlan: item.RatePlan, Occupants: occupants(item.Occupants)}
	}
	key := q.ID.String() // of the desk: there is no device
	if q.Session != nil {
		key = q.Session.String()
	}
	return q.event(QuoteRequestedV1, key, quoteRequested{
		Quote:      q.ID,
		Tenant:     q.Tenant,
		Property:   q.Property,
		Device:     q.Session,
		Stay:       viewStay(q.Stay),
		Items:      items,
		OccurredAt: q.AsOf,
	})
}

// A quoteCreated is the payload of QuoteCreatedV1.
type quoteCreated struct {
	Quote      id.Quote     `json:"quoteId"`
	Tenant     id.Tenant    `json:"tenantId"`
	Property   id.Property  `json:"propertyId"`
	Stay       StayView     `json:"stayWindow"`
	Items      []quotedItem `json:"items"`
	Extras     []Line       `json:"extras,omitempty"`
	Lines      []Line       `json:"lines"`
	Totals     Totals       `json:"totals"`
	FX         *FX          `json:"fxSnapshot,omitzero"`
	ValidUntil time.Time    `json:"validUntil"`
	OccurredAt time.Time    `json:"occurredAt"`
}

type quotedItem struct {
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants occupants      `json:"occupants"`
	Nights    []Night        `json:"nights"`
	Extras    []Line         `json:"extras,omitempty"`
	Nightly   money.Micro    `json:"nightlyRateMicro"`
	Total     money.Micro    `json:"totalMicro"`
	Currency  money.Currency `json:"currency"`
}

// QuoteCreated returns the event for a new quote.
func QuoteCreated(q *Quote) event.Draft {
	items := make([]quotedItem, len(q.Items))
	for i, item := range q.Items {
		items[i] = quotedItem{
			RoomType:  item.RoomType,
			RatePlan:  item.RatePlan,
			Occupants: occupants(item.Occupants),
			Nights:    item.Nights,
			Extras:    item.Extras,
			Nightly:   item.Nightly,
			Total:     item.Total,
			Currency:  q.Currency,
		}
	}
	return q.event(QuoteCreatedV1, q.ID.String(), quoteCreated{
		Quote:      q.ID,
		Tenant:     q.Tenant,
		Property:   q.Property,
		Stay:       viewStay(q.Stay),
		Items:      items,
		Extras:     q.Extras,
		Lines:      q.Lines,
		Totals:     Totals{q.Total, q.Currency},
		FX:         q.FX,
		ValidUntil: q.ValidUntil,
		OccurredAt: q.AsOf,
	})
}

func (q *Quote) event(s event.Subject, key string, payload any) event.Draft {
	d := event.Draft{Subject: s, Tenant: q.Tenant, OrderingKey: q.Tenant.String() + ":" + key, Residency: q.Region, Payload: payload}
	if q.Session != nil {
		d.Session = q.Session.String()
	}
	return d
}

// A held is the payload of HeldV1.
type held struct {
	reference
	Code       string      `json:"reservationCode"`
	Channel    Channel     `json:"channel"`
	Partner    Reference   `json:"partnerId,omitzero"`
	Guest      hashedGuest `json:"primaryGuest"`
	Stay       StayView    `json:"stayWindow"`
	Items      []heldItem  `json:"items"`
	Totals     Totals      `json:"totals"`
	Hold       heldUntil   `json:"hold"`
	FX         *FX         `json:"fxSnapshot,omitzero"`
	CreatedBy  Actor       `json:"createdBy"`
	OccurredAt time.Time   `json:"occurredAt"`
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
	Guest  id.Guest    `json:"guestId"`
	Locale locale.Tag  `json:"locale"`
	Hashes contactHash `json:"contactHash"`
}

type contactHash struct {
	Email string `json:"email,omitzero" db:"email_hash"`
	Phone string `json:"phone,omitzero" db:"phone_hash"`
}

type heldItem struct {
	Item      id.Item        `json:"itemId"`
	RoomType  id.RoomType    `json:"roomTypeId"`
	Occupants occupants      `json:"occupants"`
	Nightly   money.Micro    `json:"nightlyRateMicro"`
	Currency  money.Currency `json:"currency"`
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
			Occupants: occupants(item.Occupants),
			Nightly:   item.Nightly,
			Currency:  r.Currency,
		}
	}
	return r.event(HeldV1, held{
		reference: r.reference(), Code: r.Code, Channel: r.Channel, Partner: r.Partner,
		Guest: hashedGuest{Guest: r.Guest, Locale: r.Locale}, Stay: viewStay(r.Stay), Items: items, Totals: Totals{r.Total, r.Currency},
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
	Code         string      `json:"reservationCode"`
	Stay         StayView    `json:"stayWindow"`
	Totals       PriceTotals `json:"totals"`
	Payment      PaymentView `json:"payment"`
	FX           *FX         `json:"fxSnapshot,omitzero"`
	Channel      channel     `json:"channel"`
	Guest        hashedGuest `json:"primaryGuest"`
	ConfirmedAt  time.Time   `json:"confirmedAt"`
	CaptureEvent *id.Event   `json:"causationEventId,omitzero"`
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
		reference: r.reference(), Code: r.Code, Stay: viewStay(r.Stay), Totals: PriceTotals{Totals{r.Total, r.Currency}, r.Own},
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
	Actor       Actor           `json:"actor"`
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
