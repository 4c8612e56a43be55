package topictest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"melmastoon.ghasi.io/shared/platform/topic"
)

// A Backlog is an in-memory topic.Puller. NewBacklog creates one.
type Backlog struct {
	// Refuse, if set, is called before each operation with "pull", "acknowledge" or "release". If it returns an error, the
	// operation fails.
	Refuse func(verb string) error

	now   func() time.Time
	mu    sync.Mutex
	kept  map[string][]*kept // by subscription
	pulls int
}

// A kept message stays in its subscription until it is acknowledged.
type kept struct {
	topic.Pulled
	until time.Time // of its lease
}

// NewBacklog returns a Backlog with empty subscriptions. Leases expire by the given clock.
func NewBacklog(now func() time.Time, subscriptions ...string) *Backlog {
	s := &Backlog{now: now, kept: map[string][]*kept{}}
	for _, name := range subscriptions {
		s.kept[name] = nil
	}
	return s
}

// Put adds messages to the subscriptions with the names of their topics.
func (s *Backlog) Put(messages ...topic.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range messages {
		name := m.Topic
		m.Topic = ""
		s.kept[name] = append(s.kept[name], &kept{Pulled: topic.Pulled{Message: m, PublishedAt: s.now()}})
	}
}

// Left returns the unacknowledged messages, whether leased or not.
func (s *Backlog) Left(subscription string) (messages []topic.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kept[subscription] {
		messages = append(messages, k.Message)
	}
	return messages
}

// Pull implements topic.Puller.
func (s *Backlog) Pull(ctx context.Context, subscription string, limit int, lease time.Duration) (pulled []topic.Pulled, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, there := s.kept[subscription]
	if err := s.refuse(ctx, "pull"); err != nil {
		return nil, err
	}
	if !there {
		return nil, fmt.Errorf("topictest: there is no subscription %q", subscription)
	}
	now := s.now()
	for _, k := range all {
		if len(pulled) < limit && !k.until.After(now) {
			s.pulls++
			k.until, k.Receipt = now.Add(lease), "lease "+strconv.Itoa(s.pulls)
			pulled = append(pulled, k.Pulled)
		}
	}
	return pulled, nil
}

// Acknowledge implements topic.Puller.
func (s *Backlog) Acknowledge(ctx context.Context, subscription string, receipts []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse(ctx, "acknowledge"); err != nil {
		return err
	}
	s.kept[subscription] = slices.DeleteFunc(s.kept[subscription], func(k *kept) bool { return slices.Contains(receipts, k.Receipt) })
	return nil
}

// Release implements topic.Puller.
func (s *Backlog) Release(ctx context.Context, subscription string, receipts []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse(ctx, "release"); err != nil {
		return err
	}
	for _, k := range s.kept[subscription] {
		if slices.Contains(receipts, k.Receipt) {
			k.until = time.Time{}
		}
	}
	return nil
}

func (s *Backlog) refuse(ctx context.Context, verb string) error {
	if s.Refuse != nil {
		if err := s.Refuse(verb); err != nil {
			return err
		}
	}
	return ctx.Err()
}
