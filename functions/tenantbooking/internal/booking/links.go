package booking

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Links builds the links with which a guest opens a confirmation on any device.
type Links struct {
	Page   string       `env:"TENANT_CONFIRMATION_URL"`       // "https://{site}/confirmations/{reservationId}", or with {slug}; or empty: no URLs
	Domain string       `env:"SITE_DOMAIN,default=localhost"` // of the platform; a hotel without its own domain is at "{slug}.{domain}"
	Keys   keyring.Ring `env:"VIEW_TOKEN_KEYS,required"`
}

var errConfirmationURL = errors.New("links: TENANT_CONFIRMATION_URL is no http URL of {site}, {slug} and {reservationId}")

// OpenLinks loads the configuration.
func OpenLinks(e env.Env) (l Links, err error) {
	if err := e.Load(&l); err != nil {
		return l, fmt.Errorf("links: %w", err)
	}
	if !l.confirmationPage().valid() {
		return l, errConfirmationURL
	}
	return l, nil
}

// A Link is the link to a confirmation, in the language in which the guest booked.
type Link struct {
	Reservation id.Reservation `json:"reservationId"`
	URL         string         `json:"url,omitzero"` // absent if no page is configured
	Token       string         `json:"viewToken"`
	Locale      locale.Tag     `json:"locale"`
	ExpiresAt   time.Time      `json:"expiresAt"`
}

// To returns the link to the confirmation of a reservation. It returns ErrNotFound if the reservation was never confirmed or belongs to
// another tenant, or if the link has expired.
func (l Links) To(t hotel.Tenant, r Reservation, now time.Time) (Link, error) {
	if !r.Booked() || r.Tenant != t.ID || r.TokenExpired(now) {
		return Link{}, ErrNotFound
	}
	token, err := viewToken(l.Keys, t.ID, r.ID)
	if err != nil {
		return Link{}, err
	}
	out := Link{Reservation: r.ID, Token: token, Locale: r.Guest.Locale, ExpiresAt: r.tokenExpiry()}
	if l.Page != "" {
		out.URL = l.confirmationPage().fill(l.site(t), t.Slug, r.ID.String()) + "?" + url.Values{"t": {token}}.Encode()
	}
	return out, nil
}

// site returns the host of the hotel: its own domain, or its subdomain of the platform's domain.
func (l Links) site(t hotel.Tenant) string {
	if len(t.Domains) > 0 {
		return t.Domains[0]
	}
	return t.Slug + "." + l.Domain
}

func (l Links) confirmationPage() pageURL { return pageURL{template: l.Page, id: "{reservationId}"} }
