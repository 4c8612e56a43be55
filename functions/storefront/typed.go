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

// A typedForm is a form that was refused: what the guest wrote, and the fields that were wrong in it. It waits in a cookie of the
// guest's own browser for the page that the guest is sent to, so that page is the answer of a GET (post/redirect/get), no
// address carries a name, and the site keeps nothing.
type typedForm struct {
	Guest Guest    `json:"guest"`
	Wrong []string `json:"wrong,omitempty"`
}

const (
	typedCookie = "typed"
	typedLife   = 10 * time.Minute
	maxTyped    = 3500 // bytes of a cookie's value: browsers keep 4,096 with its name
)

// cookie holds the form for the pages of one booking. Of a form that is too long for a cookie it leaves out the special requests, or
// else everything but the fields that were wrong.
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

// typed returns the form that the guest sent last for this booking, if it was refused. A cookie that cannot be read is none.
func (v *Visit) typed() (t typedForm, ok bool) {
	c, err := (&http.Request{Header: v.header}).Cookie(typedCookie)
	if err != nil {
		return t, false
	}
	text, err := base64.RawURLEncoding.DecodeString(c.Value)
	return t, err == nil && json.Unmarshal(text, &t) == nil
}

// ToDetails sends the guest back to the form that was refused, with everything that they wrote.
func (v *Visit) ToDetails(d id.Draft, g Guest, err error) fn.Page {
	wrong := slices.Sorted(maps.Keys(RefusalOf(err).Fields()))
	if len(wrong) > 0 {
		err = nil // the page says it beside the fields
	}
	query := problem(err)
	query.Set("step", "details")
	page := v.To("/bookings/"+d.String(), query)
	page.Reply = page.Reply.Keep(typedForm{Guest: g, Wrong: wrong}.cookie(v, d))
	return page
}

// ToNamed sends the guest on from a form that was accepted.
func (v *Visit) ToNamed(d id.Draft) fn.Page {
	page := v.ToBooking(d, nil)
	page.Reply = page.Reply.Forget(typedForm{}.cookie(v, d))
	return page
}
