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

// A typedForm is a rejected form: the guest's input and its invalid fields. It is stored in a cookie of the guest's
// browser until the next page (post/redirect/get), so that a reload works, no URL contains personal data, and the site
// needs no store.
type typedForm struct {
	Guest Guest    `json:"guest"`
	Wrong []string `json:"wrong,omitempty"`
}

const (
	typedCookie = "typed"
	typedLife   = 10 * time.Minute
	maxTyped    = 3500 // bytes of a cookie's value: browsers store 4,096 with its name
)

// cookie returns the cookie with the form, for the pages of one booking. If the form is too long for a cookie, it omits
// the special requests, and if necessary everything except the invalid fields.
func (t typedForm) cookie(v *Visit, d id.Draft) *http.Cookie {
	value := t.encode()
	if len(value) > maxTyped {
		t.Guest.Requests = ""
		value = t.encode()
	}
	if len(value) > maxTyped {
		value = typedForm{Wrong: t.Wrong}.encode()
	}
	return &http.Cookie{Name: typedCookie, Value: value, Path: v.Home() + "/bookings/" + d.String(), MaxAge: int(typedLife / time.Second),
		HttpOnly: true, Secure: !v.plain, SameSite: http.SameSiteLaxMode}
}

func (t typedForm) encode() string {
	text, err := json.Marshal(t)
	if err != nil { // text that is not UTF-8
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// typed returns the rejected form of this booking, if there is one. It ignores an invalid cookie.
func (v *Visit) typed() (t typedForm, ok bool) {
	c, err := (&http.Request{Header: v.header}).Cookie(typedCookie)
	if err != nil {
		return t, false
	}
	text, err := base64.RawURLEncoding.DecodeString(c.Value)
	return t, err == nil && json.Unmarshal(text, &t) == nil
}

// ToDetails redirects to the form with the rejected input.
func (v *Visit) ToDetails(d id.Draft, g Guest, err error) fn.Page {
	wrong := slices.Sorted(maps.Keys(RefusalOf(err).Fields()))
	if len(wrong) > 0 {
		err = nil // the page shows the errors beside the fields
	}
	query := problem(err)
	query.Set("step", "details")
	page := v.To("/bookings/"+d.String(), query)
	page.Reply = page.Reply.Keep(typedForm{Guest: g, Wrong: wrong}.cookie(v, d))
	return page
}

// ToNamed redirects to the next page after the form was accepted, and deletes the rejected one.
func (v *Visit) ToNamed(d id.Draft) fn.Page {
	page := v.ToBooking(d, nil)
	page.Reply = page.Reply.Forget(typedForm{}.cookie(v, d))
	return page
}
