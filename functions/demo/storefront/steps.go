package storefront

import (
	"context"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// States of a draft that decide which page the guest sees.
const (
	quoting    = "quoting"
	holding    = "holding"
	paying     = "paying"
	confirming = "confirming"
	confirmed  = "confirmed"
	abandoned  = "abandoned"
	failed     = "failed"
)

// An Address holds the query parameters of a booking's page.
type Address struct {
	Step    string // the requested step
	Problem string // the code of an earlier error
	Shown   int64  // the price that the guest was shown, if the draft has another one
}

// ResumePage returns the next page of a booking. If a payment was begun, it asks the booking service for the result first: a
// guest who has paid must not see the payment methods, and a guest whose payment is pending waits.
func (v *Visitor) ResumePage(ctx context.Context, draft id.Draft, a Address, key string) fn.Page {
	d, err := v.Draft(ctx, draft)
	if err == nil && (d.State == paying || d.State == confirming) {
		outcome, refused := v.Return(ctx, draft, "", key)
		code := ServiceErrorOf(refused).Code
		switch {
		case refused == nil:
			d.State, d.Outcome = outcome.State, outcome
			if outcome.Payment == processing { // no other method can be chosen, and an earlier decline is no longer true
				a.Step, a.Problem = "waiting", ""
			}
		case code == illegalStep: // cash on arrival has no payment page to return from
		default:
			if a.Problem, a.Step = code, "waiting"; code == declined {
				a.Step = "" // show the payment methods again, also to a guest who waited
			}
			d, err = v.Draft(ctx, draft)
		}
	}
	if err != nil {
		return v.ToStart(Search{}, err)
	}
	return v.NextPage(d, a)
}

// NextPage returns the page for the draft's state. The requested step is used if the state allows it.
func (v *Visitor) NextPage(d *Draft, a Address) fn.Page {
	step, problem := a.Step, a.Problem
	switch {
	case d.State == quoting && a.Shown > 0:
		shown := d.Quote.Total
		shown.Amount = a.Shown
		return v.Show(View{Step: "price", Title: v.Localizer.T("price.title"), Draft: d, Shown: shown, Back: d.page(v)})
	case d.State == confirmed && d.Hold != nil:
		return v.ToConfirmation(d.Hold.Reservation)
	case d.State == confirming, d.State == paying && step == "waiting":
		return v.WaitingPage(d, a)
	case d.State == abandoned, d.State == failed, d.State != quoting && d.Hold != nil && d.lapsed():
		// Do not show the earlier problem: "try again" does not help with a booking that has ended, or that the next sweep
		// ends. The page shows the reason, and offers the same rooms again.
		return v.Show(View{Step: "ended", Title: v.Localizer.T("ended.title"), Draft: d, Back: d.page(v)})
	case d.State == quoting, d.lapsed():
		return v.ToStart(d.Quote.Search(), d.restartReason(problem))
	case d.State == holding, d.State != paying && step == "details":
		return v.DetailsPage(d, problem)
	}
	return v.Show(View{Step: "payment", Title: v.Localizer.T("step.payment"), Problem: problem, Draft: d, Back: d.page(v)})
}

// WaitingPage returns the page of a pending payment.
func (v *Visitor) WaitingPage(d *Draft, a Address) fn.Page {
	return v.showWaiting(View{Problem: a.Problem, Draft: d, Again: v.Home() + "/return/" + d.ID.String(), Back: d.page(v)})
}

// showWaiting shows the waiting page of view.Draft.
func (v *Visitor) showWaiting(view View) fn.Page {
	view.Step, view.Title = "waiting", v.Localizer.T("waiting.title")
	switch {
	case view.isUnpaidElsewhere():
		view.Title = v.Localizer.T("elsewhere.title")
	case view.Draft.Outcome.Secret != "":
		view.Title = v.Localizer.T("approve.title")
	}
	return v.Show(view)
}

// DetailsPage returns the form of the guest's details, filled in with the draft's details, or with a rejected form and its
// errors.
func (v *Visitor) DetailsPage(d *Draft, problem string) fn.Page {
	return v.Show(v.withRejectedForm(View{Step: "details", Title: v.Localizer.T("details.title"), Problem: problem, Draft: d, Guest: d.guest(), Back: d.page(v)}))
}

// ConfirmationPage returns the page of a confirmed booking, with the result of the guest's last change. It omits a decline if nothing is due
// any more, and the notice of a payment if an amount is due: the guest may have reloaded the page of an earlier result. It omits the notice
// of a change that waits for its payment.
func (v *Visitor) ConfirmationPage(c *Confirmation, notice, problem string) fn.Page {
	if problem == declined && c.Due == nil {
		problem = ""
	}
	if notice == "paid" && c.Due != nil || notice == "changed" && c.Pending != nil {
		notice = ""
	}
	title := v.Localizer.T("confirmed.title")
	if c.Ended() {
		title = v.Localizer.T("confirmed.over")
	}
	return v.Show(View{Step: "confirmation", Title: title, Notice: notice, Problem: problem, Confirmation: c, Back: View{Visitor: v}.Link(c)})
}

func (d *Draft) page(v *Visitor) string { return v.Home() + "/bookings/" + d.ID.String() }

func (d *Draft) guest() Guest {
	if d.Guest == nil {
		return Guest{}
	}
	return *d.Guest
}

// lapsed reports whether the hold has expired, by the booking service's clock. A booking with a payment does not count
// as lapsed, because it may get its rooms again.
func (d *Draft) lapsed() bool {
	return d.State != paying && (d.Hold == nil || !d.ServerTime.Before(d.Hold.ExpiresAt))
}

// restartReason returns the reason why a booking starts again: the known problem, the expired hold, or nil if only its price is new.
func (d *Draft) restartReason(problem string) error {
	switch {
	case problem != "":
		return &ServiceError{Code: problem}
	case d.Hold != nil && d.lapsed():
		return &ServiceError{Code: holdExpired}
	}
	return nil
}
