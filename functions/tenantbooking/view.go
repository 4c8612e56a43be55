package tenantbooking

import (
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A View is a draft as its guest sees it.
type View struct {
	Draft      id.Draft   `json:"draftId"`
	State      State      `json:"flowState"`
	Version    int64      `json:"version"`
	Quote      QuoteView  `json:"quote"`
	Hold       *HoldView  `json:"hold,omitzero"`
	Guest      *Guest     `json:"guest,omitzero"`
	Payment    *Payment   `json:"payment,omitzero"`
	Errors     []Trouble  `json:"errors,omitzero"`
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  *time.Time `json:"expiresAt,omitzero"` // until then it can be gone on with
	ServerTime time.Time  `json:"serverTime"`
}

// A QuoteView is a price as a guest sees it.
type QuoteView struct {
	Quote     id.Quote    `json:"quoteId"`
	Property  id.Property `json:"propertyId"`
	RoomType  id.RoomType `json:"roomTypeId"`
	RatePlan  id.RatePlan `json:"ratePlanId"`
	Stay      shownStay   `json:"stayWindow"`
	Occupancy Occupancy   `json:"occupancy"`
	Promo     string      `json:"promoCode,omitzero"`
	Lines     []Line      `json:"lines"`
	Total     money.Minor `json:"total"`
	FX        *FX         `json:"fxSnapshot,omitzero"`
	Policy    Policy      `json:"cancellationPolicy"`
	ExpiresAt time.Time   `json:"expiresAt"`
}

// A Quoted is the answer to who asks for a price.
type Quoted struct {
	Draft      id.Draft    `json:"draftId"`
	Quote      id.Quote    `json:"quoteId"`
	Lines      []Line      `json:"lines"`
	Total      money.Minor `json:"total"`
	FX         *FX         `json:"fxSnapshot,omitzero"`
	Policy     Policy      `json:"cancellationPolicy"`
	ExpiresAt  time.Time   `json:"expiresAt"`
	ServerTime time.Time   `json:"serverTime"`
	State      State       `json:"flowState"`
}

// Quoted shows the draft's price.
func (d *Draft) Quoted() Quoted {
	q := d.Quote
	return Quoted{
		Draft:      d.ID,
		Quote:      q.ID,
		Lines:      q.Lines,
		Total:      q.Total,
		FX:         q.FX,
		Policy:     q.Policy,
		ExpiresAt:  q.ExpiresAt,
		ServerTime: d.AsOf,
		State:      d.State,
	}
}

// A HoldView is rooms that are kept, or were: ExpiresAt says until when.
type HoldView struct {
	Reservation id.Reservation `json:"reservationId"`
	Code        string         `json:"reservationCode"`
	Quote       id.Quote       `json:"quoteId"`
	ExpiresAt   time.Time      `json:"holdExpiresAt"`
}

// View shows the draft where it stands, by the clock that decides.
func (d *Draft) View() View {
	v := View{
		Draft: d.ID, State: d.State, Version: d.Tag(), Quote: d.Quote.View(), Guest: d.Guest, Payment: d.Payment,
		Errors: d.Errors, CreatedAt: d.CreatedAt, ServerTime: d.AsOf,
	}
	if d.Hold != nil {
		v.Hold = (*HoldView)(d.Hold)
	}
	switch {
	case d.State.unpaid():
		v.ExpiresAt = &d.ExpiresAt
	case !d.State.Ended():
		v.ExpiresAt = &d.Hold.ExpiresAt
	}
	return v
}

// Reply is how an answer with the draft is sent: with its ETag, and kept by no browser, since it says who the guest is.
func (d *Draft) Reply() fn.Reply { return fn.OK.Version(d.Tag()).Cached("private, no-store") }

// View shows the price.
func (q Quote) View() QuoteView {
	w := q.Wish
	return QuoteView{
		Quote:    q.ID,
		Property: w.Property,
		RoomType: w.RoomType,
		RatePlan: w.RatePlan,
		Stay: shownStay{
			CheckIn:  w.Stay.CheckIn,
			CheckOut: w.Stay.CheckOut,
			Nights:   w.Stay.Window().Nights(),
		},
		Occupancy: w.Occupancy,
		Promo:     w.Promo,
		Lines:     q.Lines,
		Total:     q.Total,
		FX:        q.FX,
		Policy:    q.Policy,
		ExpiresAt: q.ExpiresAt,
	}
}

// An Outcome is what the end of a booking looks like.
type Outcome struct {
	State       State           `json:"flowState"`
	Reservation *id.Reservation `json:"reservationId,omitzero"` // absent for a client with a return link only
	Code        string          `json:"reservationCode"`
	ViewToken   string          `json:"viewToken,omitzero"` // opens the confirmation where there is no session
}
