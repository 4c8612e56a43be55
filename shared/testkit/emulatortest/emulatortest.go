// Package emulatortest provides local replacements of Google's services to tests. Each server is started by the first test that
// needs it and ends with the test binary. A test isolates its data by a project or prefix of its own.
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
	"melmastoon.ghasi.io/shared/testkit/check"
)

// timeout is the time limit for the start of a server on a busy machine.
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

// Firestore returns the address of the Firestore emulator. It skips the test if the emulator is not installed; see Need.
func Firestore(t testing.TB) string {
	t.Helper()
	return address(t, firestore)
}

// PubSub returns the address of the Pub/Sub emulator. It skips the test if the emulator is not installed; see Need.
func PubSub(t testing.TB) string {
	t.Helper()
	return address(t, pubsub)
}

// Redis returns the address of the Redis server.
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

// Name returns a unique name for a project or prefix.
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
	check.Must(t, err)
	return s.Address()
}

// required reports whether missing emulators fail the test, as in CI.
func required(t testing.TB) bool {
	t.Helper()
	var c struct {
		Required bool `env:"EMULATORS_REQUIRED"`
	}
	check.Must(t, env.System().Load(&c))
	return c.Required
}
