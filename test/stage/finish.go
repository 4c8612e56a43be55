package stage

import (
	"context"
	"errors"
	"time"
)

// pause is the time between two ticks of the relays.
const pause = 250 * time.Millisecond

// Hush is Quiet with the relays ticking, as in production: on a crowded machine a call leaves in the outbox what it did
// not publish in its short time after the commit.
func (s *Stage) Hush() {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), patience)
	defer done()
	relayed := make(chan error, 1)
	go func() { relayed <- s.relay(ctx) }()
	err := quiet(ctx, s.DB.Owner(s.t))
	done()
	if err := errors.Join(err, <-relayed); err != nil {
		s.t.Fatalf("%v:\n%s", err, s.Story(context.Background()))
	}
}

// Finish waits like Hush and fails the test unless everything adds up.
func (s *Stage) Finish() {
	s.t.Helper()
	s.Hush()
	s.Settle()
}

// relay ticks the relays until ctx ends.
func (s *Stage) relay(ctx context.Context) error {
	again := time.NewTicker(pause)
	defer again.Stop()
	for {
		for _, name := range []string{"reservation-relay", "sandbox-relay"} {
			if err := s.Cloud.Tick(ctx, name); err != nil && ctx.Err() == nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
	}
}
