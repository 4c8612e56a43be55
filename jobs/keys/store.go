package keys

import (
	"context"
	"errors"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
)

// A Version is one version of a secret. Numbers are consecutive and begin with 1.
type Version struct {
	Number    int
	CreatedAt time.Time
	Readable  bool // neither disabled nor destroyed
}

// A Store holds the versions of secrets.
type Store interface {
	// Versions returns all versions in ascending order, or ErrNoSecret.
	Versions(ctx context.Context, secret string) ([]Version, error)
	// Read returns the value of a version.
	Read(ctx context.Context, secret string, number int) ([]byte, error)
	// Add adds the version that follows the given number. If another run has added a version meanwhile, it adds none that can be
	// read and returns ErrConflict.
	Add(ctx context.Context, secret string, after int, value []byte) (int, error)
}

// Errors of a Store.
var (
	ErrNoSecret = errors.New("keys: no such secret")
	ErrConflict = errors.New("keys: another run has added a version")
)

// StoreKey is the key of the store in an Env.
var StoreKey = env.NewKey[Store]("store of secrets")
