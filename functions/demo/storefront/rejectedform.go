package storefront

import (
	"encoding/base64"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A rejectedForm is a rejected form: the guest's input and its invalid fields. It is stored in a cookie of the guest's
// browser until the next page (post/redirect/get), so that a reload works, no URL contains personal data, and the site
// needs no store.
type rejectedForm struct {
	Guest Guest    `json:"guest"`
	Wrong []string `json:"wrong,omitempty"`
}

const (
	formCookie    = "typed"
	formCookieTTL = 10 * time.Minute
	maxFormCookie = 3500 // bytes of a cookie's value: browsers store 4,096 with its name
)

// rejected returns the form with the fields that err marks as invalid, and the error that the page shows above the form: nil if the
// errors are shown beside the fields.
func rejected(g Guest, err error) (rejectedForm, error) {
	wrong := slices.Sorted(maps.Keys(ServiceErrorOf(err).InvalidFields()))
	if len(wrong) > 0 {
		err = nil
	}
	return rejectedForm{Guest: g, Wrong: wrong}, err
}

// cookie returns the cookie with the form, for the pages of one booking below the path. If the form is too long for a cookie, it omits
// the special requests, and if necessary everything except the invalid fields.
func (t rejectedForm) cookie(v *Visitor, path string) *http.Cookie {
	value := t.encode()
	if len(value) > maxFormCookie {
		t.Guest.Requests = ""
		value = t.encode()
	}
	if len(value) > maxFormCookie {
		value = rejectedForm{Wrong: t.Wrong}.encode()
	}
	c := v.browser.Cookie(formCookie, value, v.Home()+path)
	c.MaxAge = int(formCookieTTL / time.Second)
	return c
}

func (t rejectedForm) encode() string {
	text, err := json.Marshal(t)
	if err != nil { // text that is not UTF-8
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// rejectedForm returns the rejected form of this booking, if there is one. It ignores an invalid cookie.
func (v *Visitor) rejectedForm() (t rejectedForm, ok bool) {
	c, err := (&http.Request{Header: v.browser.Header}).Cookie(formCookie)
	if err != nil {
		return t, false
	}
	text, err := base64.RawURLEncoding.DecodeString(c.Value)
	return t, err == nil && json.Unmarshal(text, &t) == nil
}

// withRejectedForm fills a view with the rejected form of this booking, if there is one.
func (v *Visitor) withRejectedForm(view View) View {
	if t, ok := v.rejectedForm(); ok {
		view.Guest, view.Wrong = t.Guest, map[string]bool{}
		for _, field := range t.Wrong {
			view.Wrong[field] = true
		}
	}
	return view
}

// ToDetails redirects to the form with the rejected input.
func (v *Visitor) ToDetails(d id.Draft, g Guest, err error) fn.Page {
	form, err := rejected(g, err)
	query := problem(err)
	query.Set("step", "details")
	page := v.To(bookingPath(d), query)
	page.Reply = page.Reply.Keep(form.cookie(v, bookingPath(d)))
	return page
}

// ToNext redirects to the next page after the form was accepted, and deletes the rejected one.
func (v *Visitor) ToNext(d id.Draft) fn.Page {
	page := v.ToBooking(d, nil)
	page.Reply = page.Reply.Forget(rejectedForm{}.cookie(v, bookingPath(d)))
	return page
}

// EndedGuest returns the guest's details of a booking that has ended. A form that was sent too late precedes the stored details.
func (v View) EndedGuest() Guest {
	if t, ok := v.rejectedForm(); ok {
		return t.Guest
	}
	return v.Draft.guest()
}

// ToNewBooking redirects to a booking. Its form shows g, the details from a booking that has ended, if any.
func (v *Visitor) ToNewBooking(d id.Draft, g Guest) fn.Page {
	return v.KeepGuest(v.ToBooking(d, nil), d, g)
}

// KeepGuest adds the cookie that fills the form of a booking. Without details it keeps an earlier cookie.
func (v *Visitor) KeepGuest(page fn.Page, d id.Draft, g Guest) fn.Page {
	if g != (Guest{}) {
		page.Reply = page.Reply.Keep(rejectedForm{Guest: g}.cookie(v, bookingPath(d)))
	}
	return page
}

// ToRejected redirects to the page of the changes, with the rejected details of the guest or special request.
func (v *Visitor) ToRejected(r id.Reservation, token string, g Guest, err error) fn.Page {
	form, err := rejected(g, err)
	page := v.toStay(r, "/changes", err, map[string]string{"t": token})
	page.Reply = page.Reply.Keep(form.cookie(v, stayPath(r)))
	return page
}

// ToAccepted redirects to the confirmation after the form was accepted, with a notice, and deletes the rejected one.
func (v *Visitor) ToAccepted(r id.Reservation, token, notice string) fn.Page {
	page := v.ToBookedStay(r, token, notice, nil)
	page.Reply = page.Reply.Forget(rejectedForm{}.cookie(v, stayPath(r)))
	return page
}

func bookingPath(d id.Draft) string { return "/bookings/" + d.String() }

func stayPath(r id.Reservation) string { return "/confirmations/" + r.String() }
