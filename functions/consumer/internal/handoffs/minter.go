package handoffs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A Choice holds the guest's selection that a handoff passes to a hotel's own site.
type Choice struct {
	Property  id.Property
	Dates     search.DateRange
	Occupancy search.Occupancy
	Currency  money.Currency
	Locale    locale.Tag
}

// WithPreferences returns the choice in the requested locale and currency, by default those of the visitor. It checks that this site
// supports them; the hotel's site falls back to its own if it does not.
func (c Choice) WithPreferences(v session.Visitor, l fn.Maybe[locale.Tag], code fn.Maybe[money.Code]) (_ Choice, err error) {
	c.Locale, c.Currency = v.Locale, v.Currency
	if named, ok := l.Get(); ok {
		if c.Locale, err = session.ChooseLocale(named); err != nil {
			return c, err
		}
	}
	if named, ok := code.Get(); ok {
		c.Currency, err = session.ChooseCurrency(named)
	}
	return c, err
}

// Check returns the violations of the choice at that time.
func (c Choice) Check(now time.Time) error {
	if wrong := slices.Concat(c.Dates.Check("/dates", now), c.Occupancy.Check("/occupancy")); len(wrong) > 0 {
		return fault.ErrValidation.With(wrong...)
	}
	return nil
}

// handoff returns the unsigned handoff of a choice. It omits the children's ages.
func (c Choice) handoff(v session.Visitor, t search.Tenant, called id.Handoff) handoff.Handoff {
	return handoff.Handoff{
		ID: called, GuestSession: v.Session.ID, Tenant: t.ID, Property: c.Property, Dates: handoff.Dates(c.Dates),
		Occupancy: handoff.Occupancy{Adults: c.Occupancy.Adults, Children: c.Occupancy.Children, Rooms: c.Occupancy.Rooms},
		Currency:  c.Currency, Locale: c.Locale,
	}
}

// A Minter signs handoffs and records them in the ledger.
type Minter struct {
	keys   handoff.Keys
	ledger *Ledger
}

// OpenMinter opens the ledger and loads the signing keys.
func OpenMinter(e env.Env) (*Minter, error) {
	keys, err := secrets.Handoff(e)
	if err != nil {
		return nil, err
	}
	return &Minter{keys, OpenLedger(e)}, nil
}

// Mint signs the visitor's choice, records it in the ledger and appends its event atomically. If the act is repeated, Mint
// returns the same handoff again, from the ledger.
func (m *Minter) Mint(ctx context.Context, v session.Visitor, t search.Tenant, c Choice, act id.Request, now time.Time) (none handoff.Handoff, token handoff.Token, err error) {
	h, token, err := m.keys.Mint(c.handoff(v, t, id.Derive[id.Handoff](act, "handoff")), now)
	if err != nil {
		return none, handoff.Token{}, fmt.Errorf("handoffs: %w", err)
	}
	kept, err := m.ledger.Record(ctx, v, t, h)
	switch {
	case err != nil:
		return none, handoff.Token{}, err
	case kept != h:
		return m.keys.Mint(kept, kept.MintedAt)
	}
	return h, token, nil
}

type handoffInitiated struct {
	Handoff     id.Handoff        `json:"handoffId"`
	Session     id.GuestSession   `json:"guestSessionId"`
	Tenant      id.Tenant         `json:"tenantId"`
	Slug        string            `json:"tenantSlug"`
	Property    id.Property       `json:"propertyId"`
	Dates       handoff.Dates     `json:"dates"`
	Occupancy   handoff.Occupancy `json:"occupancy"`
	Currency    money.Currency    `json:"currency"`
	Locale      locale.Tag        `json:"locale"`
	Campaign    *event.Attributed `json:"sourceCampaign,omitzero"`
	MintedAt    time.Time         `json:"mintedAt"`
	ExpiresAt   time.Time         `json:"expiresAt"`
	KeyID       string            `json:"hmacKeyId"`
	Fingerprint pseudonym.Hash    `json:"fingerprintHash"`
	IP          pseudonym.Hash    `json:"ipHash,omitzero"`
	Referer     string            `json:"originReferer,omitzero"`
}

// initiatedEvent returns the event of a handoff, without its token. It is published for sessions without telemetry too, because it
// is evidence.
func initiatedEvent(v session.Visitor, t search.Tenant, h handoff.Handoff) event.Draft {
	return v.Event(session.HandoffInitiatedV1, handoffInitiated{
		Handoff:     h.ID,
		Session:     h.GuestSession,
		Tenant:      h.Tenant,
		Slug:        t.Slug,
		Property:    h.Property,
		Dates:       h.Dates,
		Occupancy:   h.Occupancy,
		Currency:    h.Currency,
		Locale:      h.Locale,
		Campaign:    v.Campaign.Attributed(),
		MintedAt:    h.MintedAt,
		ExpiresAt:   h.ExpiresAt,
		KeyID:       h.KeyID,
		Fingerprint: v.Fingerprint,
		IP:          v.IP,
		Referer:     v.Referer,
	})
}
