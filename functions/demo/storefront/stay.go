package storefront

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/stay"
)

// A Cancellation holds the terms of a cancellation: the penalty, the refund, and the end of free cancellation.
type Cancellation struct {
	Penalty   money.Minor `json:"penalty"`
	Refund    money.Minor `json:"refund"`
	FreeUntil *time.Time  `json:"freeCancellationUntil"`
}

// staying returns the path of a confirmed booking below base, or of a change to it ("/cancel"). It includes the token unless that is
// empty; a browser without the session that made the booking needs it.
func staying(base string, r id.Reservation, change, token string) string {
	path := base + r.String() + change
	if token != "" {
		path += "?" + url.Values{"t": {token}}.Encode()
	}
	return path
}

// CancellationTerms returns the terms on which a booking could be cancelled now. It is a dry run: it changes nothing.
func (v *Visitor) CancellationTerms(ctx context.Context, r id.Reservation, token string) (*Cancellation, error) {
	var c Cancellation
	err := v.call(ctx, apiRequest{method: http.MethodPost, path: staying("/confirmation/", r, "/cancel", token), key: id.New[id.Request]().String(),
		in: map[string]bool{"dryRun": true}, out: &c})
	return &c, err
}

// Cancel cancels a booking if the penalty is not higher than shown. If it is, the error is a ServiceError with IsPenaltyChange.
func (v *Visitor) Cancel(ctx context.Context, r id.Reservation, token string, shown money.Minor, key string) error {
	return v.call(ctx, apiRequest{method: http.MethodPost, path: staying("/confirmation/", r, "/cancel", token), key: key, in: map[string]money.Minor{"penalty": shown}})
}

// ToBookedStay redirects to the confirmation of a booking, with a notice or with the problem in err. Both may be empty.
func (v *Visitor) ToBookedStay(r id.Reservation, token, notice string, err error) fn.Page {
	return v.toStay(r, "", err, map[string]string{"t": token, "notice": notice})
}

// toStay redirects to a page of a booking ("/changes"), with the problem in err and those values that are not empty.
func (v *Visitor) toStay(r id.Reservation, page string, err error, values map[string]string) fn.Page {
	query := problem(err)
	for name, value := range values {
		if value != "" {
			query.Set(name, value)
		}
	}
	return v.To(stayPath(r)+page, query)
}

// ToCancellation redirects to the page of the cancellation, with the problem in err.
func (v *Visitor) ToCancellation(r id.Reservation, token string, err error) fn.Page {
	return v.toStay(r, "/cancellation", err, map[string]string{"t": token})
}

// CancellationPage returns the page that asks whether the guest wants to cancel at these terms.
func (v *Visitor) CancellationPage(c *Confirmation, terms *Cancellation, problem string) fn.Page {
	return v.Show(View{Step: "cancellation", Title: v.Localizer.T("cancel.title"), Problem: problem, Confirmation: c, Cancellation: terms,
		Back: View{Visitor: v}.CancellationURL(c)})
}

// CancellationURL returns the URL of the page of the cancellation.
func (v View) CancellationURL(c *Confirmation) string {
	return staying(v.Home()+"/confirmations/", c.Reservation, "/cancellation", c.ViewToken)
}

// StayURL returns the path of a confirmed booking, without the token.
func (v View) StayURL(c *Confirmation) string {
	return v.Home() + stayPath(c.Reservation)
}

// DateOf returns the date at the hotel.
func (v View) DateOf(t time.Time) string {
	return v.Localizer.Date(stay.DateOf(t.In(v.Localizer.Zone)))
}

// Until returns the end of a period at the hotel: the end of a day for the midnight after it, and otherwise the date and the time. Few
// people know at once which night "3 December, 00:00" is.
func (v View) Until(t time.Time) string {
	if at := t.In(v.Localizer.Zone); at.Hour() == 0 && at.Minute() == 0 {
		return v.T("moment.endOfDay", v.Localizer.Date(stay.DateOf(at).AddDays(-1)))
	}
	return v.T("moment.time", v.DateOf(t), v.Localizer.Clock(t))
}

// With returns a copy of the view with the terms of a cancellation, for the template "cost".
func (v View) With(c *Cancellation) View {
	v.Cancellation = c
	return v
}

// CancellationCost returns the text about the penalty of a cancellation, and about the end of free cancellation if there is one. A deadline
// that had passed when the booking was made is not mentioned, because that booking was never free to cancel.
func (v View) CancellationCost(c *Cancellation) string {
	var until string
	if c.FreeUntil != nil {
		until = v.Until(*c.FreeUntil)
	}
	switch {
	case c.Penalty.Amount == 0 && c.FreeUntil != nil && v.At.Before(*c.FreeUntil):
		return v.T("cancel.free", until)
	case c.Penalty.Amount == 0:
		return v.T("cancel.nothing")
	case c.FreeUntil == nil, v.Confirmation != nil && !v.Confirmation.ConfirmedAt.Before(*c.FreeUntil):
		return v.T("cancel.costs", v.Localizer.Money(c.Penalty))
	}
	return v.T("cancel.late", v.Localizer.Money(c.Penalty), until)
}
