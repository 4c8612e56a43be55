// Package idempotency makes a request with a key happen once: the first answer is kept, sealed, and given again.
//
// Postgres decides. A claim is a row without an answer, leased to the call that runs; if that call dies, the next one with
// the same key takes over and is told the same act, so that the ids it derives are those that the dead one derived.
package idempotency

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"time"

	"melmastoon.ghasi.io/shared/id"
)

// A Claim asks to run a request once.
type Claim struct {
	Tenant  id.Tenant
	Caller  string
	Route   string        // the function's name
	Key     string        // the client's
	Request string        // a Hash of what is asked
	Lease   time.Duration // longer than the call can take
}

// An Answer is what a call answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Hash is a fingerprint of parts, none of which can pass for another's end.
func Hash(parts ...[]byte) string {
	h := sha256.New()
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// row is the claim's primary key: readable as far as it is no secret, with its owner in the middle, so that all of one
// owner's can be found.
func (c Claim) row() string {
	return c.Route + ":" + owner(c.Tenant, c.Caller) + ":" + Hash([]byte(c.Tenant.String()), []byte(c.Caller), []byte(c.Route), []byte(c.Key))
}

// owner names whose answer a row keeps, to who knows them already.
func owner(tenant id.Tenant, caller string) string {
	const digits = 32
	return Hash([]byte(tenant.String()), []byte(caller))[:digits]
}

// Final reports whether the same request will always get this answer. What failed on our side, waits for something,
// asks to pay or tells when to come again is worth another try under the same key.
func (a Answer) Final() bool {
	switch {
	case a.Status == http.StatusAccepted, a.Status == http.StatusPaymentRequired, a.Status == http.StatusTooManyRequests:
		return false
	case a.Header["Retry-After"] != nil:
		return false
	}
	return a.Status < 500
}
