package storefront

import (
	"context"
	"net/http"
	"net/url"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Return is a guest's return from the payment page with the token of the return URL. Problem is the code of an earlier error.
type Return struct {
	Paid    Paid
	Link    string
	Problem string
}

// CanOpen reports whether the session of this browser can open the draft or booking. It also returns false if the booking service does
// not answer.
func (v *Visitor) CanOpen(ctx context.Context, p Paid) bool {
	path := draftPath(p.Draft)
	if !p.Reservation.IsZero() {
		path = staying("/confirmation/", p.Reservation, "", "")
	}
	return v.call(ctx, apiRequest{method: http.MethodGet, path: path}) == nil
}

// ReceiveElsewhere returns the page of a guest who returns in a browser that cannot open the booking, with the outcome of the payment or
// the error in err. The page is at the address of the return, because the link is the guest's only access.
func (v *Visitor) ReceiveElsewhere(ctx context.Context, back Return, o Outcome, err error) fn.Page {
	if err != nil && ServiceErrorOf(err).Code == declined && back.Problem == "" {
		// A decline is answered once. The next answer shows whether the booking can still be paid.
		return v.To("/return/"+back.Paid.String(), url.Values{"r": {back.Link}, "problem": {declined}})
	}
	if unavailable := v.Enter(ctx); unavailable != nil {
		return v.UnavailablePage(unavailable)
	}
	view := v.linkView(back)
	if err == nil {
		if view.Draft.Outcome = o; o.isUnpaid() {
			view.Problem = back.Problem
		}
		return v.showWaiting(view)
	}
	switch code := ServiceErrorOf(err).Code; code {
	case fault.ErrNotFound.Code:
		view.Step, view.Title, view.Answer = "expired", v.Localizer.T("expired.title"), fn.NotFound
	case draftClosed:
		view.Step, view.Title, view.Problem = "over", v.Localizer.T("ended.title"), back.Problem
	case holdExpired, overbooked, illegalTransition:
		view.Step, view.Title, view.Problem = "over", v.Localizer.T("ended.title"), code
	default: // the result is not known
		view.Problem = code
		return v.showWaiting(view)
	}
	return v.Show(view)
}

// isUnpaid reports whether the guest has to act before the payment can succeed.
func (o Outcome) isUnpaid() bool {
	return o.Payment == "requires_payment" || o.Payment == "requires_action" || o.Payment == "superseded"
}

// isUnpaidElsewhere reports whether the page waits for a payment that the guest can make only in the browser that booked, or on the phone.
func (v View) isUnpaidElsewhere() bool { return v.Elsewhere && v.Draft.Outcome.isUnpaid() }

// WaitingText returns the sentences of the waiting page.
func (v View) WaitingText() string {
	switch {
	case v.isUnpaidElsewhere():
		return v.T("elsewhere.text")
	case v.Problem != "" && v.Draft.Outcome.Payment == "":
		return v.T("waiting.unknown") + " " + v.T("waiting.later")
	case v.OnPhone():
		return v.phoneText() + " " + v.T("waiting.later")
	}
	return v.T("waiting.text") + " " + v.T("waiting.later")
}

// phoneText asks the guest to approve on the phone, until the end of the hold if that is known and not over.
func (v View) phoneText() string {
	if h := v.Draft.Hold; h != nil && v.At.Before(h.ExpiresAt) {
		return v.T("waiting.phoneUntil", v.Localizer.Clock(h.ExpiresAt))
	}
	return v.T("waiting.phone")
}

// linkView returns the view of a draft or booking that only the return link opens.
func (v *Visitor) linkView(back Return) View {
	again := v.Home() + "/return/" + back.Paid.String() + "?" + url.Values{"r": {back.Link}}.Encode()
	return View{Again: again, Back: again, Draft: &Draft{ID: back.Paid.Draft}, Elsewhere: true}
}
