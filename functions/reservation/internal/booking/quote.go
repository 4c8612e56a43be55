package booking

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/stay"
)

// maxItems limits the rooms of one reservation, and with them the size of answers and events. maxPromoLength limits the
// promo code passed to pricing.
const (
	maxItems       = 20
	maxPromoLength = 64
)

// An Ask is a request for a price.
type Ask struct {
	Property id.Property       `json:"propertyId"`
	Items    []AskedItem       `json:"items"`
	Stay     Stay              `json:"stayWindow"`
	Currency money.Currency    `json:"currency"`
	Locale   locale.Tag        `json:"locale"`
	Promo    string            `json:"promoCode,omitzero"`
	Session  *id.TenantSession `json:"sessionId,omitzero"`
	Draft    *id.Draft         `json:"draftId,omitzero"`
}

// Validate rejects impossible stays, rooms and occupants.
func (a Ask) Validate() error {
	var found []fault.Violation
	if err := a.Stay.Validate(); err != nil {
		found = append(found, fault.Violation{Pointer: "/stayWindow", Rule: "range", Message: err.Error()})
	}
	if n := len(a.Items); n == 0 || n > maxItems {
		found = append(found, fault.Violation{Pointer: "/items", Rule: "length", Message: fmt.Sprintf("must list 1 to %d rooms", maxItems)})
	}
	if len(a.Promo) > maxPromoLength {
		found = append(found, fault.Violation{Pointer: "/promoCode", Rule: "length", Message: fmt.Sprintf("must not be longer than %d bytes", maxPromoLength)})
	}
	if attribution.Plain(a.Promo) != a.Promo {
		found = append(found, fault.Violation{Pointer: "/promoCode", Rule: "form", Message: "is not a promotional code"})
	}
	for i, item := range a.Items {
		if err := item.Occupants.Validate(); err != nil {
			found = append(found, fault.Violation{Pointer: fmt.Sprintf("/items/%d/occupants", i), Rule: "range", Message: err.Error()})
		}
	}
	if found != nil {
		return fault.ErrValidation.With(found...)
	}
	return nil
}

// An AskedItem is one requested room.
type AskedItem struct {
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants stay.Occupants `json:"occupants"`
}

// A Night is the price of one night in one room.
type Night struct {
	Date   stay.Date   `json:"date"`
	Amount money.Micro `json:"amountMicro"` // with taxes and fees
	Room   money.Micro `json:"roomMicro"`   // the part of Amount that is the room at its rate
}

// A PricedItem is one room with its price.
type PricedItem struct {
	RoomType  id.RoomType    `json:"roomTypeId"`
	RatePlan  id.RatePlan    `json:"ratePlanId"`
	Occupants stay.Occupants `json:"occupants"`
	Nights    []Night        `json:"nights"`
	Extras    []Line         `json:"extras,omitempty"`            // what belongs to no night
	Nightly   money.Micro    `json:"nightlyRateMicro"`            // of the room alone, on average
	Total     money.Micro    `json:"totalMicro"`                  // of Nights and Extras
	Policy    *Policy        `json:"cancellationPolicy,omitzero"` // in a Price: absent if the policy of the Price applies
}

// A Line is one line of the bill, as shown to the guest.
type Line struct {
	Kind        string      `json:"kind"`
	Description string      `json:"description"`
	Amount      money.Micro `json:"amountMicro"`
}

// A Price is the pricing service's answer to an Ask.
type Price struct {
	Items      []PricedItem `json:"items"`
	Extras     []Line       `json:"extras"` // what belongs to no room
	Lines      []Line       `json:"lines"`  // the bill, as shown to the guest
	Totals     PriceTotals  `json:"totals"`
	Policy     Policy       `json:"cancellationPolicy"`
	FX         *FX          `json:"fxSnapshot"`
	ValidUntil time.Time    `json:"validUntil"`
}

// Totals is the total price of a stay.
type Totals struct {
	Grand    money.Micro    `json:"grandTotalMicro"`
	Currency money.Currency `json:"currency"`
}

// PriceTotals is the total price of a stay, also in the tenant's own currency.
type PriceTotals struct {
	Totals
	Own
}

// Own is a total in the tenant's own currency. It is absent if that is the currency of the price.
type Own struct {
	OwnTotal    *money.Micro    `json:"inTenantCurrencyMicro,omitzero" db:"own_total_micro"`
	OwnCurrency *money.Currency `json:"tenantCurrency,omitzero" db:"own_currency"`
}

// A Quote is a price that is valid until ValidUntil. It is immutable.
type Quote struct {
	ID          id.Quote    `db:"quote_id"`
	Tenant      id.Tenant   `db:"tenant_id"`
	Property    id.Property `db:"property_id"`
	Stay        Stay        `db:"-"`
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

// A Basis holds the terms that a quote freezes besides the price.
type Basis struct {
	Settings // of the tenant
	Local    // of the property
}

// businessDate returns the business date of the property.
func (b Basis) businessDate(now time.Time) stay.Date { return b.Local.businessDate(now, b.NoShowGrace) }

// Requested returns a quote without a price, with the id that a priced quote of the same act would have.
func Requested(act id.Request, tenant id.Tenant, region string, a Ask, now time.Time) *Quote {
	q := &Quote{ID: id.Derive[id.Quote](act, "quote"), Tenant: tenant, Property: a.Property, Stay: a.Stay, Session: a.Session, Region: region, AsOf: event.Time(now)}
	for _, item := range a.Items {
		q.Items = append(q.Items, PricedItem{RoomType: item.RoomType, RatePlan: item.RatePlan, Occupants: item.Occupants})
	}
	return q
}

// NewQuote returns a quote with the price that the pricing service gave for an ask. Its id derives from the act, so a
// repetition returns the same quote. NewQuote rejects a price that does not match the ask, and a basis without the
// region that every event needs or the time zone that every deadline needs.
func NewQuote(act id.Request, tenant id.Tenant, b Basis, a Ask, p Price) (*Quote, error) {
	if err := a.accept(p); err != nil {
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

// answers returns an error if the price does not match the ask, or would violate the schema of a later event: captured
// money could then not be refunded.
func (p Price) answers(a Ask) error {
	switch {
	case len(p.Items) != len(a.Items):
		return fmt.Errorf("%d items for %d", len(p.Items), len(a.Items))
	case p.Totals.Currency != a.Currency:
		return fmt.Errorf("%s for %s", p.Totals.Currency, a.Currency)
	case p.Totals.Grand < 0:
		return fmt.Errorf("a total of %d", p.Totals.Grand)
	case p.FX != nil && (p.FX.Rate <= 0 || p.FX.Source == "" || p.FX.Base == "" || p.FX.Quote == ""):
		return fmt.Errorf("an incomplete FX snapshot %s", p.FX.ID)
	case (p.Totals.OwnTotal == nil) != (p.Totals.OwnCurrency == nil), p.Totals.OwnTotal != nil && *p.Totals.OwnTotal < 0:
		return errors.New("an incomplete total in the tenant's currency")
	}
	for i, item := range p.Items {
		if item.RoomType != a.Items[i].RoomType || item.RatePlan != a.Items[i].RatePlan {
			return fmt.Errorf("item %d is for another room or rate", i)
		}
		if err := item.adds(a.Stay); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		if item.Policy == nil {
			continue
		}
		if err := item.Policy.validate(); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	if err := p.Policy.validate(); err != nil {
		return err
	}
	return p.adds()
}

// adds returns an error unless the item has exactly the nights of the stay, and they sum with its extras to its total.
func (i PricedItem) adds(s Stay) error {
	dates := s.Dates()
	if len(i.Nights) != len(dates) {
		return fmt.Errorf("%d nights for a stay of %d", len(i.Nights), len(dates))
	}
	amounts := make([]money.Micro, 0, len(dates)+len(i.Extras))
	for n, night := range i.Nights {
		if night.Date != dates[n] {
			return fmt.Errorf("night %d is %s instead of %s", n, night.Date, dates[n])
		}
		if night.Amount < 0 || night.Room < 0 || night.Room > night.Amount {
			return fmt.Errorf("the night of %s costs %d, of that %d for the room", night.Date, night.Amount, night.Room)
		}
		amounts = append(amounts, night.Amount)
	}
	if i.Nightly < 0 || i.Total < 0 {
		return errors.New("a negative price")
	}
	return sums(append(amounts, amountsOf(i.Extras)...), i.Total)
}

// adds returns an error unless the lines sum to the grand total, and the rooms with the extras too.
func (p Price) adds() error {
	rooms := amountsOf(p.Extras)
	for _, item := range p.Items {
		rooms = append(rooms, item.Total)
	}
	return cmp.Or(sums(amountsOf(p.Lines), p.Totals.Grand), sums(rooms, p.Totals.Grand))
}

func amountsOf(lines []Line) (all []money.Micro) {
	for _, l := range lines {
		all = append(all, l.Amount)
	}
	return all
}

// sums returns an error unless the amounts sum to the total.
func sums(amounts []money.Micro, total money.Micro) error {
	var sum money.Micro
	for _, amount := range amounts {
		var err error
		if sum, err = sum.Plus(amount); err != nil {
			return err
		}
	}
	if sum != total {
		return fmt.Errorf("amounts of %d for a total of %d", sum, total)
	}
	return nil
}

// Details are the data of a reservation that its quote does not contain.
type Details struct {
	Act       id.Request // the ids derive from it, so a repetition has the same ids
	Channel   Channel
	Partner   Reference
	Session   *id.TenantSession
	Draft     *id.Draft
	Quota     Quota
	CreatedBy Actor
	TTL       time.Duration // of the hold
}

// Reserve returns a reservation of the quote with the hold to request. The hold takes effect with [Reservation.StartHold].
// Reserve returns ErrQuoteExpired if the quote is no longer valid.
func (q *Quote) Reserve(d Details) (*Reservation, error) {
	if !q.AsOf.Before(q.ValidUntil) {
		return nil, ErrQuoteExpired
	}
	r := &Reservation{
		ID: ReservationID(d.Act), Tenant: q.Tenant, Property: q.Property,
		State: Quoted, Channel: d.Channel, Partner: d.Partner, Session: cmp.Or(d.Session, q.Session), Draft: cmp.Or(d.Draft, q.Draft),
		Quote: q.ID, Promo: q.Promo, Guest: id.Derive[id.Guest](d.Act, "guest"), Locale: q.Locale, Stay: q.Stay,
		Extras: q.Extras, Currency: q.Currency, Policy: q.Policy, FX: q.FX, Region: q.Region, Quota: d.Quota, CreatedBy: d.CreatedBy,
		Local: q.Local, NoShowGrace: q.NoShowGrace, Own: q.Own,
	}
	for i, item := range q.Items {
		r.Items = append(r.Items, Item{
			ID: id.Derive[id.Item](d.Act, fmt.Sprintf("item/%d", i)), Position: i,
			RoomType: item.RoomType, RatePlan: item.RatePlan, Occupants: item.Occupants, Nights: item.Nights, Extras: item.Extras,
			Nightly: item.Nightly, Total: item.Total, Policy: *item.Policy,
		})
	}
	r.post(posting{cause: ByBooking, at: q.AsOf})
	if d.Channel == WalkIn {
		r.spare(q.AsOf) // the guest is here, also if the grace ends in a minute
	}
	r.Hold = r.wanted(d.Act, "hold", d.TTL)
	return r, nil
}
