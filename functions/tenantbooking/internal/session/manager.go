package session

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/event/attribution"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// Manager begins sessions, stores their preferences and publishes their events.
type Manager struct {
	sessions       *Sessions
	peppers        pseudonym.Peppers
	served         document.Collection[bool]
	db             *postgres.DB
	outbox         *outbox.Outbox
	flags          *flags.Flags
	now            func() time.Time
	publishTimeout time.Duration
}

// OpenManager returns Manager with its stores and keys.
func OpenManager(e env.Env) (*Manager, error) {
	sessions, err := OpenSessions(e)
	if err != nil {
		return nil, err
	}
	peppers, err := secrets.Peppers(e)
	if err != nil {
		return nil, err
	}
	db := postgres.Open(e, Schema)
	return &Manager{
		sessions:       sessions,
		peppers:        peppers,
		served:         OpenServed(e),
		db:             db,
		outbox:         outbox.Open(e, db),
		flags:          subject.OpenFlags(e),
		now:            e.Now,
		publishTimeout: e.Timeout(servedTimeout),
	}, nil
}

// OpenServed opens the collection of sessions for which bootstrap.served was published recently.
func OpenServed(e env.Env) document.Collection[bool] {
	return document.Open[bool](e, "bootstrap-served")
}

// Begin returns a new session for a visitor without one. KeepAlive writes it.
func (m *Manager) Begin(v Visitor, h http.Header, from Trace, now time.Time) Session {
	begun := FromHeaders(v.Tenant, h)
	begun.CreatedAt, begun.LastSeenAt = now, now
	begun.Fingerprint = string(m.peppers.Hash(pseudonym.Fingerprint(string(v.Device), from.Languages)))
	if address, err := pseudonym.Address(from.Address); err == nil {
		begun.IP = string(m.peppers.Hash(address))
	}
	begun.program = attribution.DeviceOf(h) == attribution.Other
	return Begin(begun)
}

// ApplyHandoff records the handoff in the session, and copies its locale, or another one of the same language, and its currency if the
// tenant supports them. It changes nothing if the session has applied the same handoff before, so that later choices of the guest are kept.
func (v *Visitor) ApplyHandoff(i VerifiedHandoff) {
	arrival := i.ArrivalID()
	if v.Session.Arrival != nil && *v.Session.Arrival == arrival {
		return
	}
	v.Session.Arrival = &arrival
	if nearest := locale.Negotiate(string(i.Locale), v.Tenant.Locales); nearest.Language() == i.Locale.Language() {
		v.Locale, v.Session.Locale = nearest, nearest
	}
	if slices.Contains(v.Tenant.Currencies, i.Currency) {
		v.Currency, v.Session.Currency = i.Currency, i.Currency
	}
}

// KeepAlive adds the session's cookie to the reply. It writes the session if it differs from was, the session as the request
// found it. A failed write is ignored, because it only costs the guest their preferences.
func (m *Manager) KeepAlive(ctx context.Context, r fn.Reply, v Visitor, was Session, site fn.Site) (fn.Reply, error) {
	v.Session.Campaign = v.Campaign
	cookie, err := m.sessions.Cookie(v, site)
	if err != nil {
		return r, fmt.Errorf("sessions: keep alive: %w", err)
	}
	if !v.Session.notStored() && v.Session != was {
		_ = m.sessions.Save(ctx, v.Session, was)
	}
	return r.Keep(cookie), nil
}

// Publish appends events of the visitor's session to the outbox in a transaction of their own, except those that
// [flags.Flags.Sampled] drops.
func (m *Manager) Publish(ctx context.Context, v Visitor, events ...event.Draft) error {
	sampled := m.flags.Sampled(v.Session.Silent(), events...)
	if len(sampled) == 0 {
		return nil
	}
	err := m.db.InTenant(ctx, v.Tenant.ID, func(tx postgres.Tx) error { return m.outbox.Append(ctx, tx, sampled...) })
	if err != nil {
		return fmt.Errorf("sessions: publish for %s: %w", v.Session.ID, err)
	}
	return nil
}

const (
	debounce      = 5 * time.Minute        // a session's bootstrap.served is published at most once in this time
	servedTimeout = 600 * time.Millisecond // timeout of publishing telemetry while a guest waits for the page
)

// Served appends bootstrap.served for the session: once for each handoff by which its guest arrives, and otherwise at most
// once in five minutes. It is telemetry, so errors and timeouts are ignored. The middleware has prefetched the mark of
// an earlier event; if concurrent calls find no mark, the call that creates the mark appends the event.
func (m *Manager) Served(ctx context.Context, v Visitor, f hotel.Storefront, a *Arrival) {
	if v.Session.notStored() {
		return
	}
	key, begun := document.KeyOf(v.Session.ID.String()), m.isNew(v)
	published, err := false, error(nil)
	if !begun {
		_, published, err = m.served.GetPrefetched(ctx, key)
	}
	ctx, cancel := context.WithTimeout(ctx, m.publishTimeout)
	defer cancel()
	arrived := a != nil && m.firstArrival(ctx, v, *a)
	if !arrived && (published || err != nil) {
		return
	}
	first := false
	if !published && err == nil {
		first, err = m.served.Create(ctx, key, true, m.now().Add(debounce))
	}
	if arrived || first || err != nil && begun {
		_ = m.Publish(ctx, v, NewEvent(v, subject.BootstrapServedV1, servedPayload(v, f, a)))
	}
}

// firstArrival reports whether this is the first bootstrap of the session after the handoff. It returns true if the store is
// unavailable.
func (m *Manager) firstArrival(ctx context.Context, v Visitor, a Arrival) bool {
	first, err := m.served.Create(ctx, document.KeyOf(v.Session.ID.String(), a.ID.String()), true, a.ExpiresAt.Add(debounce))
	return first || err != nil
}

// isNew reports whether this call begins the session, so that no earlier call can have published its event.
func (m *Manager) isNew(v Visitor) bool { return v.Session.Version == 1 }
