package booking

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/freetext"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/stay"
)

// A Person holds the name and contact data of a guest. Only this service stores it: no event and no answer to another
// service contains it.
type Person struct {
	FirstName string     `json:"firstName"`
	LastName  string     `json:"lastName"`
	Email     string     `json:"email"`
	Phone     string     `json:"phone"`
	Locale    locale.Tag `json:"locale"`
	Requests  string     `json:"specialRequests,omitzero" db:"-"`
}

// Validate rejects a guest without any name and malformed contact data. One of the two names may be empty, because many
// guests have one name. Contact data may be missing: see [Person.Reachable].
func (p Person) Validate() error {
	var found violations
	var noEmail, noPhone error
	if p.Email != "" {
		_, noEmail = pseudonym.Email(p.Email)
	}
	if p.Phone != "" {
		_, noPhone = pseudonym.Phone(p.Phone)
	}
	_, noFirst := pseudonym.Name(p.FirstName)
	_, noLast := pseudonym.Name(p.LastName)
	found.refuse("firstName", "must be a name", noFirst != nil || noLast == nil && !pseudonym.HasLetter(p.FirstName, p.LastName))
	found.refuse("lastName", "must be a name", noLast != nil)
	found.refuse("email", "must be an e-mail address", noEmail != nil)
	found.refuse("phone", "must be a telephone number with its country code", noPhone != nil)
	found.refuse("specialRequests", fmt.Sprintf("must be at most %d characters", stay.MaxDetailsLength), !printable(p.Requests, stay.MaxDetailsLength))
	return found.err()
}

// Reachable rejects a guest without an e-mail address or a telephone number. Only staff may leave them out: a guest who
// stands at the desk at midnight may have neither.
func (p Person) Reachable() error {
	var found violations
	found.refuse("email", "must be an e-mail address", p.Email == "")
	found.refuse("phone", "must be a telephone number with its country code", p.Phone == "")
	return found.err()
}

// stored returns the person as it is stored. The special request has what the guest asks for.
func (p Person) stored() (Person, error) {
	var noFirst, noLast, noEmail error
	p.Phone, p.Requests = strings.TrimSpace(p.Phone), ""
	p.FirstName, noFirst = pseudonym.Name(p.FirstName)
	p.LastName, noLast = pseudonym.Name(p.LastName)
	if p.Email != "" {
		p.Email, noEmail = pseudonym.Mailbox(p.Email)
	}
	if err := errors.Join(noFirst, noLast, noEmail); err != nil {
		return p, fault.ErrValidation.Because(err)
	}
	return p, nil
}

// violations collects the members of a request that are not valid.
type violations []fault.Violation

// refuse adds a member if it is bad.
func (v *violations) refuse(member, message string, bad bool) {
	if bad {
		*v = append(*v, fault.Violation{Pointer: "/" + member, Rule: "form", Message: message})
	}
}

// err returns ErrValidation with all violations, or nil if there are none.
func (v violations) err() error {
	if len(v) == 0 {
		return nil
	}
	return fault.ErrValidation.With(v...)
}

// printable reports whether a text has at most limit characters, all of them printable. Line breaks, tabs, joiners and
// direction marks are allowed, because Persian and Urdu need them.
func printable(s string, limit int) bool {
	const hidden = "\n\r\t\u200c\u200d\u200e\u200f"
	return utf8.RuneCountInString(s) <= limit && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsPrint(r) && !strings.ContainsRune(hidden, r)
	})
}

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
func (g Guests) Save(ctx context.Context, tx postgres.Tx, s Reservations, r *Reservation, by access.Actor, act id.Request, p Person) error {
	hashes, err := g.hashes(r.Tenant, p)
	if err != nil {
		return err
	}
	named, err := p.stored()
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

// hashes returns hashes of the contact data, salted per tenant: a tenant recognises its returning guests, and hashes of
// different tenants cannot be compared. A guest without contact data has no hashes.
func (g Guests) hashes(t id.Tenant, p Person) (h contactHash, err error) {
	_, key := g.salts.Active()
	if key == nil {
		return h, keyring.ErrEmpty
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("guests of " + t.String()))
	salt := mac.Sum(nil)
	hash := func(data string, parse func(string) (pseudonym.Value, error)) (string, error) {
		if data == "" {
			return "", nil
		}
		value, err := parse(data)
		if err != nil {
			return "", fault.ErrValidation.Because(err)
		}
		return pseudonym.Contact(salt, value)
	}
	if h.Email, err = hash(p.Email, pseudonym.Email); err != nil {
		return h, err
	}
	h.Phone, err = hash(p.Phone, pseudonym.Phone)
	return h, err
}
