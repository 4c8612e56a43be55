// Package emulatortest gives the tests of one program the servers that stand for Google's: each is started by the first
// test that asks for it and ends with the program. A test keeps apart from others by a project or a prefix of its own.
package emulatortest

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/local/emulators"
	"melmastoon.ghasi.io/shared/platform/env"
)

// timeout bounds the start of a server on a crowded machine.
const timeout = 2 * time.Minute

var (
	firestore = once(emulators.Firestore)
	pubsub    = once(emulators.PubSub)
	redis     = once(emulators.Redis)
)

func once(start func(context.Context) (*emulators.Server, error)) func() (*emulators.Server, error) {
	return sync.OnceValues(func() (*emulators.Server, error) {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		return start(ctx)
	})
}

// Firestore is where this program's Firestore emulator listens. Without it the test is skipped, where that is allowed.
func Firestore(t testing.TB) string {
	t.Helper()
	return address(t, firestore)
}

// PubSub is where this program's Pub/Sub emulator listens. Without it the test is skipped, where that is allowed.
func PubSub(t testing.TB) string {
	t.Helper()
	return address(t, pubsub)
}

// Redis is where this program's Redis server listens.
func Redis(t testing.TB) string {
	t.Helper()
	return address(t, redis)
}

// Need skips a test that starts emulators of its own if they are not installed, unless EMULATORS_REQUIRED is set.
func Need(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a server")
	}
	if err := emulators.Missing(); err != nil && !required(t) {
		t.Skip(err)
	}
}

// Name is one that nobody else has, as a project or a prefix may be called.
func Name() string { return "test-" + strings.ToLower(rand.Text()) }

func address(t testing.TB, server func() (*emulators.Server, error)) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a server")
	}
	s, err := server()
	if errors.Is(err, emulators.ErrMissing) && !required(t) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.Address()
}

// required tells where nothing may be skipped: in CI.
func required(t testing.TB) bool {
	t.Helper()
	var c struct {
		Required bool `env:"EMULATORS_REQUIRED"`
	}
	if err := env.System().Load(&c); err != nil {
		t.Fatal(err)
	}
	return c.Required
}
