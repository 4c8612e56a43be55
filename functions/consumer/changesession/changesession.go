// Package changesession changes the language, currency and consents of a session.
package changesession

import (
	"context"
	"time"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves PATCH /bff/consumer/v1/session.
var Function = consumer.HTTP(fn.Spec{
	Name:       "consumer-changesession",
	Route:      "PATCH " + consumer.Base + "/session",
	Uses:       fn.Uses{fn.Postgres, fn.Documents},
	Publishes:  fn.Subjects{session.LocaleChangedV1, session.CurrencyChangedV1},
	Idempotent: true,
	Timeout:    time.Second,
}, New)

// A Request holds the preferences and consents to change.
type Request struct {
	Locale    fn.Maybe[locale.Tag] `json:"locale"`
	Currency  fn.Maybe[money.Code] `json:"currency"`
	Telemetry fn.Maybe[bool]       `json:"consentTelemetry"`
	Marketing fn.Maybe[bool]       `json:"consentMarketing"`
}

// Validate rejects an empty request.
func (r *Request) Validate() error {
	if r.Locale.IsZero() && r.Currency.IsZero() && r.Telemetry.IsZero() && r.Marketing.IsZero() {
		return fault.ErrValidation.With(fault.Violation{Pointer: "", Rule: "required", Message: "Choose something."})
	}
	return nil
}

// A Response holds the preferences and consents after the change.
type Response struct {
	fn.Reply `json:"-"`
	session.Preferences
}

type handler struct {
	sessions *session.Sessions
}

// New returns the handler with its stores and clients.
func New(e env.Env) (consumer.Serve[Request, Response], error) {
	sessions, err := session.OpenSessions(e)
	return (&handler{sessions}).choose, err
}

func (h *handler) choose(ctx context.Context, c consumer.Call[Request]) (out Response, err error) {
	language, err := session.ChooseLocale(c.In.Locale.Or(c.Session.Locale))
	if err != nil {
		return out, err
	}
	currency, err := session.ChooseCurrency(c.In.Currency.Or(money.Code(c.Session.Currency)))
	if err != nil {
		return out, err
	}
	session, err := h.sessions.ChangePreferences(ctx, c.Session, func(s *session.Session) (events []event.Draft) {
		s.Consent = session.Consent{Telemetry: c.In.Telemetry.Or(s.Consent.Telemetry), Marketing: c.In.Marketing.Or(s.Consent.Marketing)}
		if !c.In.Locale.IsZero() {
			events = append(events, s.SetLocale(language, session.ByGuest, c.Now)...)
		}
		if !c.In.Currency.IsZero() {
			events = append(events, s.SetCurrency(currency, session.ByGuest, c.Now)...)
		}
		return events
	})
	return Response{fn.OK.Reply().Language(string(session.Locale)), session.Preferences()}, err
}
