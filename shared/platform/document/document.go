// Package document keeps hot documents: small, typed, with an end.
//
// A document is found by its key and by nothing else; there is no query. It ends at a moment that its writer names:
// from then on nobody finds it, and whoever creates it again wins, whether or not the store has cleared it away. What
// cannot be read (corrupt, written under another key, of another shape) is a miss and never an error, for whoever keeps
// documents can do without them. A store that does not answer is [fault.ErrUnavailable]; what then happens is the caller's
// choice. One use takes at most DOCUMENT_TIMEOUT. After three in a row that failed so, a circuit breaker opens: for
// DOCUMENT_PAUSE every use fails at once.
//
// The package has the interface and the typed face only. The drivers, document/pg among them, are chosen by whoever
// builds the binary: env.Give[document.Store](e, pg.Open(e)). All are held to the conformance suite in doctest.
package document

import (
	"context"
	"errors"
	"time"
)

// A Name is the address of a document: a collection's name, and a [Key] as text.
type Name struct {
	Collection string
	ID         string
}

// A Record is a document as a store keeps it, without knowing what is in it.
type Record struct {
	Value     []byte // empty in a counter
	Number    int64  // of a counter
	Version   int64
	ExpiresAt time.Time // to the microsecond; the record is alive before it, not at it
}

// A Named is a record with its address.
type Named struct {
	Name   Name
	Record Record
}

// A Store keeps records: what each driver implements. It has no clock of its own: now is the caller's, and a record that
// has ended by then is treated as absent by every method. Each method is atomic but for PutMany, each change durable when
// it returns, and a failure that may pass is [fault.ErrUnavailable].
//
// A driver needs no transaction over several documents and no read lock. On Firestore, where contended transactions
// are unusable, Create is a create, or an update on the condition that an ended document has not changed since it was
// read; Put and Add are a read and such an update in a loop with jitter.
type Store interface {
	// Get returns the records in the order of their names, nil where there is none.
	Get(ctx context.Context, now time.Time, names ...Name) ([]*Record, error)

	// Create stores the record where there is none. Of many callers at once one is told true.
	Create(ctx context.Context, now time.Time, name Name, r Record) (bool, error)

	// Put stores the record where there is none, or one of a smaller version.
	Put(ctx context.Context, now time.Time, name Name, r Record) (bool, error)

	// PutMany puts records of different names, each as Put would, in a number of round trips that does not grow with theirs. It
	// says of each whether it was stored. After an error some may be and some not.
	PutMany(ctx context.Context, now time.Time, records ...Named) ([]bool, error)

	// Delete removes the record, if there is one.
	Delete(ctx context.Context, name Name) error

	// Add adds to a counter, which begins at zero, and returns the sum. The counter's end moves to until, but never nearer.
	Add(ctx context.Context, now time.Time, name Name, n int64, until time.Time) (int64, error)
}

// MaxSize is how many bytes a record's value may have. It leaves room for the rest of a Firestore document of 1 MiB.
const MaxSize = 1<<20 - 4<<10

var (
	// ErrNoStore is the error of every use where the builder of the binary gave no Store.
	ErrNoStore = errors.New("document: no store configured")

	// ErrTooLarge is the error of a value that no store takes.
	ErrTooLarge = errors.New("document: the value is too large")
)
