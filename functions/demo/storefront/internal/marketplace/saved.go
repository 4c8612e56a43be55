package marketplace

import (
	"maps"
	"net/http"
	"net/url"
	"slices"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// savedCookie keeps the names of the guest's saved hotels in the browser, so that the page of a challenge or of a limit still leads to them.
const savedCookie = "saved"

// maxKept is the maximum length of savedCookie. Hotels that do not fit are omitted.
const maxKept = 2_000

// A KeptHotel is a saved hotel without its card.
type KeptHotel struct {
	Property id.Property
	Name     string
}

// keepSaved adds savedCookie to a page if it changes. A hotel whose card is not available now keeps its name.
func (v *Visitor) keepSaved(p fn.Page, s Session) fn.Page {
	before := v.cookie(savedCookie)
	known, _ := url.ParseQuery(before)
	kept := url.Values{}
	for _, r := range s.Wishes {
		property := r.Property.String()
		name := known.Get(property)
		if r.Card != nil {
			name = r.Card.Name.Display
		}
		if name == "" {
			continue
		}
		if kept.Set(property, name); len(kept.Encode()) > maxKept {
			kept.Del(property)
		}
	}
	c := v.browser.Cookie(savedCookie, kept.Encode(), Home)
	if c.Value == before {
		return p
	}
	if c.Value == "" {
		c.MaxAge = -1
	}
	p.Reply = p.Reply.Keep(c)
	return p
}

// Kept returns the saved hotels of savedCookie. It ignores what is no hotel.
func (v View) Kept() (all []KeptHotel) {
	kept, _ := url.ParseQuery(v.cookie(savedCookie)) // a malformed part is no hotel
	for _, key := range slices.Sorted(maps.Keys(kept)) {
		var p id.Property
		if p.UnmarshalText([]byte(key)) == nil {
			all = append(all, KeptHotel{p, kept.Get(key)})
		}
	}
	return all
}

// cookie returns the value of a cookie of the site itself, or "".
func (v *Visitor) cookie(name string) string {
	c, err := (&http.Request{Header: v.browser.Header}).Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}
