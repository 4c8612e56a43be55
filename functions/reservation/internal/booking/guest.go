package booking

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/freetext"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// MayName returns nil while guest details can be set: while rooms are held, and until the end of the stay. Otherwise it
// returns ErrHoldExpired or ErrIllegalTransition.
func (r *Reservation) MayName() error {
	switch r.EffectiveState() {
	case Held, Confirmed, CheckInStarted, CheckedIn:
		return nil
	case ExpiredHold:
		return ErrHoldExpired
	default:
		return r.illegal()
	}
}

// Guests stores guest details.
type Guests struct {
	salts keyring.Ring
}

// OpenGuests opens the store. It derives each tenant's salt for contact hashes from GUEST_SALT_KEYS.
func OpenGuests(e env.Env) (Guests, error) {
	var c struct {
		Salts keyring.Ring `env:"GUEST_SALT_KEYS,required"`
	}
	if err := e.Load(&c); err != nil {
		return Guests{}, fmt.Errorf("guests: %w", err)
	}
	return Guests{c.Salts}, nil
}

// Save stores the guest details, replaces earlier ones and saves the reservation. After the confirmation, whose event contains the contact
// hashes, it publishes each change of them.
func (g Guests) Save(ctx context.Context, tx postgres.Tx, s Reservations, r *Reservation, by access.Actor, act id.Request, p guests.Person) error {
	hashes, err := p.Hashes(g.salts, r.Tenant)
	if err != nil {
		return err
	}
	named, err := p.Stored()
	if err != nil {
		return err
	}
	tx.Queue(`
		INSERT INTO reservation.guests (reservation_id, tenant_id, guest_id, first_name, last_name, email, phone, locale, email_hash, phone_hash)
		VALUES (@reservation, @tenant, @guest, @first, @last, @email, @phone, @locale, @emailHash, @phoneHash)
		ON CONFLICT (reservation_id) DO UPDATE SET first_name = EXCLUDED.first_name, last_name = EXCLUDED.last_name,
			email = EXCLUDED.email, phone = EXCLUDED.phone, locale = EXCLUDED.locale, special_requests = '',
			email_hash = EXCLUDED.email_hash, phone_hash = EXCLUDED.phone_hash, named_at = platform.now()`,
		pgx.StrictNamedArgs{
			"reservation": r.ID, "tenant": r.Tenant, "guest": r.Guest, "first": named.FirstName, "last": named.LastName,
			"email": named.Email, "phone": named.Phone, "locale": p.Locale, "emailHash": hashes.Email, "phoneHash": hashes.Phone})
	r.Person = &named
	before, after := ProfileOf{Hashes: r.Hashes, Locale: r.Locale}, ProfileOf{Hashes: hashes, Locale: p.Locale}
	r.Hashes, r.Locale = hashes, p.Locale
	var changed bool
	var events []event.Draft
	if q, asked := r.askWithDetails(strings.TrimSpace(freetext.Scrub(p.Requests)), p.Locale); asked {
		changed = true
		if r.queueRequest(tx, q); q.FreeText != "" {
			events = append(events, RequestAdded(r))
		}
	}
	switch {
	case r.State != Held:
		m := Modification{ID: id.Derive[id.Modification](act, "modification"), Type: GuestProfileUpdate, OccurredAt: event.Time(r.AsOf), Actor: by}
		if err := r.modify(m, before, after); err != nil {
			return err
		}
		changed, events = true, append(events, ReservationModified(r))
	case before != after: // so that a concurrent confirmation, whose event contains both, reads them again
		r.Version++
		changed = true
	}
	if !changed {
		return nil
	}
	return s.Save(ctx, tx, r, events...)
}

// HasDetailsOf reports whether that act has already changed the guest details of a booked reservation.
func (r *Reservation) HasDetailsOf(act id.Request) bool {
	_, done := r.modification(id.Derive[id.Modification](act, "modification"))
	return done
}

// queueRequest stores the special request of the guest details, or deletes it if it has no text.
func (r *Reservation) queueRequest(tx postgres.Tx, q SpecialRequest) {
	if q.FreeText == "" {
		tx.Queue(`DELETE FROM reservation.special_requests WHERE tenant_id = @tenant AND special_request_id = @request`,
			pgx.StrictNamedArgs{"tenant": r.Tenant, "request": q.ID})
		return
	}
	tx.Queue(`
		INSERT INTO reservation.special_requests (special_request_id, tenant_id, reservation_id, tags, free_text, locale, added_at, added_by)
		VALUES (@request, @tenant, @reservation, @tags, @text, @locale, @addedAt, @addedBy)
		ON CONFLICT (special_request_id) DO UPDATE SET free_text = EXCLUDED.free_text, locale = EXCLUDED.locale, added_at = EXCLUDED.added_at`,
		pgx.StrictNamedArgs{"request": q.ID, "tenant": r.Tenant, "reservation": r.ID, "tags": q.Tags, "text": q.FreeText, "locale": q.Locale,
			"addedAt": q.AddedAt, "addedBy": q.AddedBy})
}
