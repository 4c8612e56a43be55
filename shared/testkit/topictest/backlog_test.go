package topictest

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func newBacklog() *Backlog { return NewBacklog(env.Of(nil).Now, DeadLetters) }

func setupOn(p topic.Puller, s *Backlog) PullSetup {
	return PullSetup{Puller: p, Publish: func(_ testing.TB, messages ...topic.Message) { s.Put(messages...) }, Timeout: 2 * time.Second}
}

func TestBacklog_conforms(t *testing.T) {
	t.Parallel()
	ConformPuller(t, func(testing.TB) PullSetup { s := newBacklog(); return setupOn(s, s) })
}

// A faultyPuller is a puller with one fault. A function that is nil behaves correctly.
type faultyPuller struct {
	*Backlog
	pull                 func(s *Backlog, ctx context.Context, name string, limit int, lease time.Duration) ([]topic.Pulled, error)
	acknowledge, release func(s *Backlog, ctx context.Context, name string, receipts []string) error
}

func (s faultyPuller) Pull(ctx context.Context, name string, limit int, lease time.Duration) ([]topic.Pulled, error) {
	if s.pull != nil {
		return s.pull(s.Backlog, ctx, name, limit, lease)
	}
	return s.Backlog.Pull(ctx, name, limit, lease)
}

func (s faultyPuller) Acknowledge(ctx context.Context, name string, receipts []string) error {
	if s.acknowledge != nil {
		return s.acknowledge(s.Backlog, ctx, name, receipts)
	}
	return s.Backlog.Acknowledge(ctx, name, receipts)
}

func (s faultyPuller) Release(ctx context.Context, name string, receipts []string) error {
	if s.release != nil {
		return s.release(s.Backlog, ctx, name, receipts)
	}
	return s.Backlog.Release(ctx, name, receipts)
}

var faultyPullers = []struct {
	name   string // what the puller does wrong
	check  string // which check must notice
	puller faultyPuller
}{
	{"text only", "whole message", faultyPuller{pull: func(s *Backlog, ctx context.Context, name string, limit int, lease time.Duration) ([]topic.Pulled, error) {
		pulled, err := s.Pull(ctx, name, limit, lease)
		for i := range pulled {
			pulled[i].Data = []byte(strings.ToValidUTF8(string(pulled[i].Data), ""))
		}
		return pulled, err
	}}},
	{"ignores the maximum", "max messages", faultyPuller{pull: func(s *Backlog, ctx context.Context, name string, _ int, lease time.Duration) ([]topic.Pulled, error) {
		return s.Pull(ctx, name, 1000, lease)
	}}},
	{"no lease", "lease", faultyPuller{pull: func(s *Backlog, ctx context.Context, name string, limit int, _ time.Duration) ([]topic.Pulled, error) {
		return s.Pull(ctx, name, limit, -time.Second)
	}}},
	{"ignores releases", "release", faultyPuller{release: func(*Backlog, context.Context, string, []string) error { return nil }}},
	{"releases instead of acknowledging", "acknowledgement", faultyPuller{acknowledge: (*Backlog).Release}},
	{"leases too long", "expired lease", faultyPuller{pull: func(s *Backlog, ctx context.Context, name string, limit int, _ time.Duration) ([]topic.Pulled, error) {
		return s.Pull(ctx, name, limit, time.Hour)
	}}},
	{"reads before it leases", "concurrent pulls", faultyPuller{pull: func(s *Backlog, ctx context.Context, name string, limit int, lease time.Duration) ([]topic.Pulled, error) {
		seen, err := s.Pull(ctx, name, limit, -time.Second)
		if err != nil {
			return nil, err
		}
		for range 50 {
			runtime.Gosched() // others go first, as over a network
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, k := range s.kept[name] {
			for _, p := range seen {
				if string(k.Data) == string(p.Data) {
					k.until = s.now().Add(lease)
				}
			}
		}
		return seen, nil
	}}},
	{"creates subscriptions", "unknown subscription", faultyPuller{pull: func(s *Backlog, ctx context.Context, name string, limit int, lease time.Duration) ([]topic.Pulled, error) {
		s.Put(topic.Message{Topic: name})
		return s.Pull(ctx, name, limit, lease)
	}}},
}

// TestConformPuller_faultyPullers runs each check on a puller with a likely mistake. The check must fail.
func TestConformPuller_faultyPullers(t *testing.T) {
	t.Parallel()
	refused := map[string]bool{}
	for _, s := range faultyPullers {
		refused[s.check] = true
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			run, ok := pullChecks[s.check]
			if !ok {
				t.Fatalf("unknown check %q", s.check)
			}
			s.puller.Backlog = newBacklog()
			if check.Failures(t, func(t testing.TB) { run(t, setupOn(s.puller, s.puller.Backlog)) }) == "" {
				t.Errorf("the check %q passes, want a failure", s.check)
			}
		})
	}
	for name := range pullChecks {
		if !refused[name] {
			t.Errorf("no faulty puller fails the check %q", name)
		}
	}
}
