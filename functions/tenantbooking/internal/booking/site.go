package booking

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A Site builds the URLs of a hotel's site.
type Site struct {
	ReturnURL string `env:"TENANT_RETURN_URL"`             // "https://{site}/return/{draftId}", or with {slug}; or empty
	Domain    string `env:"SITE_DOMAIN,default=localhost"` // the platform's domain; each hotel has a host below it, by its slug

	Keys keyring.Ring `env:"RETURN_LINK_KEYS,required"`
}

// returnLinkLife is how long a return link is valid after the hold has ended.
const returnLinkLife = 2 * time.Hour

var errReturnURL = errors.New("site: TENANT_RETURN_URL is no http URL of {site}, {slug} and {draftId}")

// OpenSite loads the configuration.
func OpenSite(e env.Env) (s Site, err error) {
	if err := e.Load(&s); err != nil {
		return s, fmt.Errorf("site: %w", err)
	}
	if !s.returnPage().valid() {
		return s, errReturnURL
	}
	return s, nil
}

// Return returns the URL to which the payment provider sends the guest back, with a token ?r= that ReturnLinkOf accepts. With
// the token a guest who returns in another browser, such as one inside a wallet app, sees the result of the payment. A
// repeated call returns the same URL, because the payment service receives it under the same idempotency key. The
// intent's id is not known yet, so the token covers the end of the hold and the method instead. The parameter lang
// is the language of the draft. The payment page uses it, because the browser may prefer another one.
func (s Site) Return(v session.Visitor, at fn.Site, d *Draft, m hotel.Method) string {
	if s.ReturnURL == "" {
		return ""
	}
	expiry := returnLinkExpiry(d)
	token, _ := s.Keys.Tag(returnParts(d.Tenant, d.ID, expiry, m)...) // fails only for an empty ring
	return s.withToken(s.page(v, at, d.ID.String()), expiry+"."+string(m)+"."+token, d.Locale)
}

func returnLinkExpiry(d *Draft) string {
	return strconv.FormatInt(d.Hold.ExpiresAt.Add(returnLinkLife).Unix(), 10)
}

// A ReturnLink is a valid token of a return URL.
type ReturnLink struct {
	expiry string
	method hotel.Method
}

// ReturnLinkOf returns the link of a token. ok is false unless this service made the token for that draft and it has not expired. The check
// reads nothing, so that a forged token neither touches the draft nor shows whether it exists.
func (s Site) ReturnLinkOf(token string, t id.Tenant, d id.Draft, now time.Time) (link ReturnLink, ok bool) {
	expiry, rest, _ := strings.Cut(token, ".")
	method, tag, _ := strings.Cut(rest, ".")
	link = ReturnLink{expiry, hotel.Method(method)}
	until, err := strconv.ParseInt(expiry, 10, 64)
	return link, err == nil && now.Unix() < until && s.Keys.Tagged(tag, returnParts(t, d, expiry, link.method)...)
}

// Opens reports whether the link is that of the draft's present hold and payment method.
func (l ReturnLink) Opens(d *Draft) bool {
	return d.Hold != nil && d.Payment != nil && l.expiry == returnLinkExpiry(d) && l.method == d.Payment.Method
}

func returnParts(t id.Tenant, d id.Draft, expiry string, m hotel.Method) []string {
	return []string{"return", t.String(), d.String(), expiry, string(m)}
}

// returnToBooking is Return for a payment of what is due for a confirmed booking: the URL has the id of the reservation in place of that of
// the draft, and its token is valid for two hours from now.
func (s Site) returnToBooking(v session.Visitor, at fn.Site, r id.Reservation, now time.Time) string {
	if s.ReturnURL == "" {
		return ""
	}
	expiry := strconv.FormatInt(now.Add(returnLinkLife).Unix(), 10)
	token, _ := s.Keys.Tag(balanceParts(v.Tenant.ID, r, expiry)...) // fails only for an empty ring
	return s.withToken(s.page(v, at, r.String()), expiry+"."+token, v.Locale)
}

// isBalanceToken reports whether the token is of a URL that returnToBooking returned for that reservation, and not expired.
func (s Site) isBalanceToken(token string, t id.Tenant, r id.Reservation, now time.Time) bool {
	expiry, tag, _ := strings.Cut(token, ".")
	until, err := strconv.ParseInt(expiry, 10, 64)
	return err == nil && now.Unix() < until && s.Keys.Tagged(tag, balanceParts(t, r, expiry)...)
}

func balanceParts(t id.Tenant, r id.Reservation, expiry string) []string {
	return []string{"return to booking", t.String(), r.String(), expiry}
}

// withToken adds the parameters of a return link to a URL.
func (s Site) withToken(page, token string, l locale.Tag) string {
	separator := "?"
	if strings.Contains(s.ReturnURL, "?") {
		separator = "&"
	}
	return page + separator + url.Values{"r": {token}}.Encode() + "&lang=" + url.QueryEscape(string(l))
}

// page returns the URL of the page that receives the guest, with the id of the draft or of the reservation.
func (s Site) page(v session.Visitor, at fn.Site, paid string) string {
	return s.returnPage().fill(s.host(v, at), v.Tenant.Slug, paid)
}

func (s Site) returnPage() pageURL { return pageURL{template: s.ReturnURL, id: "{draftId}"} }

// host returns the base URL of the hotel's site on the guest's current host, because only that host has the guest's
// cookie. On a shared host the platform's domain is used, with the hotel's name as in the guest's calls, because the
// cookie's path begins with it.
func (s Site) host(v session.Visitor, at fn.Site) string {
	switch {
	case !at.Own:
		return s.Domain + "/" + url.PathEscape(v.Called)
	case v.Called == v.Tenant.Slug:
		return v.Called + "." + s.Domain
	}
	return v.Called
}
