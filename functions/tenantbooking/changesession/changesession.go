// Package changesession sets the language, the currency and the consent to telemetry of a session.
package changesession

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/booking"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves PATCH /bff/tenant-booking/v1/{tenantSlug}/session.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:       "tenantbooking-changesession",
	Route:      "PATCH " + tenantbooking.Base + "/session",
	Uses:       fn.Uses{fn.Postgres, fn.Documents},
	Publishes:  fn.Subjects{subject.LocaleChangedV1, subject.CurrencyChangedV1},
	Idempotent: true,
	Timeout:    time.Second,
}, New)

// A Request holds the values to change.
type Request struct {
	Locale   fn.Maybe[locale.Tag] `json:"locale"`
	Currency fn.Maybe[money.Code] `json:"currency"`
	Consent  fn.Maybe[bool]       `json:"consentTelemetry"`
}

// Validate returns an error for an empty request.
func (r *Request) Validate() error {
	if r.Locale.IsZero() && r.Currency.IsZero() && r.Consent.IsZero() {
		return fault.ErrValidation.With(fault.Violation{Pointer: "", Rule: "required", Message: "Choose a language, a currency or a consent."})
	}
	return nil
}

// A Response holds the resulting preferences.
type Response struct {
	Locale   locale.Conventions `json:"locale"`
	Currency money.Currency     `json:"currency"`
	Consent  bool               `json:"consentTelemetry"`
}

type handler struct {
	visits *session.Manager
	drafts booking.Drafts
}

// New returns the handler with its stores and clients.
func New(e env.Env) (tenantbooking.Serve[Request, Response], error) {
	visits, err := session.OpenManager(e)
	return (&handler{visits: visits, drafts: booking.OpenDrafts(e)}).choose, err
}

func (h *handler) choose(ctx context.Context, c tenantbooking.Call[Request]) (out Response, err error) {
	v := c.Visitor
	v.Session.Consent.Telemetry = c.In.Consent.Or(v.Session.Consent.Telemetry) // it applies to this call's events too
	events, err := v.SetPreferences(c.In.Locale, c.In.Currency, c.Now)
	if err != nil {
		return out, err
	}
	// Publish first: the session is a hot document and may be lost, but the event remains.
	if err := h.visits.Publish(ctx, v, events...); err != nil {
		return out, err
	}
	if err := h.visits.Save(ctx, v, c.Session); err != nil {
		return out, err
	}
	if !c.In.Consent.IsZero() {
		// The session is saved first, so a draft that starts concurrently is either updated here or reads the new consent.
		err = h.drafts.SetConsent(ctx, v.Session)
	}
	return Response{Locale: v.Locale.Conventions(), Currency: v.Currency, Consent: v.Session.Consent.Telemetry}, err
}
