// Package topictest is what tests need of topics: a publisher that remembers, and the conformance suite of every driver.
package topictest

import (
	"context"
	"maps"
	"slices"
	"sync"

	"melmastoon.ghasi.io/shared/platform/topic"
)

// Memory is a publisher that remembers what was published, in order. The zero Memory is ready.
type Memory struct {
	// Refuse, if set, is asked before each message is kept; its error is the message's.
	Refuse func(topic.Message) error

	mu       sync.Mutex
	messages []topic.Message
}

// Publish keeps the messages, and holds back what follows a failed one of the same topic and key.
func (m *Memory) Publish(ctx context.Context, messages []topic.Message) []error {
	m.mu.Lock()
	defer m.mu.Unlock()
	errs := make([]error, len(messages))
	failed := map[[2]string]bool{}
	for i, message := range messages {
		key := [2]string{message.Topic, message.OrderingKey}
		if errs[i] = m.keep(ctx, message, failed[key]); errs[i] != nil && message.OrderingKey != "" {
			failed[key] = true
		}
	}
	return errs
}

func (m *Memory) keep(ctx context.Context, message topic.Message, held bool) error {
	if held {
		return topic.ErrHeldBack
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := topic.Check(message); err != nil {
		return err
	}
	if m.Refuse != nil {
		if err := m.Refuse(message); err != nil {
			return err
		}
	}
	message.Attributes = maps.Clone(message.Attributes)
	message.Data = slices.Clone(message.Data)
	m.messages = append(m.messages, message)
	return nil
}

// Messages are those published so far.
func (m *Memory) Messages() []topic.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.messages)
}
