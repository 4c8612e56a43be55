// Package document stores hot documents: small, typed, with an expiry.
//
// A document is found by its key only; there are no queries. From its expiry on it is absent: Get does not find it and Create
// succeeds, whether or not the store has deleted it. A document that cannot be read (corrupt, written under another key, of
// another type) counts as a miss and not as an error, because callers can work without documents. If the store does not answer,
// methods return [fault.ErrUnavailable], and the caller decides how to continue. A call takes at most DOCUMENT_TIMEOUT. After
// three consecutive such failures the circuit breaker opens: for DOCUMENT_PAUSE every call fails at once.
//
// This package has the interface and the typed collections only. The code that builds a binary selects the driver (decision 6),
// such as document/firestore: document.StoreKey.With(e, firestore.Open(e)). All drivers pass the conformance suite in
// documenttest.
package document

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Name is the address of a document: a collection's name, and a [Key] as text.
type Name struct {
	Collection string
	ID         string
}

// A Record is a document as a store keeps it, with opaque content.
type Record struct {
	Value     []byte // empty in a counter
	Number    int64  // of a counter
	Version   int64
	ExpiresAt time.Time // microseconds; the record is alive strictly before it
}

// A Store keeps records; each driver implements it. It has no clock of its own: now is the caller's, and every method treats a
// record that has expired by then as absent. Each method is atomic, each change is durable when the method
// returns, and a temporary failure is [fault.ErrUnavailable].
//
// A driver needs neither transactions over several documents nor read locks. On Firestore, where contended transactions are
// unusable, Create is a create, or an update on the condition that an expired document has not changed since it was read; Put
// and Add are a read and such an update in a loop with jitter.
type Store interface {
	// Get returns the records in the order of their names, nil for absent ones.
	Get(ctx context.Context, now time.Time, names ...Name) ([]*Record, error)

	// Create stores the record if none exists. Only one of several concurrent callers gets true.
	Create(ctx context.Context, now time.Time, name Name, r Record) (bool, error)

	// Put stores the record if none exists or if the stored one has a smaller version.
	Put(ctx context.Context, now time.Time, name Name, r Record) (bool, error)

	// Delete removes the record, if it exists.
	Delete(ctx context.Context, name Name) error

	// Add adds to a counter, which starts at zero, and returns the sum. It extends the counter's life to until, and never
	// shortens it.
	Add(ctx context.Context, now time.Time, name Name, n int64, until time.Time) (int64, error)
}

// StoreKey is the key of the driver in an Env.
var StoreKey = env.NewKey[Store]("document store")

// MaxSize is the maximum size of a record's value in bytes. It leaves space for the rest of a Firestore document of 1 MiB.
const MaxSize = 1<<20 - 4<<10

var (
	// ErrNoStore is returned by every method if no Store is configured.
	ErrNoStore = errors.New("document: no store configured")

	// ErrTooLarge is returned if a value exceeds MaxSize.
	ErrTooLarge = errors.New("document: the value is too large")
)
