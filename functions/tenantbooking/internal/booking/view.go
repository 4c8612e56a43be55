package booking

import (
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A View is the representation of a draft for its guest.
type View struct {
	Draft      id.Draft     `json:"draftId"`
	State      State        `json:"flowState"`
	Version    int64        `json:"version"`
	Quote      QuoteView    `json:"quote"`
	Hold       *HoldView    `json:"hold,omitzero"`
	Guest      *Guest       `json:"guest,omitzero"`
	Payment    *Payment     `json:"payment,omitzero"`
	Errors     []ShownError `json:"errors,omitzero"`
	CreatedAt  time.Time    `json:"createdAt"`
	ExpiresAt  *time.Time   `json:"expiresAt,omitzero"` // when the draft lapses; absent if it has ended
	ServerTime time.Time    `json:"serverTime"`
}

// A QuoteView is the representation of a quote for its guest.
type QuoteView struct {
	Quote     id.Quote        `json:"quoteId"`
	Property  id.Property     `json:"propertyId"`
	RoomType  id.RoomType     `json:"roomTypeId"`
	RatePlan  id.RatePlan     `json:"ratePlanId"`
	Stay      stayView        `json:"stayWindow"`
	Occupancy hotel.Occupancy `json:"occupancy"`
	Promo     string          `json:"promoCode,omitzero"`
	Lines     []Line          `json:"lines"`
	Total     money.Minor     `json:"total"`
	FX        *FX             `json:"fxSnapshot,omitzero"`
	Policy    hotel.Policy    `json:"cancellationPolicy"`
	ExpiresAt time.Time       `json:"expiresAt"`
}

// QuoteResponse is the response to a price request.
type QuoteResponse struct {
	Draft      id.Draft     `json:"draftId"`
	Quote      id.Quote     `json:"quoteId"`
	Lines      []Line       `json:"lines"`
	Total      money.Minor  `json:"total"`
	FX         *FX          `json:"fxSnapshot,omitzero"`
	Policy     hotel.Policy `json:"cancellationPolicy"`
	ExpiresAt  time.Time    `json:"expiresAt"`
	ServerTime time.Time    `json:"serverTime"`
	State      State        `json:"flowState"`
}

// QuoteResponse returns the representation of the draft's price.
func (d *Draft) QuoteResponse() QuoteResponse {
	q := d.Quote
	return QuoteResponse{
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

// A HoldView represents the held rooms. ExpiresAt is the end of the hold, which may be in the past.
type HoldView struct {
	Reservation id.Reservation `json:"reservationId"`
	Code        string         `json:"reservationCode"`
	Quote       id.Quote       `json:"quoteId"`
	ExpiresAt   time.Time      `json:"holdExpiresAt"`
}

// View returns the representation of the draft in its state at AsOf, the database's clock.
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

// Reply returns the response settings for a draft: its ETag, and no storage in caches, because it contains the guest's
// details.
func (d *Draft) Reply() fn.Reply { return fn.OK.Version(d.Tag()).Cached("private, no-store") }

// View returns the representation of the quote.
func (q Quote) View() QuoteView {
	w := q.Selection
	return QuoteView{
		Quote:    q.ID,
		Property: w.Property,
		RoomType: w.RoomType,
		RatePlan: w.RatePlan,
		Stay: stayView{
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

// An Outcome is the result of a booking.
type Outcome struct {
	State       State           `json:"flowState"`
	Reservation *id.Reservation `json:"reservationId,omitzero"` // absent for a client with a return link only
	Code        string          `json:"reservationCode"`
	ViewToken   string          `json:"viewToken,omitzero"` // opens the confirmation without a session
	Pending
}

// Pending describes a pending payment. Only the session that booked receives it.
type Pending struct {
	Status string `json:"paymentStatus,omitzero"`
	Secret string `json:"clientSecret,omitzero"`
}
