// Package topictest provides an in-memory publisher and an in-memory puller for tests, and the conformance suite for drivers of
// topics.
package topictest

import (
	"context"
	"maps"
	"slices"
	"sync"

	"melmastoon.ghasi.io/shared/platform/topic"
)

// Memory is a publisher that records published messages in order. Its zero value is ready to use.
type Memory struct {
	// Refuse, if set, is called for each message. If it returns an error, that message fails.
	Refuse func(topic.Message) error

	mu       sync.Mutex
	messages []topic.Message
}

// Publish records the messages. After a failed message it holds back later ones of the same topic and key.
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

// Messages returns the messages published so far.
func (m *Memory) Messages() []topic.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.messages)
}
