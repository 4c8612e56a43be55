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

// mostKept bounds the size of savedCookie.
const mostKept = 8

// A KeptHotel is a saved hotel without its card.
type KeptHotel struct {
	Property id.Property
	Name     string
}

func (v *Visitor) keepSaved(p fn.Page, s Session) fn.Page {
	kept := url.Values{}
	for _, r := range s.Wishes {
		if r.Card != nil && len(kept) < mostKept {
			kept.Set(r.Property.String(), r.Card.Name.Display)
		}
	}
	p.Reply = p.Reply.Keep(v.browser.Cookie(savedCookie, kept.Encode(), Home))
	return p
}

// Kept returns the saved hotels of savedCookie. It ignores what is no hotel.
func (v View) Kept() (all []KeptHotel) {
	c, err := (&http.Request{Header: v.browser.Header}).Cookie(savedCookie)
	if err != nil {
		return nil
	}
	kept, _ := url.ParseQuery(c.Value) // a malformed part is no hotel
	for _, key := range slices.Sorted(maps.Keys(kept)) {
		var p id.Property
		if p.UnmarshalText([]byte(key)) == nil {
			all = append(all, KeptHotel{p, kept.Get(key)})
		}
	}
	return all
}
