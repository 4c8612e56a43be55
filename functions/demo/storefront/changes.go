package storefront

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// NewDates are the dates to which a guest wants to change a booking, as the form submits them. Total is the price that the guest was shown.
type NewDates struct {
	CheckIn, CheckOut string
	Total             money.Minor
}

// An Offer holds the terms of changed dates.
type Offer struct {
	Stay      DraftStay    `json:"stayWindow"`
	Total     money.Minor  `json:"total"`
	Due       *money.Minor `json:"due"`    // nil if nothing is due
	Refund    *money.Minor `json:"refund"` // nil if nothing is refunded
	FreeUntil *time.Time   `json:"freeCancellationUntil"`
}

// IsFree reports whether the changed booking could still be cancelled without a penalty.
func (o Offer) IsFree(now time.Time) bool { return o.FreeUntil != nil && now.Before(*o.FreeUntil) }

type stayTexts struct {
	CheckIn  string `json:"checkIn"`
	CheckOut string `json:"checkOut"`
}

// ChangeOffer returns the terms of changed dates. It is a dry run: it changes nothing.
func (v *Visitor) ChangeOffer(ctx context.Context, r id.Reservation, token string, to NewDates) (*Offer, error) {
	if err := v.checkDates(to.CheckIn, to.CheckOut); err != nil {
		return nil, err
	}
	var o Offer
	in := struct {
		Stay   stayTexts `json:"stayWindow"`
		DryRun bool      `json:"dryRun"`
	}{stayTexts{to.CheckIn, to.CheckOut}, true}
	err := v.change(ctx, r, token, id.New[id.Request]().String(), in, &o)
	return &o, err
}

// ChangeDates changes the dates of a booking if the price is not higher than shown.
func (v *Visitor) ChangeDates(ctx context.Context, r id.Reservation, token string, to NewDates, key string) error {
	in := struct {
		Stay  stayTexts   `json:"stayWindow"`
		Total money.Minor `json:"total"`
	}{stayTexts{to.CheckIn, to.CheckOut}, to.Total}
	return v.change(ctx, r, token, key, in, nil)
}

// AddRequest adds a special request to a booking.
func (v *Visitor) AddRequest(ctx context.Context, r id.Reservation, token, text, key string) error {
	type request struct {
		Tags []string `json:"tags"`
		Text string   `json:"freeText"`
	}
	in := struct {
		Request request `json:"specialRequest"`
	}{request{Tags: []string{"other"}, Text: text}}
	return v.change(ctx, r, token, key, in, nil)
}

// Correct replaces the details of a booking's guest. Special requests stay.
func (v *Visitor) Correct(ctx context.Context, r id.Reservation, token string, g Guest, key string) error {
	in := struct {
		Guest Guest `json:"guest"`
	}{g}
	return v.change(ctx, r, token, key, in, nil)
}

func (v *Visitor) change(ctx context.Context, r id.Reservation, token, key string, in, out any) error {
	return v.call(ctx, apiRequest{method: http.MethodPatch, path: staying("/confirmation/", r, "", token), key: key, in: in, out: out})
}

// ToChanges redirects to the page of the changes, with the dates that the guest chose and the problem in err.
func (v *Visitor) ToChanges(r id.Reservation, token string, to NewDates, err error) fn.Page {
	return v.toStay(r, "/changes", err, map[string]string{"t": token, "checkIn": to.CheckIn, "checkOut": to.CheckOut})
}

// ChangesPage returns the page on which a guest changes a booking. The offer is nil unless the guest has chosen dates. The form of the
// guest's details is empty, because no answer of the booking service contains them, unless it was rejected.
func (v *Visitor) ChangesPage(c *Confirmation, to NewDates, offer *Offer, problem string) fn.Page {
	back := url.Values{"t": {c.ViewToken}}
	if to.CheckIn == "" {
		to.CheckIn, to.CheckOut = c.Stay.CheckIn.String(), c.Stay.CheckOut.String()
	} else {
		back.Set("checkIn", to.CheckIn)
		back.Set("checkOut", to.CheckOut)
	}
	return v.Show(v.withRejectedForm(View{Step: "changes", Title: v.Localizer.T("changes.title"), Problem: problem, Confirmation: c, Offer: offer,
		Search: Search{CheckIn: to.CheckIn, CheckOut: to.CheckOut}, Back: View{Visitor: v}.StayURL(c) + "/changes?" + back.Encode()}))
}

// ChangesURL returns the URL of the page of the changes.
func (v View) ChangesURL(c *Confirmation) string {
	return staying(v.Home()+"/confirmations/", c.Reservation, "/changes", c.ViewToken)
}

// CanMove reports whether the dates of the booking can be changed.
func (v View) CanMove(c *Confirmation) bool {
	return c.FreeUntil != nil && v.At.Before(*c.FreeUntil)
}
