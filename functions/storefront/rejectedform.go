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

// cookie returns the cookie with the form, for the pages of one booking. If the form is too long for a cookie, it omits
// the special requests, and if necessary everything except the invalid fields.
func (t rejectedForm) cookie(v *Visitor, d id.Draft) *http.Cookie {
	value := t.encode()
	if len(value) > maxFormCookie {
		t.Guest.Requests = ""
		value = t.encode()
	}
	if len(value) > maxFormCookie {
		value = rejectedForm{Wrong: t.Wrong}.encode()
	}
	return &http.Cookie{Name: formCookie, Value: value, Path: v.Home() + "/bookings/" + d.String(), MaxAge: int(formCookieTTL / time.Second),
		HttpOnly: true, Secure: !v.browser.Plain, SameSite: http.SameSiteLaxMode}
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

// ToDetails redirects to the form with the rejected input.
func (v *Visitor) ToDetails(d id.Draft, g Guest, err error) fn.Page {
	wrong := slices.Sorted(maps.Keys(ServiceErrorOf(err).InvalidFields()))
	if len(wrong) > 0 {
		err = nil // the page shows the errors beside the fields
	}
	query := problem(err)
	query.Set("step", "details")
	page := v.To("/bookings/"+d.String(), query)
	page.Reply = page.Reply.Keep(rejectedForm{Guest: g, Wrong: wrong}.cookie(v, d))
	return page
}

// ToNext redirects to the next page after the form was accepted, and deletes the rejected one.
func (v *Visitor) ToNext(d id.Draft) fn.Page {
	page := v.ToBooking(d, nil)
	page.Reply = page.Reply.Forget(rejectedForm{}.cookie(v, d))
	return page
}
