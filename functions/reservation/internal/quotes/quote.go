// Package quotes asks for prices and stores them, with the terms of that time, as quotes. It never computes a price.
package quotes

import (
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// A Quote is a price that is valid until ValidUntil. It is immutable.
type Quote struct {
	ID          id.Quote    `db:"quote_id"`
	Tenant      id.Tenant   `db:"tenant_id"`
	Property    id.Property `db:"property_id"`
	Stay        stay.Window `db:"-"`
	Locale      locale.Tag
	Currency    money.Currency
	Total       money.Micro `db:"grand_total_micro"`
	Items       []PricedItem
	Extras      []Line
	Lines       []Line
	Policy      Policy
	Promo       string            `db:"promo_code"`
	FX          *FX               `db:"fx_snapshot"`
	Own         Own               `db:"-"`
	Session     *id.TenantSession `db:"session_id"`
	Draft       *id.Draft         `db:"draft_id"`
	Region      string            // where the tenant's data must stay
	Local       Local             `db:"-"`
	NoShowGrace int               `db:"no_show_grace_hours"`
	ValidUntil  time.Time
	AsOf        time.Time // the database's clock when this was read
}

// Requested returns a quote without a price, with the id that a priced quote of the same act would have.
func Requested(act id.Request, tenant id.Tenant, region string, a Ask, now time.Time) *Quote {
	q := &Quote{ID: id.Derive[id.Quote](act, "quote"), Tenant: tenant, Property: a.Property, Stay: a.Stay, Session: a.Session, Region: region, AsOf: event.Time(now)}
	for _, item := range a.Items {
		q.Items = append(q.Items, PricedItem{RoomType: item.RoomType, RatePlan: item.RatePlan, Occupants: item.Occupants})
	}
	return q
}

// New returns a quote with the price that the pricing service gave for an ask. Its id derives from the act, so a
// repetition returns the same quote. New rejects a price that does not match the ask, and a basis without the
// region that every event needs or the time zone that every deadline needs.
func New(act id.Request, tenant id.Tenant, b Basis, a Ask, p Price) (*Quote, error) {
	if err := a.Accept(p); err != nil {
		return nil, err
	}
	if p.Totals.Grand == 0 {
		return nil, fault.ErrUpstreamUnavailable.Because(errors.New("pricing: a stay for nothing"))
	}
	if b.Region == "" {
		return nil, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("tenants: %s has no known region", tenant))
	}
	if err := b.Local.Validate(); err != nil {
		return nil, fault.ErrUpstreamUnavailable.Because(fmt.Errorf("properties: %s: %w", a.Property, err))
	}
	for i := range p.Items {
		p.Items[i].Occupants = a.Items[i].Occupants
		if p.Items[i].Policy == nil {
			p.Items[i].Policy = &p.Policy
		}
	}
	return &Quote{
		ID: id.Derive[id.Quote](act, "quote"), Tenant: tenant, Property: a.Property, Stay: a.Stay,
		Locale: a.Locale, Currency: a.Currency, Total: p.Totals.Grand, Items: p.Items, Extras: p.Extras, Lines: p.Lines,
		Policy: p.Policy, Promo: a.Promo, FX: p.FX, Own: p.Totals.Own, Session: a.Session, Draft: a.Draft, Region: b.Region,
		Local: b.Local, NoShowGrace: b.NoShowGrace, ValidUntil: event.Time(p.ValidUntil),
	}, nil
}

// A View represents a quote in answers.
type View struct {
	Quote      id.Quote    `json:"quoteId"`
	Tenant     id.Tenant   `json:"tenantId"`
	Property   id.Property `json:"propertyId"`
	Stay       StayView    `json:"stayWindow"`
	Locale     locale.Tag  `json:"locale"`
	Items      []ItemView  `json:"items"`
	Extras     []Line      `json:"extras,omitempty"` // what belongs to no room
	Lines      []Line      `json:"lines"`
	Totals     Totals      `json:"totals"`
	Policy     Policy      `json:"cancellationPolicy"`
	FX         *FX         `json:"fxSnapshot,omitzero"`
	ValidUntil time.Time   `json:"validUntil"`
}

// An ItemView is one room with its price.
type ItemView struct {
	PricedItem
	Currency money.Currency `json:"currency"`
}

// View returns the quote as callers see it.
func (q *Quote) View() View {
	items := make([]ItemView, len(q.Items))
	for i, item := range q.Items {
		items[i] = ItemView{item, q.Currency}
	}
	return View{
		Quote: q.ID, Tenant: q.Tenant, Property: q.Property, Stay: ViewStay(q.Stay), Locale: q.Locale, Items: items, Extras: q.Extras, Lines: q.Lines,
		Totals: Totals{q.Total, q.Currency}, Policy: q.Policy, FX: q.FX, ValidUntil: q.ValidUntil,
	}
}
