package storefront

import (
	"context"
	"net/url"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Where a booking in the making can stand, as far as that decides what its guest sees.
const (
	quoting    = "quoting"
	holding    = "holding"
	paying     = "paying"
	confirming = "confirming"
	confirmed  = "confirmed"
	abandoned  = "abandoned"
	failedEnd  = "failed"
)

// An Address holds the query parameters of a booking's page.
type Address struct {
	Step    string // that the guest would see
	Problem string // that led there
	Shown   int64  // the price that the guest was shown, if the booking has another one
}

// Resume reads a booking and shows its next page. If a payment is under way, it asks the booking service first what became of it: a guest
// who has paid is not shown the ways to pay, and a guest of whom that is unknown waits.
func (v *Visit) Resume(ctx context.Context, draft id.Draft, a Address, key string) fn.Page {
	d, err := v.Draft(ctx, draft)
	if err == nil && (d.State == paying || d.State == confirming) {
		outcome, refused := v.Return(ctx, draft, "", key)
		code := RefusalOf(refused).Code
		switch {
		case refused == nil:
			d.State = outcome.State
		case code == illegalStep: // a promise of cash is confirmed, not returned with
		default:
			if a.Problem, a.Step = code, "waiting"; code == declined {
				a.Step = "" // also of a guest who waited: they choose how to pay again
			}
			d, err = v.Draft(ctx, draft)
		}
	}
	if err != nil {
		return v.ToStart(Search{}, err)
	}
	return v.Next(d, a)
}

// Next is the page of a booking that its guest is to see now. They may want to see another step, as far as that can be.
func (v *Visit) Next(d *Draft, a Address) fn.Page {
	step, problem := a.Step, a.Problem
	switch {
	case d.State == quoting && a.Shown > 0:
		shown := d.Quote.Total
		shown.Amount = a.Shown
		return v.Show(View{Step: "price", Title: v.Words.T("price.title"), Draft: d, Shown: shown, Back: d.page(v)})
	case d.State == confirmed && d.Hold != nil:
		return v.ToConfirmation(d.Hold.Reservation)
	case d.State == confirming, d.State == paying && step == "waiting":
		return v.Waiting(d, "", problem)
	case d.State == abandoned, d.State == failedEnd:
		// Not the problem that led here: "try again" is no advice for a booking that has ended. The page says why it did.
		return v.Show(View{Step: "ended", Title: v.Words.T("ended.title"), Draft: d, Back: d.page(v)})
	case d.State == quoting, d.lapsed():
		return v.ToStart(d.Quote.Again(), d.lost(problem))
	case d.State == holding, d.State != paying && step == "details":
		return v.Details(d, problem)
	}
	return v.Show(View{Step: "payment", Title: v.Words.T("step.payment"), Problem: problem, Draft: d, Back: d.page(v)})
}

// Waiting is the page of a guest whose payment is not known yet. In another browser than theirs the return link is all that they can ask with.
func (v *Visit) Waiting(d *Draft, link, problem string) fn.Page {
	again, back := v.Home()+"/return/"+d.ID.String(), d.page(v)
	if link != "" {
		again += "?" + url.Values{"r": {link}}.Encode()
		back = again
	}
	return v.Show(View{Step: "waiting", Title: v.Words.T("waiting.title"), Problem: problem, Draft: d, Again: again, Back: back})
}

// Details is the page that asks who comes, with what is known of that, or with what was written last and what was wrong in it.
func (v *Visit) Details(d *Draft, problem string) fn.Page {
	view := View{Step: "details", Title: v.Words.T("details.title"), Problem: problem, Draft: d, Guest: d.named(), Back: d.page(v)}
	if t, ok := v.typed(); ok {
		view.Guest, view.Wrong = t.Guest, map[string]bool{}
		for _, field := range t.Wrong {
			view.Wrong[field] = true
		}
	}
	return v.Show(view)
}

// Booked is the page that shows what was booked.
func (v *Visit) Booked(c *Confirmation) fn.Page {
	title := v.Words.T("confirmed.title")
	if c.Over() {
		title = v.Words.T("confirmed.over")
	}
	return v.Show(View{Step: "confirmation", Title: title, Confirmation: c, Back: View{Visit: v}.Link(c)})
}

func (d *Draft) page(v *Visit) string { return v.Home() + "/bookings/" + d.ID.String() }

func (d *Draft) named() Guest {
	if d.Guest == nil {
		return Guest{}
	}
	return *d.Guest
}

// lapsed reports whether the rooms are not kept any more, by the booking service's clock. Who has begun to pay may yet get
// them again.
func (d *Draft) lapsed() bool {
	return d.State != paying && (d.Hold == nil || !d.ServerTime.Before(d.Hold.ExpiresAt))
}

// lost is why a booking begins again: the problem that is known already, or that its time is over.
func (d *Draft) lost(problem string) error {
	switch {
	case problem != "":
		return &Refusal{Code: problem}
	case d.Hold != nil:
		return &Refusal{Code: holdExpired}
	}
	return nil
}
