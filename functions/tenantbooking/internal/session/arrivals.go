package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/subject"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/handoff"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/platform/outbox"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/secrets"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// Arrivals is the ledger of handoffs. A handoff can be used by one session of the hotel's site only.
type Arrivals struct {
	keys    handoff.Keys
	peppers pseudonym.Peppers
	db      *postgres.DB
	outbox  *outbox.Outbox
	flags   *flags.Flags
}

// OpenArrivals returns the ledger.
func OpenArrivals(e env.Env) (*Arrivals, error) {
	keys, err := secrets.Handoff(e)
	if err != nil {
		return nil, err
	}
	peppers, err := secrets.Peppers(e)
	if err != nil {
		return nil, err
	}
	db := postgres.Open(e, Schema)
	return &Arrivals{keys: keys, peppers: peppers, db: db, outbox: outbox.Open(e, db), flags: subject.OpenFlags(e)}, nil
}

// A VerifiedHandoff is a handoff to the hotel with a valid signature. Accept decides whether it is still valid.
type VerifiedHandoff struct {
	handoff.Handoff
	fingerprint string // a hash that identifies the token where the token itself must not appear
}

// ArrivalID returns the id of the handoff's entry in the ledger. It is the same for every call.
func (i VerifiedHandoff) ArrivalID() id.HandoffArrival {
	return id.Derive[id.HandoffArrival](i.ID, "arrival")
}

// Verify returns the handoff of a token, or handoff.ErrSignatureInvalid unless the token was signed by this platform for that
// tenant. It does not check the expiry, which Accept checks by the database's clock.
func (a *Arrivals) Verify(token handoff.Token, t id.Tenant) (VerifiedHandoff, error) {
	h, err := a.keys.Verify(token, t, time.Time{})
	if err != nil {
		return VerifiedHandoff{}, err
	}
	return VerifiedHandoff{h, token.Fingerprint()}, nil
}

// An Arrival holds the guest's choices on the consumer site, for the booking form.
type Arrival struct {
	ID        id.HandoffArrival `json:"handoffArrivalId"`
	Handoff   id.Handoff        `json:"handoffId"`
	Property  id.Property       `json:"propertyId"`
	Stay      hotel.Stay        `json:"stayWindow"`
	Occupancy hotel.Occupancy   `json:"occupancy"`
	Currency  money.Currency    `json:"currency"`
	Locale    locale.Tag        `json:"locale"`
	ExpiresAt time.Time         `json:"expiresAt"`
}

func (i VerifiedHandoff) arrival() Arrival {
	return Arrival{
		ID: i.ArrivalID(), Handoff: i.ID, Property: i.Property, Stay: hotel.Stay(i.Dates), Occupancy: hotel.Occupancy(i.Occupancy),
		Currency: i.Currency, Locale: i.Locale, ExpiresAt: i.ExpiresAt,
	}
}

// Preview returns the guest's choices without using the handoff, or nil if the token is invalid or has expired.
func (a *Arrivals) Preview(token handoff.Token, t id.Tenant, now time.Time) *Arrival {
	i, err := a.Verify(token, t)
	if err != nil || i.Expired(now) {
		return nil
	}
	chosen := i.arrival()
	return &chosen
}

// Accept uses the handoff for the visitor's session, and publishes that. The session that has used it may use it
// again until it expires, and gets the same answer. Another session gets handoff.ErrReplayed, which is published too.
// After the expiry Accept returns handoff.ErrExpired. Both errors show the guest's choices, so that the guest need not enter them again: only
// the attribution is lost.
func (a *Arrivals) Accept(ctx context.Context, v Visitor, i VerifiedHandoff, from Trace) (Arrival, error) {
	var refused error
	err := a.db.InTenant(ctx, v.Tenant.ID, func(tx postgres.Tx) error {
		e, err := a.record(ctx, tx, v, i, from)
		if err != nil {
			return err
		}
		switch {
		case e.Expired:
			refused = handoff.ErrExpired
		case e.Session != v.Session.ID:
			refused = handoff.ErrReplayed // the event is in this transaction, which must commit
			return a.outbox.Append(ctx, tx, a.replayed(v, i, from, e.Now))
		case e.First:
			return a.outbox.Append(ctx, tx, a.flags.Sampled(v.Session.Silent(), consumed(v, i, e.ConsumedAt))...)
		}
		return nil
	})
	if err != nil {
		return Arrival{}, fmt.Errorf("arrivals: accept %s: %w", i.ArrivalID(), err)
	}
	chosen := i.arrival()
	if refused != nil {
		return Arrival{}, fault.From(refused).Showing(map[string]any{"handoffPayload": chosen})
	}
	return chosen, nil
}

// An entry is the state of a handoff in the ledger.
type entry struct {
	Session    id.TenantSession // that has used the handoff
	ConsumedAt time.Time
	First      bool // this call has used it
	Expired    bool
	Now        time.Time
}

// record records the use of the handoff unless it was used before. One statement decides among concurrent calls. ON
// CONFLICT names no constraint, because a handoff is unique by two of them, and each means that another session was
// first. The database's clock decides the expiry.
func (a *Arrivals) record(ctx context.Context, tx postgres.Tx, v Visitor, i VerifiedHandoff, from Trace) (e entry, err error) {
	payload := i.arrival()
	err = tx.QueryRow(ctx, `
		INSERT INTO bff_tenant_booking.handoff_arrival_log (id, handoff_id, tenant_id, session_id, consumer_session_id, property_id,
			expires_at, consumed, consumed_at, payload, hmac_signature_fingerprint, signing_key_id, remote_ip_hash, user_agent_class)
		SELECT @arrival, @handoff, @tenant, @session, @consumer, @property,
			@expires, true, platform.now(), @payload, @fingerprint, @key, @ip, @agent
		WHERE platform.now() <= @expires
		ON CONFLICT DO NOTHING
		RETURNING session_id, consumed_at, true, false, platform.now()`,
		pgx.StrictNamedArgs{"arrival": i.ArrivalID().String(), "handoff": i.ID, "tenant": v.Tenant.ID, "session": v.Session.ID,
			"consumer": i.GuestSession.String(), "property": i.Property.String(), "expires": i.ExpiresAt, "payload": payload,
			"fingerprint": i.fingerprint, "key": i.KeyID, "ip": string(a.address(from)), "agent": string(v.Device)}).
		Scan(&e.Session, &e.ConsumedAt, &e.First, &e.Expired, &e.Now)
	if !errors.Is(err, pgx.ErrNoRows) {
		return e, err
	}
	err = tx.QueryRow(ctx, `
		SELECT session_id, consumed_at, platform.now() > expires_at, platform.now()
		FROM bff_tenant_booking.handoff_arrival_log
		WHERE tenant_id = @tenant AND handoff_id = @handoff`,
		pgx.StrictNamedArgs{"tenant": v.Tenant.ID, "handoff": i.ID}).
		Scan(&e.Session, &e.ConsumedAt, &e.Expired, &e.Now)
	if errors.Is(err, pgx.ErrNoRows) {
		return entry{Expired: true}, nil // never used, and expired now
	}
	return e, err
}

type handoffConsumed struct {
	Tenant      id.Tenant         `json:"tenantId"`
	Handoff     id.Handoff        `json:"handoffId"`
	Arrival     id.HandoffArrival `json:"handoffArrivalId"`
	Consumer    id.GuestSession   `json:"consumerSessionId"`
	Property    id.Property       `json:"propertyId"`
	Campaign    *event.Attributed `json:"campaign,omitzero"`
	MintedAt    time.Time         `json:"mintedAt"`
	ConsumedAt  time.Time         `json:"consumedAt"`
	Elapsed     int64             `json:"elapsedMs"`
	Fingerprint string            `json:"hmacSignatureFingerprint"`
}

func consumed(v Visitor, i VerifiedHandoff, when time.Time) event.Draft {
	return NewEvent(v, subject.HandoffConsumedV1, handoffConsumed{
		Tenant:      v.Tenant.ID,
		Handoff:     i.ID,
		Arrival:     i.ArrivalID(),
		Consumer:    i.GuestSession,
		Property:    i.Property,
		Campaign:    v.Campaign.Attributed(),
		MintedAt:    i.MintedAt,
		ConsumedAt:  event.Time(when),
		Elapsed:     max(0, when.Sub(i.MintedAt).Milliseconds()),
		Fingerprint: i.fingerprint,
	})
}

type handoffReplayed struct {
	Tenant      id.Tenant        `json:"tenantId"`
	Session     id.TenantSession `json:"sessionId"`
	Code        string           `json:"errorCode"`
	OccurredAt  time.Time        `json:"occurredAt"`
	Actionable  bool             `json:"userActionable"`
	RetryAfter  int              `json:"retryAfterSec"`
	Handoff     id.Handoff       `json:"handoffId"`
	Fingerprint pseudonym.Hash   `json:"fingerprintHash"`
	Address     pseudonym.Hash   `json:"ipHash,omitzero"`
}

// replayed returns the event of a second use by another session. It is published whatever the consent of that session,
// because it protects another guest.
func (a *Arrivals) replayed(v Visitor, i VerifiedHandoff, from Trace, now time.Time) event.Draft {
	code := "MELMASTOON." + handoff.ErrReplayed.Code
	return WithErrorCode(code, NewEvent(v, subject.ErrorEncounteredV1, handoffReplayed{
		Tenant:      v.Tenant.ID,
		Session:     v.Session.ID,
		Code:        code,
		OccurredAt:  event.Time(now),
		Actionable:  false,
		RetryAfter:  0,
		Handoff:     i.ID,
		Fingerprint: a.peppers.Hash(pseudonym.Fingerprint(from.Agent, from.Languages)),
		Address:     a.address(from),
	}))
}

// address returns the pseudonym of the client's address, or "" if it is unknown.
func (a *Arrivals) address(from Trace) pseudonym.Hash {
	value, err := pseudonym.Address(from.Address)
	if err != nil {
		return ""
	}
	return a.peppers.Hash(value)
}
