// Package guests has the name and contact data of a guest.
package guests

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"melmastoon.ghasi.io/functions/reservation/internal/service"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/keyring"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/pseudonym"
	"melmastoon.ghasi.io/shared/stay"
)

// A ContactHash holds hashes of contact data. Each is empty without that data.
type ContactHash struct {
	Email string `json:"email,omitzero" db:"email_hash"`
	Phone string `json:"phone,omitzero" db:"phone_hash"`
}

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
	var found service.Violations
	var noEmail, noPhone error
	if p.Email != "" {
		_, noEmail = pseudonym.Email(p.Email)
	}
	if p.Phone != "" {
		_, noPhone = pseudonym.Phone(p.Phone)
	}
	_, noFirst := pseudonym.Name(p.FirstName)
	_, noLast := pseudonym.Name(p.LastName)
	found.Refuse("firstName", "must be a name", noFirst != nil || noLast == nil && !pseudonym.HasLetter(p.FirstName, p.LastName))
	found.Refuse("lastName", "must be a name", noLast != nil)
	found.Refuse("email", "must be an e-mail address", noEmail != nil)
	found.Refuse("phone", "must be a telephone number with its country code", noPhone != nil)
	found.Refuse("specialRequests", fmt.Sprintf("must be at most %d characters", stay.MaxDetailsLength), !service.Printable(p.Requests, stay.MaxDetailsLength))
	return found.Err()
}

// Reachable rejects a guest without an e-mail address or a telephone number. Only staff may leave them out: a guest who
// stands at the desk at midnight may have neither.
func (p Person) Reachable() error {
	var found service.Violations
	found.Refuse("email", "must be an e-mail address", p.Email == "")
	found.Refuse("phone", "must be a telephone number with its country code", p.Phone == "")
	return found.Err()
}

// Stored returns the person as it is stored. The special request has what the guest asks for.
func (p Person) Stored() (Person, error) {
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

// Hashes returns hashes of the contact data, salted per tenant: a tenant recognises its returning guests, and hashes of
// different tenants cannot be compared. A guest without contact data has no hashes.
func (p Person) Hashes(salts keyring.Ring, t id.Tenant) (h ContactHash, err error) {
	_, key := salts.Active()
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
