package storefront_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"melmastoon.ghasi.io/functions/demo/storefront/findhotels"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// setCookie returns the cookie that an answer sets, or an empty one.
func setCookie(a fntest.Answer, name string) *http.Cookie {
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if c.Name == name {
			return c
		}
	}
	return &http.Cookie{}
}

// visitSaved opens the page of saved hotels with a cookie that names hotels, and returns the cookie that the page sets, or an empty one.
func visitSaved(t *testing.T, d *fakeConsumer, cookie string) *http.Cookie {
	t.Helper()
	e := upstream.TransportKey.With(env.Of(nil).With("PUBLIC_URL", "https://melmastoon.example"), d)
	a := fntest.Open(t, e, findhotels.Function).As("").Get("/hotels?view=saved", "Cookie", "saved="+cookie)
	a.Want(t, http.StatusOK)
	return setCookie(a, "saved")
}

func TestSavedCookie(t *testing.T) {
	t.Parallel()
	other := id.New[id.Property]()
	name := func(p id.Property, name string) string { return url.Values{p.String(): {name}}.Encode() }
	grand, carded := name(property, "Kabul Grand Hotel"), body{"display": "Kabul Grand Hotel"}
	for _, test := range []struct {
		name, cookie string
		wishes       []body
		want         string // "" if the page sets no cookie
		deleted      bool
	}{
		{name: "new", wishes: []body{{"propertyId": property, "card": body{"name": carded}}}, want: grand},
		{name: "unchanged", cookie: grand, wishes: []body{{"propertyId": property, "card": body{"name": carded}}}},
		{name: "no hotel saved"},
		{name: "no card of the only hotel", cookie: grand, wishes: []body{{"propertyId": property}}},
		{name: "no card of one of two", cookie: grand, wishes: []body{{"propertyId": property}, {"propertyId": other, "card": body{"name": body{"display": "Herat Inn"}}}},
			want: url.Values{property.String(): {"Kabul Grand Hotel"}, other.String(): {"Herat Inn"}}.Encode()},
		{name: "removed", cookie: grand, deleted: true},
		{name: "a name that does not fit", wishes: []body{{"propertyId": other, "card": body{"name": body{"display": strings.Repeat("هوټل", 500)}}},
			{"propertyId": property, "card": body{"name": carded}}}, want: grand},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := visitSaved(t, &fakeConsumer{locale: locale.English, wishes: test.wishes}, test.cookie)
			if c.Value != test.want || (c.MaxAge < 0) != test.deleted {
				t.Errorf("the page sets %q, deleted: %t, want %q, %t", c.Value, c.MaxAge < 0, test.want, test.deleted)
			}
		})
	}
}

// The cookie has at most 2,000 bytes, however many hotels the guest has saved.
func TestSavedCookie_bounded(t *testing.T) {
	t.Parallel()
	d := &fakeConsumer{locale: locale.Pashto}
	for range 50 {
		d.wishes = append(d.wishes, body{"propertyId": id.New[id.Property](), "card": body{"name": body{"display": pashto}}})
	}
	const minLength, maxLength = 1_800, 2_000
	if c := visitSaved(t, d, ""); len(c.Value) < minLength || len(c.Value) > maxLength {
		t.Errorf("the page sets %v, want a cookie of %d to %d bytes", c, minLength, maxLength)
	}
}
