package quotes

import (
	"time"

	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

// The events of a quote.
var (
	RequestedV1 = service.Subject("quote.requested", event.Operational, 90*event.Day)
	CreatedV1   = service.Subject("quote.created", event.Operational, 90*event.Day)
)

// Occupants are the people in one room, as in events: each number is present, even if it is 0.
type Occupants struct {
	Adults   int `json:"adults"`
	Children int `json:"children"`
	Infants  int `json:"infants"`
}

// A requested is the payload of RequestedV1.
type requested struct {
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
	Occupants Occupants   `json:"occupants"`
}

// RequestedEvent returns the event for a requested price, whether pricing gave one or not. The guest is not known yet;
// the device is identified by its session.
func RequestedEvent(q *Quote) event.Draft {
	items := make([]requestedItem, len(q.Items))
	for i, item := range q.Items {
		items[i] = requestedItem{RoomType: item.RoomType, RatePlan: item.RatePlan, Occupants: Occupants(item.Occupants)}
	}
	key := q.ID.String() // of the desk: there is no device
	if q.Session != nil {
		key = q.Session.String()
	}
	return q.event(RequestedV1, key, requested{
		Quote:      q.ID,
		Tenant:     q.Tenant,
		Property:   q.Property,
		Device:     q.Session,
		Stay:       ViewStay(q.Stay),
		Items:      items,
		OccurredAt: q.AsOf,
	})
}

// A created is the payload of CreatedV1.
type created struct {
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
	Occupants Occupants      `json:"occupants"`
	Nights    []Night        `json:"nights"`
	Extras    []Line         `json:"extras,omitempty"`
	Nightly   money.Micro    `json:"nightlyRateMicro"`
	Total     money.Micro    `json:"totalMicro"`
	Currency  money.Currency `json:"currency"`
}

// CreatedEvent returns the event for a new quote.
func CreatedEvent(q *Quote) event.Draft {
	items := make([]quotedItem, len(q.Items))
	for i, item := range q.Items {
		items[i] = quotedItem{
			RoomType:  item.RoomType,
			RatePlan:  item.RatePlan,
			Occupants: Occupants(item.Occupants),
			Nights:    item.Nights,
			Extras:    item.Extras,
			Nightly:   item.Nightly,
			Total:     item.Total,
			Currency:  q.Currency,
		}
	}
	return q.event(CreatedV1, q.ID.String(), created{
		Quote:      q.ID,
		Tenant:     q.Tenant,
		Property:   q.Property,
		Stay:       ViewStay(q.Stay),
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
