package storefront

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Balance is what a guest still has to pay for a confirmed booking, and the payment that has begun.
type Balance struct {
	Due       *money.Minor    `json:"due"`    // nil if nothing is due
	Intent    *BalancePayment `json:"intent"` // nil unless a payment has begun that has no outcome yet
	Payment   string          `json:"paymentStatus"`
	Secret    string          `json:"clientSecret"`
	Declines  int             `json:"declines"`
	ViewToken string          `json:"viewToken"`
}

// A BalancePayment is a payment of what is due.
type BalancePayment struct {
	Intent      id.Intent `json:"intentId"`
	Method      Method    `json:"method"`
	RedirectURL string    `json:"redirectUrl"`
}

// PayBalance begins a payment of what is due, as the guest was shown it. If nothing is due any more, no payment begins.
func (v *Visitor) PayBalance(ctx context.Context, r id.Reservation, token string, m Method, due money.Minor, key string) (b Balance, err error) {
	in := struct {
		Method Method      `json:"method"`
		Due    money.Minor `json:"due"`
	}{m, due}
	err = v.call(ctx, apiRequest{method: http.MethodPost, path: staying("/confirmation/", r, "/payment", token), key: key, in: in, out: &b})
	return b, err
}

// BalanceResult returns the result of a payment of what was due. link is the token of the return URL, which a guest needs who returns in
// another browser.
func (v *Visitor) BalanceResult(ctx context.Context, r id.Reservation, token, link, key string) (b Balance, err error) {
	path := staying("/confirmation/", r, "/payment", token)
	if link != "" {
		path = staying("/confirmation/", r, "/payment", "") + "?" + url.Values{"t": {token}, "r": {link}}.Encode()
	}
	err = v.call(ctx, apiRequest{method: http.MethodPost, path: path, key: key, in: struct{}{}, out: &b})
	return b, err
}

// ToBalance redirects to the page that waits for the result of a payment of what is due.
func (v *Visitor) ToBalance(r id.Reservation, token string) fn.Page {
	return v.To("/return/"+r.String(), url.Values{"t": {token}})
}

// BalanceWaitingPage returns the page of a pending payment of what is due. It does not reload itself (decision 243).
func (v *Visitor) BalanceWaitingPage(r id.Reservation, b Balance) fn.Page {
	again := staying(v.Home()+"/return/", r, "", b.ViewToken)
	view := View{Again: again, Back: again,
		Confirmation: &Confirmation{Reservation: r, ViewToken: b.ViewToken},
		Draft:        &Draft{Outcome: Outcome{Payment: b.Payment, Secret: b.Secret}, Payment: &DraftPayment{Intent: b.Intent.Intent, Method: b.Intent.Method}}}
	if b.Declines > 0 && b.Payment != processing {
		view.Problem = declined
	}
	return v.showWaiting(view)
}

// OnlineMethods returns the methods with which what is due can be paid on the site: none if nothing is due, after the end of the booking,
// or if the guest has promised to pay in cash.
func (v View) OnlineMethods(c *Confirmation) []Method {
	if c.Due == nil || c.Ended() || c.Payment != nil && c.Payment.Status != "captured" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.Bootstrap.Methods), func(m Method) bool { return m == cashOnArrival })
}

// WithMethods returns a copy of the view with those methods only, for the template "methods".
func (v View) WithMethods(methods []Method) View {
	visitor := *v.Visitor
	visitor.Bootstrap.Methods = methods
	v.Visitor = &visitor
	return v
}

// Paid identifies what a guest has paid for on the payment page: a draft or a confirmed booking.
type Paid struct {
	Draft       id.Draft
	Reservation id.Reservation // zero for a draft
}

var errPaid = errors.New("is neither the id of a draft nor of a reservation")

// UnmarshalText reads the id of a draft or of a reservation.
func (p *Paid) UnmarshalText(text []byte) error {
	if p.Draft.UnmarshalText(text) != nil && p.Reservation.UnmarshalText(text) != nil {
		return errPaid
	}
	return nil
}

// String returns the id.
func (p Paid) String() string {
	if !p.Reservation.IsZero() {
		return p.Reservation.String()
	}
	return p.Draft.String()
}
