// Package idempotency implements idempotency keys: the first answer to a key is stored encrypted and replayed to later requests.
//
// Postgres decides. A claim is a row without an answer, leased to the running call. If that call dies, the next call with the
// same key takes the lease over and gets the same act, so that it derives the same ids.
// Requests are compared with their JSON body in canonical form (RFC 8785), but with the numbers as they were written, because two
// large amounts can be equal as floats. Forms are compared byte for byte.
package idempotency

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"time"

	"melmastoon.ghasi.io/shared/id"
)

// A Claim identifies a request that must run once.
type Claim struct {
	Tenant  id.Tenant
	Caller  string
	Route   string        // the function's name
	Key     string        // the client's idempotency key
	Request string        // a Hash of the request
	Former  string        // the Hash of the former release, so that a call of that time can be repeated; "" if it is the same
	Lease   time.Duration // longer than the longest call
}

// An Answer is a stored answer of a call. The table has columns for the status and the body.
type Answer struct {
	Status     int `json:"-"`
	Header     http.Header
	Body       []byte `json:"-"`
	ContinueAs string // the caller as which the browser continues; "" for the same
}

// Hash returns a fingerprint of the parts. It encodes their lengths, so that different splits have different hashes.
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

// row returns the claim's primary key. Its public parts are readable, and the owner is in the middle, so that all rows of an
// owner can be found.
func (c Claim) row() string {
	return c.Route + ":" + owner(c.Tenant, c.Caller) + ":" + Hash([]byte(c.Tenant.String()), []byte(c.Caller), []byte(c.Route), []byte(c.Key))
}

// owner returns a hash of tenant and caller: it identifies the owner of a row without revealing the caller.
func owner(tenant id.Tenant, caller string) string {
	const digits = 32
	return Hash([]byte(tenant.String()), []byte(caller))[:digits]
}

// Final reports whether the same request will always get this answer. 5xx, 202, 402, 429 and answers with
// Retry-After are not final: a retry with the same key runs the act again.
func (a Answer) Final() bool {
	switch {
	case a.Status == http.StatusAccepted, a.Status == http.StatusPaymentRequired, a.Status == http.StatusTooManyRequests:
		return false
	case a.Header["Retry-After"] != nil:
		return false
	}
	return a.Status < 500
}
